import type { Clock } from '../core/clock.ts';

/** How long a provider keeps a prompt warm; a conversation that rested longer has nothing to lose. */
const STAY_MS = 300_000;
const MOST_CONVERSATIONS = 50_000;

/** Which target each conversation of this process was answered by last. Bounded; the least used go first. */
export class Conversations {
  #clock: Clock;
  #stays = new Map<string, { readonly target: string; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  targetOf(name: string): string | undefined {
    const stay = this.#stays.get(name);
    if (!stay) return undefined;
    if (stay.until > this.#clock.monotonic()) return stay.target;
    this.#stays.delete(name);
    return undefined;
  }

  /** The target answered: the conversation stays for five minutes more. */
  keep(name: string, target: string): void {
    this.#stays.delete(name);
    this.#stays.set(name, { target, until: this.#clock.monotonic() + STAY_MS });
    if (this.#stays.size <= MOST_CONVERSATIONS) return;
    const [oldest] = this.#stays.keys();
    if (oldest !== undefined) this.#stays.delete(oldest);
  }

  /** The target failed: the conversation is free. */
  leave(name: string, target: string): void {
    if (this.#stays.get(name)?.target === target) this.#stays.delete(name);
  }
}
