import type { BreakerSettings } from '../../providers/configured.ts';
import { PanicSlots } from './panic-slots.ts';
import { RollingCounts } from './rolling-counts.ts';

export type CircuitState = 'closed' | 'open' | 'half_open' | 'ramping';
/** What a request may do: go, go as the one probe, or why not. */
export type Admission = 'go' | 'probe' | 'cooling' | 'open' | 'probing' | 'ramping' | 'forced_open';

export interface Forced {
  readonly state: 'open' | 'closed';
  /** Unix milliseconds at which the force ends by itself. */
  readonly until: number;
  readonly reason: string;
  /** Who did it. */
  readonly by: string;
}

/** Of a half-open breaker: its one probe is on its way, or the next request will be it. */
export type Probe = 'in_flight' | 'next_request';

/** Time and chance, and the fleet's word on who probes. */
export interface CircuitHost {
  monotonic(): number;
  now(): number;
  random(): number;
  takeProbe(): boolean | Promise<boolean>;
  releaseProbe(): void;
  changed(state: CircuitState, because: string, isCredential: boolean): void;
}

const TROUBLE = ['failed', 'slow', 'retried'] as const;
const MINIMUM_CALLS = 10;
const SLOW_SHARE = 0.8;
/** A target that is back must be found within 30 s, whatever its history (with a fifth of jitter on top). */
const LONGEST_OPEN_MS = 20_000;
const HEALTHY_FORGETS_MS = 600_000;
const STALE_MS = 900_000;
const FIRST_COOLDOWN_MS = 1_000;
const LONGEST_OWN_COOLDOWN_MS = 60_000;
const LONGEST_ASKED_COOLDOWN_MS = 300_000;
const RAMP_MS = 10_000;
const RAMP_FROM = 0.1;
const RAMP_FAILURES = 2;
/** Retries are at most a fifth of the calls, and one a second where there are few. */
const RETRY_SHARE = 0.2;
const RETRY_FLOOR = 30;
/** A probe that takes longer than this does not keep others from probing. */
export const PROBE_LEASE_MS = 30_000;
/** After another process was found probing, nobody waits for the answer to the same question for so long. */
const ASK_AGAIN_MS = 250;

/**
 * The breaker of one provider + credential + model. Closed it counts; open it waits; half open one probe of the
 * whole fleet goes; then traffic returns by a growing share. A rate limit is a cooldown beside all that.
 */
export class Circuit {
  state: CircuitState = 'closed';
  because = '';
  forced: Forced | null = null;
  readonly panic = new PanicSlots();
  #host: CircuitHost;
  #settings: BreakerSettings;
  #counts = new RollingCounts();
  #failuresInARow = 0;
  #limitsInARow = 0;
  #opensInARow = 0;
  #openUntil = 0;
  #closedAt = Number.NEGATIVE_INFINITY;
  #coolUntil = 0;
  #rampedAt = 0;
  #isCredential = false;
  /** When a request last had to do with it. */
  #usedAt: number;
  #asking = false;
  #askAgainAt = 0;
  #probeUntil = 0;

  constructor(host: CircuitHost, settings: BreakerSettings) {
    this.#host = host;
    this.#usedAt = host.monotonic();
    this.#settings = settings;
  }

  /** Settings of the current configuration; a reload changes them under a running circuit. */
  configure(settings: BreakerSettings): void {
    this.#settings = settings;
  }

