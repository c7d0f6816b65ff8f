import type { Fault } from '@floe/contract/faults';
import type { Clock, Timer } from '../core/clock.ts';
import type { KeyRecord, Keyring } from '../platform/keyring.ts';
import type { ClientConnection } from './client.ts';

/** What is needed of an exchange under way to end it. */
export interface OpenExchange {
  readonly client: Pick<ClientConnection, 'interrupt'>;
  /** Who was admitted. */
  readonly caller: { readonly key: KeyRecord };
}

/** Longer than this a timer of Node cannot run. */
const MAX_TIMER_MS = 24 * 60 * 60_000;

/**
 * Exchanges under way. Each was admitted with a key that was good then; when the keys change, or the first of these keys
 * expires, those whose key is refused now are ended with what a new request would be told. An exchange costs one entry here
 * and is looked at only at these moments.
 */
export class OpenExchanges {
  readonly #clock: Clock;
  readonly #keyring: () => Pick<Keyring, 'currentFault'>;
  readonly #open = new Set<OpenExchange>();
  #timer: Timer | null = null;
  /** When the timer rings, as the key that it was set for says it; wall-clock milliseconds. */
  #armedFor = Number.POSITIVE_INFINITY;

  /** @param keyring of the snapshot in use */
  constructor(clock: Clock, keyring: () => Pick<Keyring, 'currentFault'>) {
    this.#clock = clock;
    this.#keyring = keyring;
  }

  get size(): number {
    return this.#open.size;
  }

  add(x: OpenExchange): void {
    this.#open.add(x);
    const expiresAt = x.caller.key.expiresAt;
    if (expiresAt !== null && expiresAt < this.#armedFor) this.#arm(expiresAt);
  }

  /** The exchange has ended. */
  delete(x: OpenExchange): void {
    this.#open.delete(x);
  }

  /** Ends those whose key is not good any more. Belongs behind every change of the keys. */
  interruptRefused(): void {
    const keyring = this.#keyring();
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const x of this.#open) {
      const { key } = x.caller;
      const refusal = keyring.currentFault(key, now);
      if (refusal !== null) x.client.interrupt(refusal);
      else if (key.expiresAt !== null) next = Math.min(next, key.expiresAt);
    }
    this.#arm(next);
  }

  /** Ends all of them with `fault`: an error, or the error event of their dialect after content. */
  interruptAll(fault: Fault): void {
    for (const x of this.#open) x.client.interrupt(fault);
  }

  #arm(expiresAt: number): void {
    this.#timer?.cancel();
    this.#timer = null;
    this.#armedFor = expiresAt;
    if (expiresAt === Number.POSITIVE_INFINITY) return;
    const ms = Math.min(MAX_TIMER_MS, Math.max(0, expiresAt - this.#clock.now()));
    this.#timer = this.#clock.after(ms, () => this.interruptRefused());
  }
}
