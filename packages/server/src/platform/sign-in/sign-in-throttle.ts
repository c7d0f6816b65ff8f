import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { toClientNetwork } from '../../core/network.ts';
import {
  deleteSignInAttempts,
  listSignInAttempts,
  type SignInAttemptsRow,
  upsertSignInAttempts,
} from '../../store/sign-in-attempts.ts';
import type { Database, DatabaseReader, DatabaseWriter } from '../../store/store-interfaces.ts';
import { computeSha256Hex } from './tokens.ts';

/** The number of attempts without a pause, and the longest pause. */
interface ThrottlePolicy {
  readonly freeAttempts: number;
  readonly maxPauseMs: number;
}

/** An attacker can delay the owner of an account by at most this pause. */
const ACCOUNT_POLICY: ThrottlePolicy = { freeAttempts: 5, maxPauseMs: 5 * 60_000 };
/** More attempts, because many users can share an address. */
const ADDRESS_POLICY: ThrottlePolicy = { freeAttempts: 20, maxPauseMs: 15 * 60_000 };
/** The count is reset after this time without an attempt. */
const ATTEMPT_TTL_MS = 60 * 60_000;
const FIRST_PAUSE_MS = 1_000;

/** The account and address that a sign-in attempt is counted for. */
export interface SignInAttempt {
  /** Null if the attempt names no account, as with a passkey. */
  readonly account: string | null;
  readonly address: string;
}

/** The result of counting a sign-in attempt. */
export interface CountedSignInAttempt {
  /** How long the next attempt must wait. */
  readonly pausedMs: number;
  /** Attempts of the address, including this one. */
  readonly addressAttempts: number;
}

/** Limits the number of sign-in attempts for each account and address. */
export interface SignInThrottle {
  /**
   * Counts an attempt before it is verified, so that concurrent attempts cannot bypass the limit.
   *
   * @throws Fault `too_many_attempts` with the remaining wait
   */
  countAttempt(attempt: SignInAttempt): Promise<CountedSignInAttempt>;
  /**
   * Records a successful attempt: resets the count of the account, and subtracts the attempt from that of
   * the address. Failures of others from the address stay counted, so that a user with an account cannot
   * reset the count.
   */
  recordSuccess(writer: DatabaseWriter, attempt: SignInAttempt, taken: CountedSignInAttempt): Promise<void>;
}

/**
 * Creates a throttle that limits sign-in attempts. Attempts are counted in the database, so that
 * restarts do not reset the count and processes share it.
 */
export function createSignInThrottle(database: Database, clock: Clock): SignInThrottle {
  async function refuseBlocked(
    reader: DatabaseReader,
    buckets: readonly string[],
  ): Promise<SignInAttemptsRow[]> {
    const rows = await listSignInAttempts(reader, buckets);
    const waits = rows.map((row) => row.blocked_until - clock.now());
    // A wait longer than any pause means that the clock was set back, and is ignored.
    const waitMs = Math.max(0, ...waits.filter((ms) => ms <= ADDRESS_POLICY.maxPauseMs));
    if (waitMs === 0) return rows;
    throw new Fault('too_many_attempts', `Too many attempts. Try again in ${Math.ceil(waitMs / 1000)} s.`, {
      retryAfterMs: waitMs,
    });
  }

  return {
    async countAttempt(attempt) {
      const buckets = bucketsOf(attempt);
      const names = buckets.map(({ bucket }) => bucket);
      // Read without a transaction first, so that a flood of attempts does not occupy the writer.
      await refuseBlocked(database.read, names);
      return database.transaction(async (writer) => {
        const rows = await refuseBlocked(writer, names);
        const now = clock.now();
        const counts = buckets.map(({ bucket, patience }) =>
          addAttempt(
            bucket,
            patience,
            rows.find((before) => before.bucket === bucket),
            now,
          ),
        );
        for (const row of counts) await upsertSignInAttempts(writer, row);
        return {
          pausedMs: Math.max(0, ...counts.map((row) => row.blocked_until - now)),
          addressAttempts: counts.at(-1)?.attempts ?? 0,
        };
      });
    },
    async recordSuccess(writer, attempt, { addressAttempts }) {
      const names = bucketsOf(attempt).map(({ bucket }) => bucket);
      const byAddress = names.pop();
      for (const bucket of names) await deleteSignInAttempts(writer, bucket);
      const [row] = byAddress === undefined ? [] : await listSignInAttempts(writer, [byAddress]);
      if (!row) return;
      // A later attempt may have started a pause, which stays.
      const isLast = row.attempts === addressAttempts;
      const blocked_until = isLast ? 0 : row.blocked_until;
      await upsertSignInAttempts(writer, { ...row, attempts: Math.max(0, row.attempts - 1), blocked_until });
    },
  };
}

function addAttempt(
  bucket: string,
  patience: ThrottlePolicy,
  before: SignInAttemptsRow | undefined,
  now: number,
): SignInAttemptsRow {
  const isFresh = before === undefined || now - before.last_attempt_at > ATTEMPT_TTL_MS;
  const tries = (isFresh ? 0 : before.attempts) + 1;
  const pause = pauseMs(tries, patience);
  return { bucket, attempts: tries, last_attempt_at: now, blocked_until: pause === 0 ? 0 : now + pause };
}

/** 0 without a pause, then 1 s, 2 s, 4 s, … */
function pauseMs(tries: number, { freeAttempts, maxPauseMs }: ThrottlePolicy): number {
  if (tries < freeAttempts) return 0;
  return Math.min(maxPauseMs, FIRST_PAUSE_MS * 2 ** Math.min(30, tries - freeAttempts));
}

function bucketsOf({
  account,
  address,
}: SignInAttempt): { readonly bucket: string; readonly patience: ThrottlePolicy }[] {
  const byAddress = { bucket: `address:${toClientNetwork(address)}`, patience: ADDRESS_POLICY };
  if (account === null) return [byAddress];
  return [{ bucket: `account:${computeSha256Hex(account)}`, patience: ACCOUNT_POLICY }, byAddress];
}
