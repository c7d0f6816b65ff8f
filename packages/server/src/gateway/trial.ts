import { Fault } from '@floe/contract/faults';
import type { Admission } from '../guardrails/breakers/circuit.ts';
import { idOf, nameOf } from './arrange.ts';
import { attempt } from './attempt.ts';
import { reportFailure } from './breaker-report.ts';
import { withCaller } from './caller-credential.ts';
import type { Course, Target } from './catalog.ts';
import { ClientGone, pauseUnlessGone } from './client.ts';
import type { Exchange } from './exchange-record.ts';
import type { Plan } from './plan.ts';
import {
  isCredentialBound,
  isIneligible,
  PATIENCE_MS,
  remedyFor,
  tellingFailure,
  waitBeforeRetry,
} from './retry.ts';

/** Makes the plan for one attempt, or throws the `Fault` that makes the target ineligible. */
export type Planner = (target: Target, moved: boolean) => Plan;

interface Failure {
  readonly target: Target;
  readonly error: unknown;
}

/** A target that fails at once is not the quickest. */
const FAILED_AS_SLOW_AS_MS = 10_000;
/** Herds that waited for the same moment are spread over this. */
const SPREAD_MS = 100;

/** The attempts of one exchange: what was tried, what was set aside, and what may still be tried. */
export class Trial {
  #x: Exchange;
  #course: Course;
  #plan: Planner;
  #orgId: string;
  #failures: Failure[] = [];
  /** Targets whose breaker did not let the request through. */
  #setAside: Target[] = [];
  #isFinal = false;
  /** Why the stream broke off that the client is reading. */
  #brokeBy: unknown = null;

  constructor(x: Exchange, course: Course, plan: Planner) {
    this.#x = x;
    this.#course = course;
    this.#plan = plan;
    this.#orgId = x.key?.orgId ?? '';
  }

