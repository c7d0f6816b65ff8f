import { setImmediate as nextTurn } from 'node:timers/promises';

/** Shorter than the time that a request may wait for other work (10 ms), with room for one more step. */
const TURN_MS = 4;

/** Divides long work into turns, so that the event loop serves requests in between. */
export class EventLoopTurns {
  #startedAt = performance.now();

  /** Call it after each step of the work. Waits for other work if the turn has taken 4 ms. */
  async endStep(): Promise<void> {
    if (performance.now() - this.#startedAt < TURN_MS) return;
    await nextTurn();
    this.#startedAt = performance.now();
  }
}
