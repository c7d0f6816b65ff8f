import type { Fault } from '@floe/contract/faults';
import type { Clock, Timer } from '../core/clock.ts';
import { OpenAddressingMap } from '../core/open-addressing-map.ts';
import type { KeyRecord, Keyring } from '../platform/keyring.ts';
import type { ClientCall } from './client-call.ts';

/** The fields of an exchange in progress that are needed to interrupt it. */
export interface OpenExchange {
  readonly id: string;
  readonly client: Pick<ClientCall, 'interrupt'>;
  /** The authenticated caller. */
  readonly caller: { readonly key: KeyRecord };
}

/** Maximum duration of a timer in Node. */
const MAX_TIMER_MS = 24 * 60 * 60_000;

/**
 * Tracks the exchanges in progress. When keys change, or when the earliest key expires, it interrupts each
 * exchange whose key is no longer valid. The client receives the error that a new request with this key would
 * receive. It does not check keys at any other time.
 */
export class OpenExchanges {
  readonly #clock: Clock;
  readonly #keyring: () => Pick<Keyring, 'currentFault'>;
  readonly #open = new OpenAddressingMap<OpenExchange>();
  #timer: Timer | null = null;
  /** When the timer fires: the expiry time of a key in Unix milliseconds. */
  #armedFor = Number.POSITIVE_INFINITY;

  /** @param keyring returns the keyring of the current snapshot */
  constructor(clock: Clock, keyring: () => Pick<Keyring, 'currentFault'>) {
    this.#clock = clock;
    this.#keyring = keyring;
  }

  get size(): number {
    return this.#open.size;
  }

  add(x: OpenExchange): void {
    this.#open.set(x.id, x);
    const expiresAt = x.caller.key.expiresAt;
    if (expiresAt !== null && expiresAt < this.#armedFor) this.#arm(expiresAt);
  }

  /** Removes an exchange that has ended. */
  delete(x: OpenExchange): void {
    this.#open.delete(x.id);
  }

  /** Interrupts the exchanges whose key is no longer valid. Must be called after every change of keys. */
  interruptRefused(): void {
    const keyring = this.#keyring();
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const x of this.#list()) {
      const { key } = x.caller;
      const refusal = keyring.currentFault(key, now);
      if (refusal !== null) x.client.interrupt(refusal);
      else if (key.expiresAt !== null) next = Math.min(next, key.expiresAt);
    }
    this.#arm(next);
  }

  /**
   * Interrupts all exchanges with `fault`. Clients receive it as an error response or, after content, as an
   * error event of their dialect.
   */
  interruptAll(fault: Fault): void {
    for (const x of this.#list()) x.client.interrupt(fault);
  }

  /** A copy, because an interrupted exchange may end immediately. */
  #list(): OpenExchange[] {
    const open: OpenExchange[] = [];
    this.#open.visit((x) => void open.push(x));
    return open;
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