  /** True when the client has its answer from this target. */
  async offer(target: Target, isLast: boolean): Promise<boolean> {
    if (this.#isFinal || !this.#isWorthAsking(target)) return false;
    const { breakers } = this.#x.gateway;
    const admission = breakers.quiet ? 'go' : await this.#admit(target);
    if (admission !== 'go' && admission !== 'probe') {
      this.#setAside.push(target);
      this.#note('breaker', 'skipped', `${nameOf(target)}: ${this.#whyNot(target, admission)}`);
      return false;
    }
    if (admission === 'probe') this.#note('breaker', 'probe', `${nameOf(target)}: asked whether it is back`);
    if (await this.#try(target, admission, this.#course.retries, isLast)) return true;
    if (!isLast && !this.#isFinal) this.#note('send', 'moved_on', this.#lastReason());
    return false;
  }

  /** Panic: nobody else is left, so those whose breaker is open are asked after all, once each. */
  async lastResort(): Promise<boolean> {
    const { breakers, clock, random } = this.#x.gateway;
    const waitOf = (target: Target) => breakers.waitMs(this.#orgId, target);
    for (const target of this.#setAside.sort((a, b) => waitOf(a) - waitOf(b))) {
      const admission = await this.#admit(target);
      if (this.#isFinal || admission === 'forced_open' || !this.#isWorthAsking(target)) continue;
      const cooling = breakers.coolingMs(this.#orgId, target);
      const wait = cooling > 0 ? cooling + random() * SPREAD_MS : 0;
      if (cooling > PATIENCE_MS || clock.monotonic() + wait >= this.#totalAt(target)) {
        this.#failures.push({ target, error: stillLimited(target, cooling) });
        continue;
      }
      const waited = wait > 0 ? `; waited ${Math.round(wait)} ms` : '';
      this.#note('breaker', 'panic', `${nameOf(target)}: no other target is left${waited}`);
      if (wait > 0) await pauseUnlessGone(this.#x.client, clock, wait);
      if (await this.#try(target, admission, 0, true)) return true;
    }
    return false;
  }

  /** Why the client gets no answer. */
  failure(): unknown {
    if (this.#brokeBy !== null) return this.#brokeBy;
    const telling = tellingFailure(this.#failures.map(({ error }) => error));
    if (telling !== undefined) return telling;
    return new Fault(
      'no_healthy_target',
      'Every target of this request is forced open by an operator; the row of this request names them.',
    );
  }

  async #try(target: Target, admitted: Admission, retries: number, isLast: boolean): Promise<boolean> {
    const { clock } = this.#x.gateway;
    let admission = admitted;
    for (let tries = 0; ; tries += 1) {
      const error = await this.#once(target, admission);
      if (error === null) return true;
      const wait = tries < retries ? this.#waitBefore(target, error, tries, isLast) : null;
      if (wait === null) return this.#gaveUp(target, error);
      this.#note('send', 'retry', `${reasonOf(target, error)}; waited ${Math.round(wait)} ms`);
      await pauseUnlessGone(this.#x.client, clock, wait);
      admission = await this.#admit(target);
      if (admission === 'go' || admission === 'probe') continue;
      this.#note('breaker', 'no_retry', `${nameOf(target)}: ${this.#whyNot(target, admission)}`);
      return this.#gaveUp(target, error);
    }
  }

  /** @throws Error that interrupts the exchange, for whoever leaves while the fleet is asked who probes is not listened to. */
  async #admit(target: Target): Promise<Admission> {
    const { breakers } = this.#x.gateway;
    const admission = await breakers.admit(this.#orgId, target);
    const { client } = this.#x;
    if (!client.isInterrupted) return admission;
    breakers.abandoned(this.#orgId, target, admission);
    throw client.interruption;
  }

  #gaveUp(target: Target, error: unknown): false {
    this.#failures.push({ target, error });
    this.#isFinal = remedyFor(error) === 'none' && !isIneligible(error);
    return false;
  }

  /** Null when it succeeded. @throws what ends the exchange whatever else could be tried. */
  async #once(target: Target, admission: Admission): Promise<unknown> {
    const x = this.#x;
    const { breakers } = x.gateway;
    try {
      const [first] = this.#course.targets;
      const asked = target.provider.usesCaller ? withCaller(x, target) : target;
      const plan = this.#plan(asked, first !== undefined && target.credential !== first.credential);
      const back = admission === 'probe' ? this.#returned(target) : null;
      await attempt(x, asked, plan, this.#totalAt(target), back);
      this.#succeeded(target, admission);
      return null;
    } catch (error) {
      reportFailure(breakers, this.#orgId, target, error, admission);
      // A client that leaves, or asks for what nobody does, says nothing of the target.
      if (remedyFor(error) !== 'none') this.#failed(target);
      if (error instanceof ClientGone || x.client.gone) throw error;
      if (!x.told) return error;
      this.#brokeBy ??= error;
      if (x.replay?.diverged) throw error;
      if (!x.replay?.out.started || remedyFor(error) === 'none') throw this.#brokeBy;
      return error;
    }
  }

  /** A probe has its answer with the first content: the breaker need not wait for the end. */
  #returned(target: Target): () => void {
    return () => this.#x.gateway.breakers.succeeded(this.#orgId, target, null, 'probe');
  }

  #failed(target: Target): void {
    const { gateway, ask, conversation } = this.#x;
    if (conversation !== null) gateway.conversations.leave(conversation, idOf(target));
    if (this.#course.strategy !== 'least_latency') return;
    gateway.latencies.note(this.#orgId, nameOf(target), ask?.stream ?? false, FAILED_AS_SLOW_AS_MS);
  }

  #succeeded(target: Target, admission: Admission): void {
    const { gateway, ask, conversation, attempts } = this.#x;
    const last = attempts.at(-1);
    gateway.breakers.succeeded(this.#orgId, target, last?.first_token_ms ?? null, admission);
    if (conversation !== null) gateway.conversations.keep(conversation, idOf(target));
    if (this.#course.strategy !== 'least_latency') return;
    const ms = last?.first_token_ms ?? last?.duration_ms ?? 0;
    gateway.latencies.note(this.#orgId, nameOf(target), ask?.stream ?? false, ms);
  }

  /** Milliseconds after which the target may be tried again; null when it may not. */
  #waitBefore(target: Target, error: unknown, tries: number, isLast: boolean): number | null {
    if (remedyFor(error) !== 'same_target') return null;
    // A rate limit is waited out only when nobody else could answer meanwhile.
    if (!isLast && error instanceof Fault && error.code === 'upstream_rate_limited') return null;
    const { breakers, clock, random } = this.#x.gateway;
    const jittered = waitBeforeRetry(error, tries, random);
    if (jittered === null) return null;
    const wait = Math.max(jittered, breakers.coolingMs(this.#orgId, target));
    if (wait > PATIENCE_MS || breakers.waitMs(this.#orgId, target) > wait) return null;
    if (clock.monotonic() + wait >= this.#totalAt(target)) return null;
    if (breakers.takeRetry(this.#orgId, target)) return wait;
    this.#note('send', 'no_retry', `${nameOf(target)}: its retry budget of these 30 seconds is used up`);
    return null;
  }

  /** After a failure of the same provider and model, another credential helps only where that one was to blame. */
  #isWorthAsking(target: Target): boolean {
    for (const { target: tried, error } of this.#failures) {
      const sameModel = tried.model === target.model;
      const remedy = remedyFor(error);
      const isUseless =
        remedy === 'other_model'
          ? sameModel
          : sameModel && tried.provider === target.provider && !isCredentialBound(error);
      if (!isUseless) continue;
      const why = remedy === 'other_model' ? 'the same model' : 'the same model at the same provider';
      this.#note('send', 'skipped', `${nameOf(target)} (${target.credential.name}): ${why} failed before`);
      return false;
    }
    return true;
  }

  #whyNot(target: Target, admission: Admission): string {
    const { breakers } = this.#x.gateway;
    const { name } = target.credential;
    const seconds = Math.ceil(breakers.waitMs(this.#orgId, target) / 1000);
    switch (admission) {
      case 'cooling':
        return `credential "${name}" is rate limited for ${seconds} s more`;
      case 'forced_open':
        return `an operator forced the breaker of credential "${name}" open`;
      case 'probing':
        return 'its breaker is half open, and another request is the probe';
      case 'ramping':
        return 'its breaker lets traffic back little by little';
      default:
        return `its breaker is open for ${seconds} s more (${breakers.because(this.#orgId, target)})`;
    }
  }

  #totalAt(target: Target): number {
    const { startedAt, controls } = this.#x;
    return startedAt + Math.min(target.timeouts.totalMs, controls?.timeoutMs ?? Number.POSITIVE_INFINITY);
  }

  #lastReason(): string {
    const last = this.#failures.at(-1);
    return last ? reasonOf(last.target, last.error) : '';
  }

  #note(step: 'send' | 'breaker', outcome: string, because: string): void {
    this.#x.decisions.push({ step, outcome, because });
  }
}

function reasonOf(target: Target, error: unknown): string {
  return `${nameOf(target)}: ${error instanceof Error ? error.message : String(error)}`;
}

function stillLimited({ provider }: Target, coolingMs: number): Fault {
  return new Fault(
    'upstream_rate_limited',
    `${provider.id} asked for a pause after a rate limit, which is not over yet.`,
    { retryAfterMs: coolingMs },
  );
}
