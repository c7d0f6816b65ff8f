import { systemClock, type Timer } from '../core/clock.ts';
import type { ServerComponents } from './server-components.ts';

/** Wait before another attempt if the database was unavailable. A revoked key stays valid for this time. */
const RETRY_MS = 500;

/**
 * Creates a follower that renews the snapshot when another process has changed keys or configuration. While
 * the database is unavailable, the old snapshot remains in use and `isCurrent` returns false.
 */
export function createSnapshotFollower({ database, log }: Pick<ServerComponents, 'database' | 'log'>) {
  /** Number of received signals, and the number that the current snapshot includes. */
  const changes = { received: 0, applied: 0 };
  let again: Timer | null = null;
  return {
    isCurrent: () => changes.received === changes.applied && database.signals.isUpToDate(),
    start(renew: () => Promise<void>): void {
      const follow = () => {
        changes.received += 1;
        const { received } = changes;
        again?.cancel();
        again = null;
        renew().then(
          () => {
            changes.applied = received;
          },
          (error: unknown) => {
            log.warn({ err: error }, 'configuration snapshot could not be refreshed; retrying');
            again ??= systemClock.after(RETRY_MS, follow);
          },
        );
      };
      database.signals.onChange(follow);
    },
  };
}
