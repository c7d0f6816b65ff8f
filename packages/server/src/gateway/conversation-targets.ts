import type { Clock } from '../core/clock.ts';

/** How long a provider keeps a prompt warm; a conversation that rested longer has nothing to lose. */
const AFFINITY_MS = 300_000;
const MAX_CONVERSATIONS = 50_000;

/** Which target each conversation of this process was answered by last. Bounded; the least used go first. */
export class ConversationTargets {
  #clock: Clock;
  #entries = new Map<string, { readonly target: string; readonly until: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(name: string): string | undefined {
    const stay = this.#entries.get(name);
    if (!stay) return undefined;
    if (stay.until > this.#clock.monotonic()) return stay.target;
    this.#entries.delete(name);
    return undefined;
  }

  /** The target answered: the conversation stays for five minutes more. */
  set(name: string, target: string): void {
    this.#entries.delete(name);
    this.#entries.set(name, { target, until: this.#clock.monotonic() + AFFINITY_MS });
    if (this.#entries.size <= MAX_CONVERSATIONS) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** The target failed: the conversation is free. */
  remove(name: string, target: string): void {
    if (this.#entries.get(name)?.target === target) this.#entries.delete(name);
  }
}
