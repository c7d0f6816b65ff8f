import type { Clock } from '../../core/clock.ts';
import type { BreakerSettings } from '../../providers/configured-provider.ts';
import type { StoredForcedBreakerState } from '../../store/forced-breakers.ts';
import {
  type BreakerAdmission,
  type BreakerState,
  CircuitBreaker,
  PROBE_LEASE_MS,
  type ProbeState,
} from './circuit-breaker.ts';
import type { ForcedBreakerState } from './forced-breaker-state.ts';
import type { ProbeLeases } from './probe-leases.ts';

/** Identifies the target that a breaker belongs to. Gateway targets have this shape. */
export interface BreakerTarget {
  readonly provider: { readonly id: string; readonly breaker: BreakerSettings };
  readonly credential: { readonly name: string };
  readonly model: string;
}

/**
 * Identifies one breaker. Each combination of provider, model and credential has its own breaker,
 * so failures are never combined per provider.
 */
export interface BreakerKey {
  readonly orgId: string;
  readonly provider: string;
  readonly credential: string;
  readonly model: string;
}

/** Returns the id of a breaker within its organization, such as `openai/gpt-5@default`. */
export function formatBreakerId({ provider, model, credential }: Omit<BreakerKey, 'orgId'>): string {
  return `${provider}/${model}@${credential}`;
}

/** A breaker and its current state. */
export interface BreakerView extends BreakerKey {
  readonly state: BreakerState;
  readonly reason: string;
  /** Null unless the breaker is half open. */
  readonly probe: ProbeState | null;
  readonly forced: ForcedBreakerState | null;
  /** Milliseconds until the target may be tried again. */
  readonly waitMs: number;
  /** Milliseconds until the target could be tried again without the forced state. */
  readonly unforcedWaitMs: number;
  readonly calls: { readonly ok: number; readonly failed: number; readonly slow: number };
}

/** A breaker's state change, for alerts, logs and metrics. */
export interface BreakerStateChange extends BreakerKey {
  /**
   * Whether the breaker opened because the provider rejected the credential, rather than because of failures.
   */
  readonly isCredential: boolean;
  readonly state: BreakerState;
  readonly reason: string;
}

/** The dependencies of `Breakers`. */
export interface BreakersDependencies {
  readonly clock: Clock;
  readonly random: () => number;
  readonly leases: ProbeLeases;
  readonly onChange: (event: BreakerStateChange) => void;
}

/** Maximum number of breakers in memory. Callers can invent model ids if an allowlist is open. */
const MAX_CIRCUITS = 10_000;

/**
 * Manages the breakers of this process. A breaker exists only while its target has recent failures,
 * so requests have no extra cost if all targets are healthy.
 */
export class Breakers {
  #options: BreakersDependencies;
  #circuits = new Map<string, { readonly name: BreakerKey; readonly circuit: CircuitBreaker }>();
  #forced: readonly StoredForcedBreakerState[] = [];

  constructor(host: BreakersDependencies) {
    this.#options = host;
  }

  /** Whether no target has recent failures. All targets may then be tried. */
  get isEmpty(): boolean {
    return this.#circuits.size === 0;
  }

  /**
   * Decides whether a request may use the target. Returns a promise if the probe lease requires a network
   * call.
   */
  admit(orgId: string, target: BreakerTarget): BreakerAdmission | Promise<BreakerAdmission> {
    return this.#find(orgId, target)?.admit() ?? 'go';
  }

  /** Returns the milliseconds until the target may be tried again; 0 if it may be tried now. */
  waitMs(orgId: string, target: BreakerTarget): number {
    return this.#find(orgId, target)?.waitMs() ?? 0;
  }

  /** Returns the remaining milliseconds of the target's rate limit. */
  cooldownMs(orgId: string, target: BreakerTarget): number {
    return this.#find(orgId, target)?.cooldownMs() ?? 0;
  }

  /** Returns whether an ordinary request would be admitted now. */
  allowsTraffic(orgId: string, target: BreakerTarget): boolean {
    return this.#find(orgId, target)?.allowsTraffic() ?? true;
  }

  /**
   * Acquires a slot for a request to an unavailable target. Used only if all candidates are unavailable.
   * Returns false if there is no free slot.
   */
  acquirePanicSlot(orgId: string, target: BreakerTarget): boolean {
    return this.#find(orgId, target)?.panicSlots.acquire() ?? true;
  }

  releasePanicSlot(orgId: string, target: BreakerTarget, succeeded: boolean): void {
    this.#find(orgId, target)?.panicSlots.release(succeeded);
  }

  openReason(orgId: string, target: BreakerTarget): string {
    return this.#find(orgId, target)?.reason ?? '';
  }

  /** `firstTokenMs` is null if the response was not streamed. */
  recordSuccess(
    orgId: string,
    target: BreakerTarget,
    firstTokenMs: number | null,
    admission: BreakerAdmission,
  ): void {
    const isSlow = firstTokenMs !== null && firstTokenMs > target.provider.breaker.slowFirstTokenMs;
    if (isSlow) return this.#findOrCreate(orgId, target).recordSuccess(firstTokenMs, admission);
    const circuit = this.#find(orgId, target);
    if (!circuit) return;
    circuit.recordSuccess(firstTokenMs, admission);
    if (circuit.isPristine()) this.#circuits.delete(targetBreakerKey(orgId, target));
  }

