import type { Clock } from '../../core/clock.ts';
import type { BreakerSettings } from '../../providers/configured.ts';
import {
  type Admission,
  Circuit,
  type CircuitState,
  type Forced,
  PROBE_LEASE_MS,
  type Probe,
} from './circuit.ts';
import type { ProbeLeases } from './probe-leases.ts';

/** What a breaker stands for; a gateway's target fits. */
export interface Guarded {
  readonly provider: { readonly id: string; readonly breaker: BreakerSettings };
  readonly credential: { readonly name: string };
  readonly model: string;
}

/** Names of one breaker; never rolled up to its provider. */
export interface CircuitName {
  readonly orgId: string;
  readonly provider: string;
  readonly credential: string;
  readonly model: string;
}

/** The id of a breaker in its org. */
export function breakerIdOf({ provider, model, credential }: Omit<CircuitName, 'orgId'>): string {
  return `${provider}/${model}@${credential}`;
}

/** A breaker that has something to say. */
export interface BreakerView extends CircuitName {
  readonly state: CircuitState;
  readonly because: string;
  /** Null unless it is half open. */
  readonly probe: Probe | null;
  readonly forced: Forced | null;
  /** Milliseconds until it may be worth asking. */
  readonly waitMs: number;
  readonly calls: { readonly ok: number; readonly failed: number; readonly slow: number };
}

/** A change of state, for alerts, the log and the counters. */
export interface BreakerEvent extends CircuitName {
  /** It opened for what the provider said of the credential, not for failures. */
  readonly isCredential: boolean;
  readonly state: CircuitState;
  readonly because: string;
}

/** A state an operator forces on a breaker, as stored. */
export interface ForcedCircuit extends CircuitName, Forced {}

export interface BreakersHost {
  readonly clock: Clock;
  readonly random: () => number;
  readonly leases: ProbeLeases;
  readonly onChange: (event: BreakerEvent) => void;
}

/** Most breakers remembered: model ids are the callers' to invent where an allowlist is open. */
const MOST_CIRCUITS = 10_000;

/**
 * The breakers of this process. One exists only while its target has trouble behind it: with none at all
 * (`quiet`) a request pays for nothing here.
 */
export class Breakers {
  #host: BreakersHost;
  #circuits = new Map<string, { readonly name: CircuitName; readonly circuit: Circuit }>();
  #forced: readonly ForcedCircuit[] = [];

  constructor(host: BreakersHost) {
    this.#host = host;
  }

  /** No target of this process has trouble: every one may be asked. */
  get quiet(): boolean {
    return this.#circuits.size === 0;
  }

  /** A promise when the fleet must be asked over the network who probes. */
  admit(orgId: string, target: Guarded): Admission | Promise<Admission> {
    return this.#find(orgId, target)?.admit() ?? 'go';
  }

  /** Milliseconds until the target may be worth asking; 0 when it may be now. */
  waitMs(orgId: string, target: Guarded): number {
    return this.#find(orgId, target)?.waitMs() ?? 0;
  }

  /** Milliseconds a rate limit of the target still asks to wait. */
  coolingMs(orgId: string, target: Guarded): number {
    return this.#find(orgId, target)?.coolingMs() ?? 0;
  }

  /** Whether an ordinary request would be let through now. */
  isPassable(orgId: string, target: Guarded): boolean {
    return this.#find(orgId, target)?.passable() ?? true;
  }

  /** While every candidate is set aside: whether this request may be asked here all the same. */
  takePanicSlot(orgId: string, target: Guarded): boolean {
    return this.#find(orgId, target)?.panic.take() ?? true;
  }

  releasePanicSlot(orgId: string, target: Guarded, succeeded: boolean): void {
    this.#find(orgId, target)?.panic.release(succeeded);
  }

  because(orgId: string, target: Guarded): string {
    return this.#find(orgId, target)?.because ?? '';
  }

  /** `firstTokenMs` is null for an answer that came whole. */
  succeeded(orgId: string, target: Guarded, firstTokenMs: number | null, admission: Admission): void {
    const isSlow = firstTokenMs !== null && firstTokenMs > target.provider.breaker.slowFirstTokenMs;
    if (isSlow) return this.#need(orgId, target).succeeded(firstTokenMs, admission);
    const circuit = this.#find(orgId, target);
    if (!circuit) return;
    circuit.succeeded(firstTokenMs, admission);
    if (circuit.untroubled()) this.#circuits.delete(keyOf(orgId, target));
  }

