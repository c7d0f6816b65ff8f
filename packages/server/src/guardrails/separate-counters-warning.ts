import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { ReplicaRegistration } from '../store/replicas.ts';

const CHECK_MS = 5_000;
/**
 * Time for which other processes must use the database before the warning. It is longer than the lease of a process
 * that was killed, and than a restart usually takes.
 */
const GRACE_MS = 20_000;

/** The processes that use the database, and how many of them share their counters with this one. */
export interface SeparateCountersOptions {
  readonly replicas: Pick<ReplicaRegistration, 'getRank'>;
  /** Number of processes of this server, including this one. */
  readonly processCount: number;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Logs a warning if processes that do not share their counters with this one use the same database.
 * Together, they can exceed limits and budgets. Returns a function that stops the check.
 */
export function watchForSeparateCounters(options: SeparateCountersOptions): () => void {
  const { replicas, processCount, clock, log } = options;
  let sharedSince = clock.monotonic();
  let timer: Timer | null = null;
  function check(): void {
    const { replicaCount } = replicas.getRank();
    if (replicaCount <= processCount) sharedSince = clock.monotonic();
    else if (clock.monotonic() - sharedSince >= GRACE_MS) {
      log.warn(
        { processes: replicaCount },
        'other processes use the same database but not the same counters, so all processes together can exceed limits and budgets; set storage.shared to the same Redis or Valkey URL for all processes',
      );
      return;
    }
    timer = clock.after(CHECK_MS, check);
  }
  timer = clock.after(CHECK_MS, check);
  return () => timer?.cancel();
}
