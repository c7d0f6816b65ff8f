import { isIPv6 } from 'node:net';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import type { Database, Reader, Writer } from '../../store/ports.ts';
import { forgetTries, putTries, type TriesRow, triesOf } from '../../store/sign-in-tries.ts';
import { sha256 } from './tokens.ts';

/** How many tries are free, and the longest pause after those. */
interface Patience {
  readonly free: number;
  readonly longestMs: number;
}

/** Nobody is shut out for good: whoever attacks an account can make its owner wait this long, and no longer. */
const ACCOUNT: Patience = { free: 5, longestMs: 5 * 60_000 };
/** Many people share an address, so it has more tries. */
const ADDRESS: Patience = { free: 20, longestMs: 15 * 60_000 };
/** Tries are forgotten when none came for so long. */
const FORGOTTEN_MS = 60 * 60_000;
const FIRST_PAUSE_MS = 1_000;

/** What one try counts against. */
export interface Trier {
  /** Null where no account is named, as with a passkey. */
  readonly account: string | null;
  readonly address: string;
}

/** A try that was counted. */
export interface Taken {
  /** How long the next one has to wait. */
  readonly pausedMs: number;
  /** The address' count, this one included. */
  readonly addressTries: number;
}

export interface Throttle {
  /**
   * Counts a try before it is judged, so that many at once cannot all pass.
   *
   * @throws Fault `too_many_tries` with the time until the next may come
   */
  take(trier: Trier): Promise<Taken>;
  /**
   * The try was good: the account's count ends, and the address is as before. What others from there failed stays counted:
   * somebody with an account of their own must not open the way to those of others.
   */
  forgive(writer: Writer, trier: Trier, taken: Taken): Promise<void>;
}

/** Counted in the store: a restart forgets nothing, and processes share it. */
export function createThrottle(database: Database, clock: Clock): Throttle {
  async function refuseBlocked(reader: Reader, buckets: readonly string[]): Promise<TriesRow[]> {
    const rows = await triesOf(reader, buckets);
    const waits = rows.map((row) => row.blocked_until - clock.now());
    // Longer than any pause: the clock was set back since, and nobody shall wait for that.
    const waitMs = Math.max(0, ...waits.filter((ms) => ms <= ADDRESS.longestMs));
    if (waitMs === 0) return rows;
    throw new Fault('too_many_tries', `Too many tries. Again in ${Math.ceil(waitMs / 1000)} s.`, {
      retryAfterMs: waitMs,
    });
  }

  return {
    async take(trier) {
      const buckets = bucketsOf(trier);
      const names = buckets.map(({ bucket }) => bucket);
      // Without a transaction first: a flood of refused tries does not keep the writer busy.
      await refuseBlocked(database.read, names);
      return database.transaction(async (writer) => {
        const rows = await refuseBlocked(writer, names);
        const now = clock.now();
        const counts = buckets.map(({ bucket, patience }) =>
          counted(
            bucket,
            patience,
            rows.find((before) => before.bucket === bucket),
            now,
          ),
        );
        for (const row of counts) await putTries(writer, row);
        return {
          pausedMs: Math.max(0, ...counts.map((row) => row.blocked_until - now)),
          addressTries: counts.at(-1)?.tries ?? 0,
        };
      });
    },
    async forgive(writer, trier, { addressTries }) {
      const names = bucketsOf(trier).map(({ bucket }) => bucket);
      const byAddress = names.pop();
      for (const bucket of names) await forgetTries(writer, bucket);
      const [row] = byAddress === undefined ? [] : await triesOf(writer, [byAddress]);
      if (!row) return;
      // Another try since may have begun a pause of its own, which stays.
      const isLast = row.tries === addressTries;
      const blocked_until = isLast ? 0 : row.blocked_until;
      await putTries(writer, { ...row, tries: Math.max(0, row.tries - 1), blocked_until });
    },
  };
}

function counted(bucket: string, patience: Patience, before: TriesRow | undefined, now: number): TriesRow {
  const isFresh = before === undefined || now - before.last_at > FORGOTTEN_MS;
  const tries = (isFresh ? 0 : before.tries) + 1;
  const pause = pauseMs(tries, patience);
  return { bucket, tries, last_at: now, blocked_until: pause === 0 ? 0 : now + pause };
}

/** 0 for the free ones, then 1 s, 2 s, 4 s, … */
function pauseMs(tries: number, { free, longestMs }: Patience): number {
  if (tries < free) return 0;
  return Math.min(longestMs, FIRST_PAUSE_MS * 2 ** Math.min(30, tries - free));
}

function bucketsOf({ account, address }: Trier): { readonly bucket: string; readonly patience: Patience }[] {
  const byAddress = { bucket: `address:${networkOf(address)}`, patience: ADDRESS };
  if (account === null) return [byAddress];
  return [{ bucket: `account:${sha256(account)}`, patience: ACCOUNT }, byAddress];
}

/** One customer has at least a /64 of IPv6 to himself. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  while (tail !== undefined && groups.length + after.length < 8) groups.push('0');
  return `${[...groups, ...after].slice(0, 4).join(':')}::/64`;
}
