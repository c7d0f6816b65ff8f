import { systemClock, type Timer } from '../core/clock.ts';
import type { Parts } from './parts.ts';

/** After a store that went away in the middle of it; a revoked key waits for this. */
const RETRY_MS = 500;

/**
 * Follows changes of other processes. While the store is away the snapshot stays in use, and is renewed when it is
 * back; until then it is not current.
 */
export function followChanges({ database, log }: Pick<Parts, 'database' | 'log'>) {
  /** Changes that were told, and how many of them the snapshot in use holds. */
  const changes = { told: 0, held: 0 };
  let again: Timer | null = null;
  return {
    isCurrent: () => changes.told === changes.held && database.signals.upToDate(),
    renewBy(renew: () => Promise<void>): void {
      const follow = () => {
        changes.told += 1;
        const { told } = changes;
        again?.cancel();
        again = null;
        renew().then(
          () => {
            changes.held = told;
          },
          (error: unknown) => {
            log.warn({ err: error }, 'the snapshot could not be renewed; it is tried again');
            again ??= systemClock.after(RETRY_MS, follow);
          },
        );
      };
      database.signals.onChange(follow);
    },
  };
}
