import type { Clock } from '../core/clock.ts';

/** How long a provider caches a prompt. After that time, there is no reason to prefer the same target. */
const AFFINITY_MS = 300_000;
const MAX_CONVERSATIONS = 50_000;

/**
 * Stores each conversation's last target in this process. When it is full, it removes the least recently used
 * entries.
 */
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

  /** Records that the target responded. The conversation prefers it for five more minutes. */
  set(name: string, target: string): void {
    this.#entries.delete(name);
    this.#entries.set(name, { target, until: this.#clock.monotonic() + AFFINITY_MS });
    if (this.#entries.size <= MAX_CONVERSATIONS) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Records that the target failed. The conversation then prefers no target. */
  remove(name: string, target: string): void {
    if (this.#entries.get(name)?.target === target) this.#entries.delete(name);
  }
}
