import { Fault } from '@floe/contract/faults';
import { type CoordinatorClient, WRITE_LOCK_TIMEOUT_MS } from '../coordinator/coordinator-client.ts';
import type { TurnScheduler } from '../fair-turn-scheduler.ts';

/**
 * Schedules the writes of a process that shares the database with others. Requests the lock of the coordinator
 * for one transaction at a time and releases it after the transaction, so that each process gets its turn.
 */
export class CoordinatedWriteScheduler implements TurnScheduler {
  readonly #coordinator: Pick<CoordinatorClient, 'lockWrites'>;
  readonly #own: TurnScheduler;
  #timeouts = 0;

  /** @param own the turns of this process */
  constructor(coordinator: Pick<CoordinatorClient, 'lockWrites'>, own: TurnScheduler) {
    this.#coordinator = coordinator;
    this.#own = own;
  }

  /** @throws Fault `overloaded` if another process has the lock for too long */
  async acquire(): Promise<() => void> {
    const timeoutsBefore = this.#timeouts;
    const endTurn = await this.#own.acquire();
    try {
      // If an earlier caller in this queue has timed out, the callers behind it fail immediately.
      const unlock = this.#timeouts === timeoutsBefore ? await this.#coordinator.lockWrites() : null;
      if (unlock !== null)
        return () => {
          unlock();
          endTurn();
        };
      if (this.#timeouts === timeoutsBefore) this.#timeouts += 1;
      throw new Fault(
        'overloaded',
        `Another process of this server has been writing to the database for ${WRITE_LOCK_TIMEOUT_MS / 1_000} s. Retry the request.`,
        { retryAfterMs: 1_000 },
      );
    } catch (error) {
      endTurn();
      throw error;
    }
  }
}
