import type { Socket } from 'node:net';
import type { Clock, Timer } from '../core/clock.ts';
import { isInNetworks, parseIpAddress, parseNetworks, toClientNetwork } from '../core/network.ts';

/** The limits on open connections without authentication. */
export interface UnauthenticatedConnectionLimits {
  readonly total: number;
  readonly perAddress: number;
  /** Connections from these networks carry many clients and are not counted. */
  readonly trustedProxies: readonly string[];
}

/** Time to authenticate before a new connection counts. */
const GRACE_MS = 1_000;
/** Connections within that time are limited, too, to bound memory. */
const BURST_FACTOR = 4;

interface TrackedConnection {
  readonly socket: Socket;
  /** The client address, or the network of an IPv6 address. */
  readonly network: string;
  readonly since: number;
}

/** The entry of each socket, for all listeners. */
const trackedConnections = new WeakMap<
  object,
  { readonly entry: TrackedConnection; readonly owner: UnauthenticatedConnectionLimiter }
>();

/** Marks a connection as authenticated, so that the limits no longer apply to it. */
export function markConnectionAuthenticated(socket: object): void {
  const found = trackedConnections.get(socket);
  if (found) found.owner.untrack(found.entry);
}

/** Limits the number of unauthenticated connections. If there are too many, closes the oldest ones. */
export class UnauthenticatedConnectionLimiter {
  readonly #caps: UnauthenticatedConnectionLimits;
  readonly #clock: Clock;
  readonly #isExempt: (address: string) => boolean;
  /** The oldest first. */
  readonly #all = new Set<TrackedConnection>();
  readonly #byNetwork = new Map<string, Set<TrackedConnection>>();
  #sweeping: Timer | null = null;

  constructor(caps: UnauthenticatedConnectionLimits, clock: Clock) {
    this.#caps = caps;
    this.#clock = clock;
    const proxies = parseNetworks(caps.trustedProxies);
    this.#isExempt = (text) => {
      const address = proxies.length === 0 ? null : parseIpAddress(text);
      return address !== null && isInNetworks(address, proxies);
    };
  }

  get size(): number {
    return this.#all.size;
  }

  /** Counts a connection until it closes or authenticates. */
  track(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    if (this.#isExempt(address)) return;
    const network = toClientNetwork(address);
    const entry: TrackedConnection = { socket, network, since: this.#clock.monotonic() };
    trackedConnections.set(socket, { entry, owner: this });
    this.#all.add(entry);
    const same = this.#byNetwork.get(network) ?? new Set<TrackedConnection>();
    this.#byNetwork.set(network, same.add(entry));
    socket.once('close', () => this.untrack(entry));
    const { total, perAddress } = this.#caps;
    if (this.#all.size > BURST_FACTOR * total) this.#closeOldest(this.#all);
    else if (this.#all.size > total || same.size > perAddress) this.#sweepSoon();
  }

  untrack(entry: TrackedConnection): void {
    if (!this.#all.delete(entry)) return;
    trackedConnections.delete(entry.socket);
    const same = this.#byNetwork.get(entry.network);
    same?.delete(entry);
    if (same?.size === 0) this.#byNetwork.delete(entry.network);
  }

  #sweepSoon(): void {
    this.#sweeping ??= this.#clock.after(GRACE_MS, () => {
      this.#sweeping = null;
      this.#sweep();
    });
  }

  #sweep(): void {
    const { total, perAddress } = this.#caps;
    let isOver = this.#closeDown(this.#all, total);
    for (const same of [...this.#byNetwork.values()])
      if (same.size > perAddress) isOver = this.#closeDown(same, perAddress) || isOver;
    if (isOver) this.#sweepSoon();
  }

  /**
   * Closes connections down to `most`. True if there are still more, because the others are too new to close.
   */
  #closeDown(entries: Set<TrackedConnection>, most: number): boolean {
    const before = this.#clock.monotonic() - GRACE_MS;
    while (entries.size > most) {
      const [oldest] = entries;
      if (!oldest || oldest.since > before) return true;
      this.#close(oldest);
    }
    return false;
  }

  #closeOldest(entries: Set<TrackedConnection>): void {
    const [oldest] = entries;
    if (oldest) this.#close(oldest);
  }

  #close(entry: TrackedConnection): void {
    this.untrack(entry);
    entry.socket.destroy();
  }
}
