import type { BreakerSettings } from '../../providers/configured-provider.ts';
import type { ForcedState } from './circuit-state.ts';
import { PanicSlots } from './panic-slots.ts';
import { RollingCounts } from './rolling-counts.ts';

export type CircuitState = 'closed' | 'open' | 'half_open' | 'ramping';
/** What a request may do: go, go as the one probe, or why not. */
export type BreakerAdmission = 'go' | 'probe' | 'cooling' | 'open' | 'probing' | 'ramping' | 'forced_open';

/** Of a half-open breaker: its one probe is on its way, or the next request will be it. */
export type ProbeState = 'in_flight' | 'next_request';

/** Time and chance, and the fleet's word on who probes. */
export interface CircuitOptions {
  monotonic(): number;
  now(): number;
  random(): number;
  acquireProbe(): boolean | Promise<boolean>;
  releaseProbe(): void;
  onChange(state: CircuitState, because: string, isCredential: boolean): void;
}

const TROUBLE_COUNTERS = ['failed', 'slow', 'retried'] as const;
const MIN_CALLS = 10;
const SLOW_SHARE = 0.8;
/** A target that is back must be found within 30 s, whatever its history (with a fifth of jitter on top). */
const MAX_OPEN_MS = 20_000;
const BACKOFF_RESET_MS = 600_000;
const STALE_MS = 900_000;
const FIRST_COOLDOWN_MS = 1_000;
const MAX_BACKOFF_COOLDOWN_MS = 60_000;
const MAX_REQUESTED_COOLDOWN_MS = 300_000;
const RAMP_MS = 10_000;
const RAMP_INITIAL_SHARE = 0.1;
const RAMP_FAILURES = 2;
/** Retries are at most a fifth of the calls, and one a second where there are few. */
const RETRY_SHARE = 0.2;
const RETRY_FLOOR = 30;
/** A probe that takes longer than this does not keep others from probing. */
export const PROBE_LEASE_MS = 30_000;
/** After another process was found probing, nobody waits for the answer to the same question for so long. */
const PROBE_RECHECK_MS = 250;

/**
 * The breaker of one provider + credential + model. Closed it counts; open it waits; half open one probe of the
 * whole fleet goes; then traffic returns by a growing share. A rate limit is a cooldown beside all that.
 */
export class Circuit {
  state: CircuitState = 'closed';
  because = '';
  forced: ForcedState | null = null;
  readonly panicSlots = new PanicSlots();
  #options: CircuitOptions;
  #settings: BreakerSettings;
  #counts = new RollingCounts();
  #consecutiveFailures = 0;
  #consecutiveRateLimits = 0;
  #consecutiveOpens = 0;
  #openUntil = 0;
  #closedAt = Number.NEGATIVE_INFINITY;
  #cooldownUntil = 0;
  #rampedAt = 0;
  #isCredential = false;
  /** When a request last had to do with it. */
  #usedAt: number;
  #isAskingForProbe = false;
  #recheckProbeAt = 0;
  #probeUntil = 0;

  constructor(host: CircuitOptions, settings: BreakerSettings) {
    this.#options = host;
    this.#usedAt = host.monotonic();
    this.#settings = settings;
  }

  /** Settings of the current configuration; a reload changes them under a running circuit. */
  configure(settings: BreakerSettings): void {
    this.#settings = settings;
  }

