import type { BreakerSettings } from '../../providers/configured-provider.ts';
import type { ForcedBreakerState } from './forced-breaker-state.ts';
import { PanicModeConcurrencyLimiter } from './panic-mode-concurrency-limiter.ts';
import { RollingCallCounts } from './rolling-call-counts.ts';

/** The state of a breaker (see the glossary). */
export type BreakerState = 'closed' | 'open' | 'half_open' | 'ramping';
/** Whether to send the request (`go`), to send it as the probe (`probe`), or why not to send it (all other values). */
export type BreakerAdmission = 'go' | 'probe' | 'cooling' | 'open' | 'probing' | 'ramping' | 'forced_open';

/**
 * The state of a half-open breaker's probe: already sent and in progress, or still to be sent with the next request.
 */
export type ProbeState = 'in_flight' | 'next_request';

/** The time source, randomness and probe leases that a `CircuitBreaker` uses, and its listener. */
export interface CircuitBreakerDependencies {
  monotonic(): number;
  now(): number;
  random(): number;
  acquireProbe(): boolean | Promise<boolean>;
  releaseProbe(): void;
  onChange(state: BreakerState, reason: string, isCredential: boolean): void;
}

const TROUBLE_COUNTERS = ['failed', 'slow', 'retried'] as const;
const MIN_CALLS = 10;
const SLOW_SHARE = 0.8;
/** Limits the wait, so that a recovered target is detected within 30 s, including 20 % jitter. */
const MAX_OPEN_MS = 20_000;
const BACKOFF_RESET_MS = 600_000;
const STALE_MS = 900_000;
const FIRST_COOLDOWN_MS = 1_000;
const MAX_BACKOFF_COOLDOWN_MS = 60_000;
const MAX_REQUESTED_COOLDOWN_MS = 300_000;
const RAMP_MS = 10_000;
const RAMP_INITIAL_SHARE = 0.1;
const RAMP_FAILURES = 2;
/** Retries are limited to a fifth of the calls, with a minimum of one per second. */
const RETRY_SHARE = 0.2;
const RETRY_FLOOR = 30;
/** After this many milliseconds, another process may send a probe even if this process's probe has not ended. */
export const PROBE_LEASE_MS = 30_000;
/** Wait before the next try after another process acquired the probe lease. */
const PROBE_RECHECK_MS = 250;

/**
 * The breaker for one provider, model and credential. While closed, it counts failures. While open, it rejects
 * requests until the waiting time ends. While half open, it sends one probe across all processes. After a successful
 * probe, it admits a growing share of requests. A rate limit causes a separate cooldown.
 */
export class CircuitBreaker {
  state: BreakerState = 'closed';
  reason = '';
  forced: ForcedBreakerState | null = null;
  readonly panicSlots = new PanicModeConcurrencyLimiter();
  #options: CircuitBreakerDependencies;
  #settings: BreakerSettings;
  #counts = new RollingCallCounts();
  #consecutiveFailures = 0;
  #consecutiveRateLimits = 0;
  #consecutiveOpens = 0;
  #openUntil = 0;
  #closedAt = Number.NEGATIVE_INFINITY;
  #cooldownUntil = 0;
  #rampedAt = 0;
  #isCredential = false;
  /** Time of the last request to the target. */
  #usedAt: number;
  #isAskingForProbe = false;
  #recheckProbeAt = 0;
  #probeUntil = 0;

  constructor(host: CircuitBreakerDependencies, settings: BreakerSettings) {
    this.#options = host;
    this.#usedAt = host.monotonic();
    this.#settings = settings;
  }

  /** Applies the settings of a new configuration. */
  configure(settings: BreakerSettings): void {
    this.#settings = settings;
  }

  /** Decides whether a request may use the target. Returns a promise if the probe lease needs a network call. */
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

