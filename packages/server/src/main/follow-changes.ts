import { systemClock, type Timer } from '../core/clock.ts';
import type { ServerComponents } from './server-components.ts';

/** After a store that went away in the middle of it; a revoked key waits for this. */
const RETRY_MS = 500;

/**
 * Follows changes of other processes. While the store is away the snapshot stays in use, and is renewed when it is
 * back; until then it is not current.
 */
export function followSnapshotChanges({ database, log }: Pick<ServerComponents, 'database' | 'log'>) {
  /** Changes that were told, and how many of them the snapshot in use holds. */
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
