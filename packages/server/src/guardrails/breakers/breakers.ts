import type { Clock } from '../../core/clock.ts';
import type { BreakerSettings } from '../../providers/configured-provider.ts';
import {
  type BreakerAdmission,
  Circuit,
  type CircuitState,
  type ForcedState,
  PROBE_LEASE_MS,
  type ProbeState,
} from './circuit.ts';
import type { ProbeLeases } from './probe-leases.ts';

/** What a breaker stands for; a gateway's target fits. */
export interface BreakerTarget {
  readonly provider: { readonly id: string; readonly breaker: BreakerSettings };
  readonly credential: { readonly name: string };
  readonly model: string;
}

/** Names of one breaker; never rolled up to its provider. */
export interface BreakerKey {
  readonly orgId: string;
  readonly provider: string;
  readonly credential: string;
  readonly model: string;
}

/** The id of a breaker in its org. */
export function formatBreakerId({ provider, model, credential }: Omit<BreakerKey, 'orgId'>): string {
  return `${provider}/${model}@${credential}`;
}

/** A breaker that has something to say. */
export interface BreakerView extends BreakerKey {
  readonly state: CircuitState;
  readonly because: string;
  /** Null unless it is half open. */
  readonly probe: ProbeState | null;
  readonly forced: ForcedState | null;
  /** Milliseconds until it may be worth asking. */
  readonly waitMs: number;
  /** The same without regard to the forced state. */
  readonly unforcedWaitMs: number;
  readonly calls: { readonly ok: number; readonly failed: number; readonly slow: number };
}

/** A change of state, for alerts, the log and the counters. */
export interface BreakerEvent extends BreakerKey {
  /** It opened for what the provider said of the credential, not for failures. */
  readonly isCredential: boolean;
  readonly state: CircuitState;
  readonly because: string;
}

/** A state an operator forces on a breaker, as stored. */
export interface ForcedBreakerState extends BreakerKey, ForcedState {}

export interface BreakersOptions {
  readonly clock: Clock;
  readonly random: () => number;
  readonly leases: ProbeLeases;
  readonly onChange: (event: BreakerEvent) => void;
}

/** Most breakers remembered: model ids are the callers' to invent where an allowlist is open. */
const MAX_CIRCUITS = 10_000;

/**
 * The breakers of this process. One exists only while its target has trouble behind it: with none at all
 * (`quiet`) a request pays for nothing here.
 */
export class Breakers {
  #options: BreakersOptions;
  #circuits = new Map<string, { readonly name: BreakerKey; readonly circuit: Circuit }>();
  #forced: readonly ForcedBreakerState[] = [];

  constructor(host: BreakersOptions) {
    this.#options = host;
  }

  /** No target of this process has trouble: every one may be asked. */
  get isEmpty(): boolean {
    return this.#circuits.size === 0;
  }

  /** A promise when the fleet must be asked over the network who probes. */
  admit(orgId: string, target: BreakerTarget): BreakerAdmission | Promise<BreakerAdmission> {
    return this.#find(orgId, target)?.admit() ?? 'go';
  }

  /** Milliseconds until the target may be worth asking; 0 when it may be now. */
  waitMs(orgId: string, target: BreakerTarget): number {
    return this.#find(orgId, target)?.waitMs() ?? 0;
  }

  /** Milliseconds a rate limit of the target still asks to wait. */
  cooldownMs(orgId: string, target: BreakerTarget): number {
    return this.#find(orgId, target)?.cooldownMs() ?? 0;
  }

  /** Whether an ordinary request would be let through now. */
  allowsTraffic(orgId: string, target: BreakerTarget): boolean {
    return this.#find(orgId, target)?.allowsTraffic() ?? true;
  }

  /** While every candidate is set aside: whether this request may be asked here all the same. */
  acquirePanicSlot(orgId: string, target: BreakerTarget): boolean {
    return this.#find(orgId, target)?.panicSlots.acquire() ?? true;
  }

  releasePanicSlot(orgId: string, target: BreakerTarget, succeeded: boolean): void {
    this.#find(orgId, target)?.panicSlots.release(succeeded);
  }

  openReason(orgId: string, target: BreakerTarget): string {
    return this.#find(orgId, target)?.because ?? '';
  }

  /** `firstTokenMs` is null for an answer that came whole. */
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

  /** Whether one more try of the same target fits its retry budget; counts it. */
  acquireRetry(orgId: string, target: BreakerTarget): boolean {
    return this.#findOrCreate(orgId, target).acquireRetry();
  }

  /** Takes over the forced states as stored; those that are no longer there end. */
  setForcedStates(forced: readonly ForcedBreakerState[]): void {
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

  /** Breakers of an org, or of all, that are not simply closed. Those nobody asks for any more are forgotten. */
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

  #find(orgId: string, target: BreakerTarget): Circuit | undefined {
    return this.isEmpty ? undefined : this.#circuits.get(targetBreakerKey(orgId, target))?.circuit;
  }

  #findOrCreate(orgId: string, { provider, credential, model }: BreakerTarget): Circuit {
    const name = { orgId, provider: provider.id, credential: credential.name, model };
    return this.#getOrCreate(name, provider.breaker);
  }

  #getOrCreate(name: BreakerKey, settings: BreakerSettings): Circuit {
    const key = joinKey(name.orgId, name.provider, name.credential, name.model);
    const known = this.#circuits.get(key)?.circuit;
    if (known) {
      if (settings !== DISABLED_SETTINGS) known.configure(settings);
      return known;
    }
    this.#evict();
    const { clock, random, leases, onChange } = this.#options;
    const circuit = new Circuit(
      {
        monotonic: () => clock.monotonic(),
        now: () => clock.now(),
        random,
        acquireProbe: () => leases.acquire(name.orgId, key, PROBE_LEASE_MS),
        releaseProbe: () => leases.release(name.orgId, key),
        onChange: (state, because, isCredential) => onChange({ ...name, state, because, isCredential }),
      },
      settings,
    );
    this.#circuits.set(key, { name, circuit });
    return circuit;
  }

  /** The oldest ones that are closed go first; when none is, the oldest. */
  #evict(): void {
    if (this.#circuits.size < MAX_CIRCUITS) return;
    let room = MAX_CIRCUITS / 10;
    for (const [key, { circuit }] of this.#circuits)
      if (circuit.state === 'closed' && !circuit.forced && room-- > 0) this.#circuits.delete(key);
    const [oldest] = this.#circuits.keys();
    if (this.#circuits.size >= MAX_CIRCUITS && oldest !== undefined) this.#circuits.delete(oldest);
  }
}

/** Settings of a breaker that exists because it is forced, until its target is asked. */
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

/** None of the names but the model's holds a line feed, and that one is last. */
function joinKey(orgId: string, provider: string, credential: string, model: string): string {
  return `${orgId}\n${provider}\n${credential}\n${model}`;
}