  /**
   * Returns the state for display. A breaker whose wait is over is half open, even before the next request.
   */
  status(): { readonly state: BreakerState; readonly reason: string; readonly probe: ProbeState | null } {
    const { state, reason } = this;
    const now = this.#options.monotonic();
    const isDue = state === 'open' && now >= this.#openUntil;
    if (isDue || (state === 'half_open' && now >= this.#probeUntil))
      return { state: 'half_open', reason, probe: 'next_request' };
    return { state, reason, probe: state === 'half_open' ? 'in_flight' : null };
  }

  /** Returns whether an ordinary request would be admitted now. */
  allowsTraffic(): boolean {
    const forced = this.#currentForcedState();
    if (forced) return forced.state === 'closed';
    return this.state !== 'open' && this.state !== 'half_open' && this.cooldownMs() === 0;
  }

  /** Returns the milliseconds until the target may be tried again; 0 if it may be tried now. */
  waitMs(): number {
    const forced = this.#currentForcedState();
    return forced?.state === 'open' ? forced.until - this.#options.now() : this.unforcedWaitMs();
  }

  /** Returns the milliseconds until the target could be tried again without a forced state. */
  unforcedWaitMs(): number {
    const now = this.#options.monotonic();
    const opens = this.state === 'open' ? this.#openUntil : 0;
    return Math.max(0, opens - now, this.#cooldownUntil - now);
  }

  /** Returns the remaining milliseconds of a rate limit. */
  cooldownMs(): number {
    return Math.max(0, this.#cooldownUntil - this.#options.monotonic());
  }

  /**
   * Records a response with its time to first token, null if not streamed. A response to a request that was
   * admitted before the breaker opened does not change the state.
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
      this.#open(now, 'the time to first token was too long in too many responses');
  }

  /** Records a failure of the target: unreachable, broken connection, 5xx or timeout. */
  recordFailure(code: string, admission: BreakerAdmission): void {
    const now = this.#options.monotonic();
    this.#consecutiveFailures += 1;
    this.#counts.add('failed', now);
    if (this.state === 'half_open' && admission === 'probe')
      return this.#open(now, `the probe failed: ${code}`);
    if (this.state === 'ramping' && this.#consecutiveFailures >= RAMP_FAILURES)
      return this.#open(now, `${RAMP_FAILURES} consecutive failures while ramping up (last error: ${code})`);
    if (this.state !== 'closed') return;
    const calls = this.#counts.calls(now);
    const failed = this.#counts.sum('failed', now);
    if (this.#consecutiveFailures >= this.#settings.consecutiveFailures)
      this.#open(now, `${this.#consecutiveFailures} consecutive failures (last error: ${code})`);
    else if (calls >= MIN_CALLS && failed >= this.#settings.errorRate * calls)
      this.#open(now, `${failed} of ${calls} calls failed in 30 s (last error: ${code})`);
  }

  /** Records that the credential was rejected or has no credit left. Opens the breaker immediately. */
  recordCredentialFailure(code: string): void {
    const now = this.#options.monotonic();
    this.#counts.add('failed', now);
    if (this.state === 'open') return;
    this.#isCredential = true;
    this.#open(now, `the credential was rejected, or its account has no quota or credit left: ${code}`);
  }

  /** Records a 429, which is not a failure. Starts a cooldown of `askedMs`, or of a random, increasing time. */
  recordRateLimit(askedMs: number | undefined): void {
    if (!this.#settings.enabled) return;
    const now = this.#options.monotonic();
    const ceiling = Math.min(MAX_BACKOFF_COOLDOWN_MS, FIRST_COOLDOWN_MS * 2 ** this.#consecutiveRateLimits);
    this.#consecutiveRateLimits = Math.min(this.#consecutiveRateLimits + 1, 10);
    const wait = askedMs ?? this.#options.random() * ceiling;
    // A later, shorter wait does not shorten the current one.
    this.#cooldownUntil = Math.max(this.#cooldownUntil, now + Math.min(wait, MAX_REQUESTED_COOLDOWN_MS));
    if (this.state === 'half_open') this.#ramp(now);
  }

  /** Records an attempt whose result says nothing about the target. */
  recordAbandoned(admission: BreakerAdmission): void {
    if (admission !== 'probe' || this.state !== 'half_open') return;
    this.#options.releaseProbe();
    this.state = 'open';
    this.#openUntil = this.#options.monotonic();
  }

  /** Counts a retry and returns true, if the retry budget permits it. */
  acquireRetry(): boolean {
    const now = this.#options.monotonic();
    const most = Math.max(RETRY_FLOOR, RETRY_SHARE * this.#counts.calls(now));
    if (this.#counts.sum('retried', now) >= most) return false;
    this.#counts.add('retried', now);
    return true;
  }

  /** Returns whether the target was unused for so long that its state is irrelevant. */
  isStale(): boolean {
    return !this.#currentForcedState() && this.#options.monotonic() - this.#usedAt > STALE_MS;
  }

  /** Returns whether the state equals that of a new circuit. */
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
    // Without the shared store each process probes; an additional probe is better than none.
    const isOurs = await taken.catch(() => true);
    this.#isAskingForProbe = false;
    const now = this.#options.monotonic();
    if (!isOurs) {
      this.#recheckProbeAt = now + PROBE_RECHECK_MS;
      return 'probing';
    }
    if (this.state === 'open' || this.state === 'half_open') return this.#startProbe(now);
    // A panic request succeeded in the meantime, so no probe is needed.
    this.#options.releaseProbe();
    return this.admit();
  }

  #startProbe(now: number): BreakerAdmission {
    this.#probeUntil = now + PROBE_LEASE_MS;
    if (this.state !== 'half_open') this.#setState('half_open', 'a request was admitted as the probe');
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

  #open(now: number, reason: string): void {
    if (!this.#settings.enabled) return;
    if (now - this.#closedAt > BACKOFF_RESET_MS && this.state === 'closed') this.#consecutiveOpens = 0;
    const span = Math.min(MAX_OPEN_MS, this.#settings.openMs * 2 ** this.#consecutiveOpens);
    this.#consecutiveOpens = Math.min(this.#consecutiveOpens + 1, 10);
    if (this.state === 'half_open') this.#options.releaseProbe();
    this.#openUntil = now + span * (0.8 + 0.4 * this.#options.random());
    this.#setState('open', reason);
  }

  #setState(state: BreakerState, reason: string): void {
    this.state = state;
    this.reason = reason;
    this.#options.onChange(state, reason, this.#isCredential);
  }

  #currentForcedState(): ForcedBreakerState | null {
    if (this.forced && this.#options.now() >= this.forced.until) this.forced = null;
    return this.forced;
  }
}
