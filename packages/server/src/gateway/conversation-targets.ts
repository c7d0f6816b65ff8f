import type { Clock } from '../core/clock.ts';
import { FairLruMap } from '../core/fair-lru-map.ts';

/** How long a provider caches a prompt. After that time, there is no reason to prefer the same target. */
const AFFINITY_MS = 300_000;
const MAX_CONVERSATIONS = 50_000;

/** Stores each conversation's last target in this process. */
export class ConversationTargets {
  #clock: Clock;
  #entries = new FairLruMap<{ readonly target: string; readonly until: number }>(MAX_CONVERSATIONS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  find(orgId: string, name: string): string | undefined {
    const stay = this.#entries.get(orgId, name);
    if (!stay) return undefined;
    if (stay.until > this.#clock.monotonic()) return stay.target;
    this.#entries.delete(orgId, name);
    return undefined;
  }

  /** Records that the target responded. The conversation prefers it for five more minutes. */
  set(orgId: string, name: string, target: string): void {
    this.#entries.set(orgId, name, { target, until: this.#clock.monotonic() + AFFINITY_MS });
  }

  /** Records that the target failed. The conversation then prefers no target. */
  remove(orgId: string, name: string, target: string): void {
    if (this.find(orgId, name) === target) this.#entries.delete(orgId, name);
  }
}