  /** A promise for the one request that asks the fleet whether it may be the probe. */
  admit(): BreakerAdmission | Promise<BreakerAdmission> {
    const forced = this.#currentForcedState();
    const now = this.#options.monotonic();
    this.#usedAt = now;
    if (forced) return forced.state === 'open' ? 'forced_open' : 'go';
    if (now < this.#cooldownUntil) return 'cooling';
    if (this.state === 'closed') return 'go';
    if (this.state === 'ramping') return this.#admitRamping(now);
    if (now < this.#openUntil) return 'open';
    return this.#admitProbe(now);
  }

  /** What people see: a breaker whose wait is over is half open, though no request has come to find that out. */
  status(): { readonly state: CircuitState; readonly because: string; readonly probe: ProbeState | null } {
    const { state, because } = this;
    const now = this.#options.monotonic();
    const isDue = state === 'open' && now >= this.#openUntil;
    if (isDue || (state === 'half_open' && now >= this.#probeUntil))
      return { state: 'half_open', because, probe: 'next_request' };
    return { state, because, probe: state === 'half_open' ? 'in_flight' : null };
  }

  /** An ordinary request would be let through now. */
  allowsTraffic(): boolean {
    const forced = this.#currentForcedState();
    if (forced) return forced.state === 'closed';
    return this.state !== 'open' && this.state !== 'half_open' && this.cooldownMs() === 0;
  }

  /** Milliseconds until this target may be worth asking; 0 when it may be now. */
  waitMs(): number {
    const forced = this.#currentForcedState();
    return forced?.state === 'open' ? forced.until - this.#options.now() : this.unforcedWaitMs();
  }

  /** The same without regard to a forced state. */
  unforcedWaitMs(): number {
    const now = this.#options.monotonic();
    const opens = this.state === 'open' ? this.#openUntil : 0;
    return Math.max(0, opens - now, this.#cooldownUntil - now);
  }

  /** Milliseconds a rate limit still asks to wait. */
  cooldownMs(): number {
    return Math.max(0, this.#cooldownUntil - this.#options.monotonic());
  }

  /**
   * An answer came, its first token after `firstTokenMs`; null when it came whole. One that was admitted before
   * the breaker opened says nothing of now.
   */
  recordSuccess(firstTokenMs: number | null, admission: BreakerAdmission): void {
    const now = this.#options.monotonic();
    this.#consecutiveFailures = 0;
    this.#consecutiveRateLimits = 0;
    this.#counts.add('ok', now);
    if (this.state === 'open' || this.state === 'half_open')
      return admission === 'go' ? undefined : this.#ramp(now);
    if (firstTokenMs === null || firstTokenMs <= this.#settings.slowFirstTokenMs) return;
    this.#counts.add('slow', now);
    const calls = this.#counts.calls(now);
    if (calls >= MIN_CALLS && this.#counts.sum('slow', now) >= SLOW_SHARE * calls)
      this.#open(now, 'too many responses had a slow first token');
  }

  /** It failed in a way that speaks of the target: unreachable, broken off, 5xx, silent. */
  recordFailure(code: string, admission: BreakerAdmission): void {
    const now = this.#options.monotonic();
    this.#consecutiveFailures += 1;
    this.#counts.add('failed', now);
    if (this.state === 'half_open' && admission === 'probe')
      return this.#open(now, `the probe failed: ${code}`);
    if (this.state === 'ramping' && this.#consecutiveFailures >= RAMP_FAILURES)
      return this.#open(now, `${code} while traffic was increasing again`);
    if (this.state !== 'closed') return;
    const calls = this.#counts.calls(now);
    const failed = this.#counts.sum('failed', now);
    if (this.#consecutiveFailures >= this.#settings.consecutiveFailures)
      this.#open(now, `${this.#consecutiveFailures} consecutive failures, the last one ${code}`);
    else if (calls >= MIN_CALLS && failed >= this.#settings.errorRate * calls)
      this.#open(now, `${failed} of ${calls} calls failed in 30 s, the last one ${code}`);
  }

  /** The credential is refused or has nothing left: certain at once, no counting. */
  recordCredentialFailure(code: string): void {
    const now = this.#options.monotonic();
    this.#counts.add('failed', now);
    if (this.state === 'open') return;
    this.#isCredential = true;
    this.#open(now, `the credential failed: ${code}`);
  }

  /** A 429: no failure. Nobody asks before `askedMs`, else before a random wait that grows. */
  recordRateLimit(askedMs: number | undefined): void {
    if (!this.#settings.enabled) return;
    const now = this.#options.monotonic();
    const ceiling = Math.min(MAX_BACKOFF_COOLDOWN_MS, FIRST_COOLDOWN_MS * 2 ** this.#consecutiveRateLimits);
    this.#consecutiveRateLimits = Math.min(this.#consecutiveRateLimits + 1, 10);
    const wait = askedMs ?? this.#options.random() * ceiling;
    // A shorter wait said later never shortens a longer one.
    this.#cooldownUntil = Math.max(this.#cooldownUntil, now + Math.min(wait, MAX_REQUESTED_COOLDOWN_MS));
    if (this.state === 'half_open') this.#ramp(now);
  }

  /** The attempt ended without saying anything about the target. */
  recordAbandoned(admission: BreakerAdmission): void {
    if (admission !== 'probe' || this.state !== 'half_open') return;
    this.#options.releaseProbe();
    this.state = 'open';
    this.#openUntil = this.#options.monotonic();
  }

  /** Whether a retry fits the budget; counts it when it does. */
  acquireRetry(): boolean {
    const now = this.#options.monotonic();
    const most = Math.max(RETRY_FLOOR, RETRY_SHARE * this.#counts.calls(now));
    if (this.#counts.sum('retried', now) >= most) return false;
    this.#counts.add('retried', now);
    return true;
  }

  /** Nobody has asked for its target for so long that what it remembers is worth nothing. */
  isStale(): boolean {
    return !this.#currentForcedState() && this.#options.monotonic() - this.#usedAt > STALE_MS;
  }

  /** Nothing to remember: as good as a circuit that was never made. */
  isPristine(): boolean {
    const now = this.#options.monotonic();
    if (this.state !== 'closed' || this.#currentForcedState() || now < this.#cooldownUntil) return false;
    if (this.#consecutiveOpens > 0 && now - this.#closedAt <= BACKOFF_RESET_MS) return false;
    return TROUBLE_COUNTERS.every((kind) => this.#counts.sum(kind, now) === 0);
  }

  counts(): { readonly ok: number; readonly failed: number; readonly slow: number } {
    const now = this.#options.monotonic();
    const sum = (kind: 'ok' | 'failed' | 'slow') => this.#counts.sum(kind, now);
    return { ok: sum('ok'), failed: sum('failed'), slow: sum('slow') };
  }

  #admitRamping(now: number): BreakerAdmission {
    const share = RAMP_INITIAL_SHARE + ((1 - RAMP_INITIAL_SHARE) * (now - this.#rampedAt)) / RAMP_MS;
    if (share >= 1) this.#close(now);
    return share >= 1 || this.#options.random() < share ? 'go' : 'ramping';
  }

  #admitProbe(now: number): BreakerAdmission | Promise<BreakerAdmission> {
    if (this.state === 'half_open' && now < this.#probeUntil) return 'probing';
    if (this.#isAskingForProbe || now < this.#recheckProbeAt) return 'probing';
    const taken = this.#options.acquireProbe();
    if (taken === true) return this.#startProbe(now);
    return taken === false ? 'probing' : this.#awaitProbe(taken);
  }

  async #awaitProbe(taken: Promise<boolean>): Promise<BreakerAdmission> {
    this.#isAskingForProbe = true;
    // A store that is away leaves each process to its own probe: asking once too often beats never.
    const isOurs = await taken.catch(() => true);
    this.#isAskingForProbe = false;
    const now = this.#options.monotonic();
    if (!isOurs) {
      this.#recheckProbeAt = now + PROBE_RECHECK_MS;
      return 'probing';
    }
    if (this.state === 'open' || this.state === 'half_open') return this.#startProbe(now);
    // Meanwhile it answered a request under panic: that was its probe.
    this.#options.releaseProbe();
    return this.admit();
  }

  #startProbe(now: number): BreakerAdmission {
    this.#probeUntil = now + PROBE_LEASE_MS;
    if (this.state !== 'half_open') this.#setState('half_open', 'sending a probe request');
    return 'probe';
  }

  #ramp(now: number): void {
    this.#options.releaseProbe();
    this.#rampedAt = now;
    this.#counts.clear();
    this.#consecutiveFailures = 0;
    this.#setState('ramping', 'the probe succeeded');
  }

  #close(now: number): void {
    this.#closedAt = now;
    this.#setState('closed', '');
    this.#isCredential = false;
  }

  #open(now: number, because: string): void {
    if (!this.#settings.enabled) return;
    if (now - this.#closedAt > BACKOFF_RESET_MS && this.state === 'closed') this.#consecutiveOpens = 0;
    const span = Math.min(MAX_OPEN_MS, this.#settings.openMs * 2 ** this.#consecutiveOpens);
    this.#consecutiveOpens = Math.min(this.#consecutiveOpens + 1, 10);
    if (this.state === 'half_open') this.#options.releaseProbe();
    this.#openUntil = now + span * (0.8 + 0.4 * this.#options.random());
    this.#setState('open', because);
  }

  #setState(state: CircuitState, because: string): void {
    this.state = state;
    this.because = because;
    this.#options.onChange(state, because, this.#isCredential);
  }

  #currentForcedState(): ForcedState | null {
    if (this.forced && this.#options.now() >= this.forced.until) this.forced = null;
    return this.forced;
  }
}
