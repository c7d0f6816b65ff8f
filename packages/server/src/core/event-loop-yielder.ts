import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Maximum duration of one turn. It is shorter than the time that a request may wait for other work (10 ms),
 * so that one more step fits in.
 */
const TURN_MS = 4;
/** A request needs several iterations of the event loop. With one per turn, it would wait for as many turns. */
const ITERATIONS_BETWEEN_TURNS = 6;

/** Divides long work into short turns, between which the event loop can serve requests. */
export class EventLoopYielder {
  #startedAt = performance.now();

  /**
   * Ends a step of the work. If the turn has taken 4 ms, waits until the event loop has done other work. Call
   * it after each step.
   */
  async endStep(): Promise<void> {
    if (performance.now() - this.#startedAt < TURN_MS) return;
    for (let left = ITERATIONS_BETWEEN_TURNS; left > 0; left--) await nextTurn();
    this.#startedAt = performance.now();
  }
}