  failed(orgId: string, target: Guarded, code: string, admission: Admission): void {
    this.#need(orgId, target).failed(code, admission);
  }

  credentialRefused(orgId: string, target: Guarded, code: string): void {
    this.#need(orgId, target).credentialRefused(code);
  }

  limited(orgId: string, target: Guarded, askedMs: number | undefined): void {
    this.#need(orgId, target).limited(askedMs);
  }

  abandoned(orgId: string, target: Guarded, admission: Admission): void {
    this.#find(orgId, target)?.abandoned(admission);
  }

  /** Whether one more try of the same target fits its retry budget; counts it. */
  takeRetry(orgId: string, target: Guarded): boolean {
    return this.#need(orgId, target).takeRetry();
  }

  /** Takes over the forced states as stored; those that are no longer there end. */
  force(forced: readonly ForcedCircuit[]): void {
    for (const { orgId, provider, credential, model } of this.#forced) {
      const held = this.#circuits.get(joined(orgId, provider, credential, model));
      if (held) held.circuit.forced = null;
    }
    this.#forced = forced.filter(({ until }) => until > this.#host.clock.now());
    for (const { orgId, provider, credential, model, state, until, reason, by } of this.#forced)
      this.#make({ orgId, provider, credential, model }, NEVER_BY_ITSELF).forced = {
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
      if (circuit.stale()) {
        this.#circuits.delete(key);
        continue;
      }
      if (orgId !== undefined && name.orgId !== orgId) continue;
      const { forced } = circuit;
      views.push({
        ...name,
        ...circuit.standing(),
        forced,
        waitMs: circuit.waitMs(),
        calls: circuit.counts(),
      });
    }
    return views;
  }

  #find(orgId: string, target: Guarded): Circuit | undefined {
    return this.quiet ? undefined : this.#circuits.get(keyOf(orgId, target))?.circuit;
  }

  #need(orgId: string, { provider, credential, model }: Guarded): Circuit {
    const name = { orgId, provider: provider.id, credential: credential.name, model };
    return this.#make(name, provider.breaker);
  }

  #make(name: CircuitName, settings: BreakerSettings): Circuit {
    const key = joined(name.orgId, name.provider, name.credential, name.model);
    const known = this.#circuits.get(key)?.circuit;
    if (known) {
      if (settings !== NEVER_BY_ITSELF) known.configure(settings);
      return known;
    }
    this.#makeRoom();
    const { clock, random, leases, onChange } = this.#host;
    const circuit = new Circuit(
      {
        monotonic: () => clock.monotonic(),
        now: () => clock.now(),
        random,
        takeProbe: () => leases.take(name.orgId, key, PROBE_LEASE_MS),
        releaseProbe: () => leases.release(name.orgId, key),
        changed: (state, because, isCredential) => onChange({ ...name, state, because, isCredential }),
      },
      settings,
    );
    this.#circuits.set(key, { name, circuit });
    return circuit;
  }

  /** The oldest ones that are closed go first; when none is, the oldest. */
  #makeRoom(): void {
    if (this.#circuits.size < MOST_CIRCUITS) return;
    let room = MOST_CIRCUITS / 10;
    for (const [key, { circuit }] of this.#circuits)
      if (circuit.state === 'closed' && !circuit.forced && room-- > 0) this.#circuits.delete(key);
    const [oldest] = this.#circuits.keys();
    if (this.#circuits.size >= MOST_CIRCUITS && oldest !== undefined) this.#circuits.delete(oldest);
  }
}

/** Settings of a breaker that exists because it is forced, until its target is asked. */
const NEVER_BY_ITSELF: BreakerSettings = {
  enabled: false,
  consecutiveFailures: 5,
  errorRate: 0.5,
  slowFirstTokenMs: 60_000,
  openMs: 5_000,
};

function keyOf(orgId: string, { provider, credential, model }: Guarded): string {
  return joined(orgId, provider.id, credential.name, model);
}

/** None of the names but the model's holds a line feed, and that one is last. */
function joined(orgId: string, provider: string, credential: string, model: string): string {
  return `${orgId}\n${provider}\n${credential}\n${model}`;
}
