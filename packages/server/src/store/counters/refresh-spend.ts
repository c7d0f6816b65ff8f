import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { withTimeout } from './with-timeout.ts';

/** How long the return to the shared store may wait for the database. */
const TIMEOUT_MS = 2_000;

export interface SpendRefreshOptions {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * Reads the spending from the database. A shared store that restarted may be empty and is filled with it.
   */
  readonly refreshSpend: () => Promise<void>;
}

/** Reads the spending of other processes. Resolves when it has been read, or after the timeout. */
export async function refreshSpendWithTimeout({
  clock,
  log,
  refreshSpend,
}: SpendRefreshOptions): Promise<void> {
  try {
    await withTimeout(clock, TIMEOUT_MS, refreshSpend());
  } catch (error) {
    log.warn(
      { err: error },
      'could not read the spending from the database; until Floe can read it, budgets might not include all spending',
    );
  }
}
