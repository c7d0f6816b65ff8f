import { isIPv6 } from 'node:net';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type { Database, DatabaseReader, DatabaseWriter } from '../../store/ports.ts';
import {
  deleteSignInAttempts,
  findSignInAttempts,
  type SignInAttemptsRow,
  upsertSignInAttempts,
} from '../../store/sign-in-attempts.ts';
import { sha256 } from './tokens.ts';

/** How many tries are free, and the longest pause after those. */
interface ThrottlePolicy {
  readonly freeAttempts: number;
  readonly maxPauseMs: number;
}

/** Nobody is shut out for good: whoever attacks an account can make its owner wait this long, and no longer. */
const ACCOUNT_POLICY: ThrottlePolicy = { freeAttempts: 5, maxPauseMs: 5 * 60_000 };
/** Many people share an address, so it has more tries. */
const ADDRESS_POLICY: ThrottlePolicy = { freeAttempts: 20, maxPauseMs: 15 * 60_000 };
/** Tries are forgotten when none came for so long. */
const ATTEMPT_TTL_MS = 60 * 60_000;
const FIRST_PAUSE_MS = 1_000;

/** What one try counts against. */
export interface SignInAttempt {
  /** Null where no account is named, as with a passkey. */
  readonly account: string | null;
  readonly address: string;
}

/** A try that was counted. */
export interface CountedAttempt {
  /** How long the next one has to wait. */
  readonly pausedMs: number;
  /** The address' count, this one included. */
  readonly addressAttempts: number;
}

export interface SignInThrottle {
  /**
   * Counts a try before it is judged, so that many at once cannot all pass.
   *
   * @throws Fault `too_many_attempts` with the time until the next may come
   */
  countAttempt(trier: SignInAttempt): Promise<CountedAttempt>;
  /**
   * The try was good: the account's count ends, and the address is as before. What others from there failed stays counted:
   * somebody with an account of their own must not open the way to those of others.
   */
  recordSuccess(writer: DatabaseWriter, trier: SignInAttempt, taken: CountedAttempt): Promise<void>;
}

/** Counted in the store: a restart forgets nothing, and processes share it. */
export function createSignInThrottle(database: Database, clock: Clock): SignInThrottle {
  async function refuseBlocked(
    reader: DatabaseReader,
    buckets: readonly string[],
  ): Promise<SignInAttemptsRow[]> {
    const rows = await findSignInAttempts(reader, buckets);
    const waits = rows.map((row) => row.blocked_until - clock.now());
    // Longer than any pause: the clock was set back since, and nobody shall wait for that.
    const waitMs = Math.max(0, ...waits.filter((ms) => ms <= ADDRESS_POLICY.maxPauseMs));
    if (waitMs === 0) return rows;
    throw new Fault('too_many_attempts', `Too many attempts. Try again in ${Math.ceil(waitMs / 1000)} s.`, {
      retryAfterMs: waitMs,
    });
  }

  return {
    async countAttempt(trier) {
      const buckets = bucketsOf(trier);
      const names = buckets.map(({ bucket }) => bucket);
      // Without a transaction first: a flood of refused tries does not keep the writer busy.
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
    async recordSuccess(writer, trier, { addressAttempts }) {
      const names = bucketsOf(trier).map(({ bucket }) => bucket);
      const byAddress = names.pop();
      for (const bucket of names) await deleteSignInAttempts(writer, bucket);
      const [row] = byAddress === undefined ? [] : await findSignInAttempts(writer, [byAddress]);
      if (!row) return;
      // Another try since may have begun a pause of its own, which stays.
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

/** 0 for the free ones, then 1 s, 2 s, 4 s, … */
function pauseMs(tries: number, { freeAttempts, maxPauseMs }: ThrottlePolicy): number {
  if (tries < freeAttempts) return 0;
  return Math.min(maxPauseMs, FIRST_PAUSE_MS * 2 ** Math.min(30, tries - freeAttempts));
}

function bucketsOf({
  account,
  address,
}: SignInAttempt): { readonly bucket: string; readonly patience: ThrottlePolicy }[] {
  const byAddress = { bucket: `address:${networkPrefix(address)}`, patience: ADDRESS_POLICY };
  if (account === null) return [byAddress];
  return [{ bucket: `account:${sha256(account)}`, patience: ACCOUNT_POLICY }, byAddress];
}

/** One customer has at least a /64 of IPv6 to himself. */
function networkPrefix(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0');
  return `${[...groups, ...after].slice(0, 4).join(':')}::/64`;
}