  recordFailure(orgId: string, target: BreakerTarget, code: string, admission: BreakerAdmission): void {
    this.#findOrCreate(orgId, target).recordFailure(code, admission);
  }

  recordCredentialFailure(orgId: string, target: BreakerTarget, code: string): void {
    this.#findOrCreate(orgId, target).recordCredentialFailure(code);
  }

  recordRateLimit(orgId: string, target: BreakerTarget, askedMs: number | undefined): void {
    this.#findOrCreate(orgId, target).recordRateLimit(askedMs);
  }

  recordAbandoned(orgId: string, target: BreakerTarget, admission: BreakerAdmission): void {
    this.#find(orgId, target)?.recordAbandoned(admission);
  }

  /** Counts a retry and returns true, if the retry budget of the target permits it. */
  acquireRetry(orgId: string, target: BreakerTarget): boolean {
    return this.#findOrCreate(orgId, target).acquireRetry();
  }

  /** Replaces all forced states with the stored ones. */
  setForcedStates(forced: readonly StoredForcedBreakerState[]): void {
    for (const { orgId, provider, credential, model } of this.#forced) {
      const held = this.#circuits.get(joinKey(orgId, provider, credential, model));
      if (held) held.circuit.forced = null;
    }
    this.#forced = forced.filter(({ until }) => until > this.#options.clock.now());
    for (const { orgId, provider, credential, model, state, until, reason, by } of this.#forced)
      this.#getOrCreate({ orgId, provider, credential, model }, DISABLED_SETTINGS).forced = {
        state,
        until,
        reason,
        by,
      };
  }

  /**
   * Returns the existing breakers of one organization, or of all organizations. Removes breakers whose targets
   * have not been used for a long time.
   */
  list(orgId?: string): readonly BreakerView[] {
    const views: BreakerView[] = [];
    for (const [key, { name, circuit }] of this.#circuits) {
      if (circuit.isStale()) {
        this.#circuits.delete(key);
        continue;
      }
      if (orgId !== undefined && name.orgId !== orgId) continue;
      const { forced } = circuit;
      views.push({
        ...name,
        ...circuit.status(),
        forced,
        waitMs: circuit.waitMs(),
        unforcedWaitMs: circuit.unforcedWaitMs(),
        calls: circuit.counts(),
      });
    }
    return views;
  }

  #find(orgId: string, target: BreakerTarget): CircuitBreaker | undefined {
    return this.isEmpty ? undefined : this.#circuits.get(targetBreakerKey(orgId, target))?.circuit;
  }

  #findOrCreate(orgId: string, { provider, credential, model }: BreakerTarget): CircuitBreaker {
    const name = { orgId, provider: provider.id, credential: credential.name, model };
    return this.#getOrCreate(name, provider.breaker);
  }

  #getOrCreate(name: BreakerKey, settings: BreakerSettings): CircuitBreaker {
    const key = joinKey(name.orgId, name.provider, name.credential, name.model);
    const known = this.#circuits.get(key)?.circuit;
    if (known) {
      if (settings !== DISABLED_SETTINGS) known.configure(settings);
      return known;
    }
    this.#evict();
    const { clock, random, leases, onChange } = this.#options;
    const circuit = new CircuitBreaker(
      {
        monotonic: () => clock.monotonic(),
        now: () => clock.now(),
        random,
        acquireProbe: () => leases.acquire(name.orgId, key, PROBE_LEASE_MS),
        releaseProbe: () => leases.release(name.orgId, key),
        onChange: (state, reason, isCredential) => onChange({ ...name, state, reason, isCredential }),
      },
      settings,
    );
    this.#circuits.set(key, { name, circuit });
    return circuit;
  }

  /**
   * Removes the oldest closed breakers of the organization with the most breakers, or its oldest ones if none is closed.
   * Never removes a forced state. Removes several, because the selection takes a millisecond.
   */
  #evict(): void {
    if (this.#circuits.size < MAX_CIRCUITS) return;
    const unforced = [...this.#circuits].filter(([, { circuit }]) => !circuit.forced);
    const byOrg = Map.groupBy(unforced, ([, { name }]) => name.orgId);
    const [removable = []] = [...byOrg.values()].sort((one, other) => other.length - one.length);
    const closed = removable.filter(([, { circuit }]) => circuit.state === 'closed');
    const removed =
      closed.length > 0 ? closed.slice(0, MAX_CIRCUITS / 10) : removable.slice(0, MAX_CIRCUITS / 100);
    for (const [key] of removed) this.#circuits.delete(key);
  }
}

/** Settings of a breaker that exists only because it was forced. Used until its target receives a request. */
const DISABLED_SETTINGS: BreakerSettings = {
  enabled: false,
  consecutiveFailures: 5,
  errorRate: 0.5,
  slowFirstTokenMs: 60_000,
  openMs: 5_000,
};

function targetBreakerKey(orgId: string, { provider, credential, model }: BreakerTarget): string {
  return joinKey(orgId, provider.id, credential.name, model);
}

/** Only the model name can contain a line feed, so it is last. */
function joinKey(orgId: string, provider: string, credential: string, model: string): string {
  return `${orgId}\n${provider}\n${credential}\n${model}`;
}