  /** A promise for the one request that asks the fleet whether it may be the probe. */
  admit(): Admission | Promise<Admission> {
    const forced = this.#forcedNow();
    const now = this.#host.monotonic();
    this.#usedAt = now;
    if (forced) return forced.state === 'open' ? 'forced_open' : 'go';
    if (now < this.#coolUntil) return 'cooling';
    if (this.state === 'closed') return 'go';
    if (this.state === 'ramping') return this.#admitRamping(now);
    if (now < this.#openUntil) return 'open';
    return this.#admitProbe(now);
  }

  /** What people see: a breaker whose wait is over is half open, though no request has come to find that out. */
  standing(): { readonly state: CircuitState; readonly because: string; readonly probe: Probe | null } {
    const { state, because } = this;
    const now = this.#host.monotonic();
    const isDue = state === 'open' && now >= this.#openUntil;
    if (isDue || (state === 'half_open' && now >= this.#probeUntil))
      return { state: 'half_open', because, probe: 'next_request' };
    return { state, because, probe: state === 'half_open' ? 'in_flight' : null };
  }

  /** An ordinary request would be let through now. */
  passable(): boolean {
    const forced = this.#forcedNow();
    if (forced) return forced.state === 'closed';
    return this.state !== 'open' && this.state !== 'half_open' && this.coolingMs() === 0;
  }

  /** Milliseconds until this target may be worth asking; 0 when it may be now. */
  waitMs(): number {
    const forced = this.#forcedNow();
    if (forced?.state === 'open') return forced.until - this.#host.now();
    const now = this.#host.monotonic();
    const opens = this.state === 'open' ? this.#openUntil : 0;
    return Math.max(0, opens - now, this.#coolUntil - now);
  }

  /** Milliseconds a rate limit still asks to wait. */
  coolingMs(): number {
    return Math.max(0, this.#coolUntil - this.#host.monotonic());
  }

  /**
   * An answer came, its first token after `firstTokenMs`; null when it came whole. One that was admitted before
   * the breaker opened says nothing of now.
   */
  succeeded(firstTokenMs: number | null, admission: Admission): void {
    const now = this.#host.monotonic();
    this.#failuresInARow = 0;
    this.#limitsInARow = 0;
    this.#counts.add('ok', now);
    if (this.state === 'open' || this.state === 'half_open')
      return admission === 'go' ? undefined : this.#ramp(now);
    if (firstTokenMs === null || firstTokenMs <= this.#settings.slowFirstTokenMs) return;
    this.#counts.add('slow', now);
    const calls = this.#calls(now);
    if (calls >= MINIMUM_CALLS && this.#counts.sum('slow', now) >= SLOW_SHARE * calls)
      this.#open(now, 'its first tokens come too late');
  }

  /** It failed in a way that speaks of the target: unreachable, broken off, 5xx, silent. */
  failed(code: string, admission: Admission): void {
    const now = this.#host.monotonic();
    this.#failuresInARow += 1;
    this.#counts.add('failed', now);
    if (this.state === 'half_open' && admission === 'probe') return this.#open(now, `the probe: ${code}`);
    if (this.state === 'ramping' && this.#failuresInARow >= RAMP_FAILURES)
      return this.#open(now, `${code} while it came back`);
    if (this.state !== 'closed') return;
    const calls = this.#calls(now);
    const failed = this.#counts.sum('failed', now);
    if (this.#failuresInARow >= this.#settings.consecutiveFailures)
      this.#open(now, `${this.#failuresInARow} failures in a row, the last one ${code}`);
    else if (calls >= MINIMUM_CALLS && failed >= this.#settings.errorRate * calls)
      this.#open(now, `${failed} of ${calls} calls failed in 30 s, the last one ${code}`);
  }

  /** The credential is refused or has nothing left: certain at once, no counting. */
  credentialRefused(code: string): void {
    const now = this.#host.monotonic();
    this.#counts.add('failed', now);
    if (this.state === 'open') return;
    this.#isCredential = true;
    this.#open(now, `the credential: ${code}`);
  }

  /** A 429: no failure. Nobody asks before `askedMs`, else before a random wait that grows. */
  limited(askedMs: number | undefined): void {
    if (!this.#settings.enabled) return;
    const now = this.#host.monotonic();
    const ceiling = Math.min(LONGEST_OWN_COOLDOWN_MS, FIRST_COOLDOWN_MS * 2 ** this.#limitsInARow);
    this.#limitsInARow = Math.min(this.#limitsInARow + 1, 10);
    const wait = askedMs ?? this.#host.random() * ceiling;
    // A shorter wait said later never shortens a longer one.
    this.#coolUntil = Math.max(this.#coolUntil, now + Math.min(wait, LONGEST_ASKED_COOLDOWN_MS));
    if (this.state === 'half_open') this.#ramp(now);
  }

  /** The attempt ended without saying anything about the target. */
  abandoned(admission: Admission): void {
    if (admission !== 'probe' || this.state !== 'half_open') return;
    this.#host.releaseProbe();
    this.state = 'open';
    this.#openUntil = this.#host.monotonic();
  }

  /** Whether a retry fits the budget; counts it when it does. */
  takeRetry(): boolean {
    const now = this.#host.monotonic();
    const most = Math.max(RETRY_FLOOR, RETRY_SHARE * this.#calls(now));
    if (this.#counts.sum('retried', now) >= most) return false;
    this.#counts.add('retried', now);
    return true;
  }

  /** Nobody has asked for its target for so long that what it remembers is worth nothing. */
  stale(): boolean {
    return !this.#forcedNow() && this.#host.monotonic() - this.#usedAt > STALE_MS;
  }

  /** Nothing to remember: as good as a circuit that was never made. */
  untroubled(): boolean {
    const now = this.#host.monotonic();
    if (this.state !== 'closed' || this.#forcedNow() || now < this.#coolUntil) return false;
    if (this.#opensInARow > 0 && now - this.#closedAt <= HEALTHY_FORGETS_MS) return false;
    return TROUBLE.every((kind) => this.#counts.sum(kind, now) === 0);
  }

  counts(): { readonly ok: number; readonly failed: number; readonly slow: number } {
    const now = this.#host.monotonic();
    const sum = (kind: 'ok' | 'failed' | 'slow') => this.#counts.sum(kind, now);
    return { ok: sum('ok'), failed: sum('failed'), slow: sum('slow') };
  }

  #admitRamping(now: number): Admission {
    const share = RAMP_FROM + ((1 - RAMP_FROM) * (now - this.#rampedAt)) / RAMP_MS;
    if (share >= 1) this.#close(now);
    return share >= 1 || this.#host.random() < share ? 'go' : 'ramping';
  }

  #admitProbe(now: number): Admission | Promise<Admission> {
    if (this.state === 'half_open' && now < this.#probeUntil) return 'probing';
    if (this.#asking || now < this.#askAgainAt) return 'probing';
    const taken = this.#host.takeProbe();
    if (taken === true) return this.#probe(now);
    return taken === false ? 'probing' : this.#await(taken);
  }

  async #await(taken: Promise<boolean>): Promise<Admission> {
    this.#asking = true;
    // A store that is away leaves each process to its own probe: asking once too often beats never.
    const isOurs = await taken.catch(() => true);
    this.#asking = false;
    const now = this.#host.monotonic();
    if (!isOurs) {
      this.#askAgainAt = now + ASK_AGAIN_MS;
      return 'probing';
    }
    if (this.state === 'open' || this.state === 'half_open') return this.#probe(now);
    // Meanwhile it answered a request under panic: that was its probe.
    this.#host.releaseProbe();
    return this.admit();
  }

  #probe(now: number): Admission {
    this.#probeUntil = now + PROBE_LEASE_MS;
    if (this.state !== 'half_open') this.#become('half_open', 'one probe');
    return 'probe';
  }

  #ramp(now: number): void {
    this.#host.releaseProbe();
    this.#rampedAt = now;
    this.#counts.clear();
    this.#failuresInARow = 0;
    this.#become('ramping', 'it answers again');
  }

  #close(now: number): void {
    this.#closedAt = now;
    this.#become('closed', '');
    this.#isCredential = false;
  }

  #open(now: number, because: string): void {
    if (!this.#settings.enabled) return;
    if (now - this.#closedAt > HEALTHY_FORGETS_MS && this.state === 'closed') this.#opensInARow = 0;
    const span = Math.min(LONGEST_OPEN_MS, this.#settings.openMs * 2 ** this.#opensInARow);
    this.#opensInARow = Math.min(this.#opensInARow + 1, 10);
    if (this.state === 'half_open') this.#host.releaseProbe();
    this.#openUntil = now + span * (0.8 + 0.4 * this.#host.random());
    this.#become('open', because);
  }

  #become(state: CircuitState, because: string): void {
    this.state = state;
    this.because = because;
    this.#host.changed(state, because, this.#isCredential);
  }

  #calls(now: number): number {
    return this.#counts.sum('ok', now) + this.#counts.sum('failed', now);
  }

  #forcedNow(): Forced | null {
    if (this.forced && this.#host.now() >= this.forced.until) this.forced = null;
    return this.forced;
  }
}
