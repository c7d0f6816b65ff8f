import { Fault } from '@floe/contract/faults';
import type { Admission } from '../guardrails/breakers/circuit.ts';
import { idOf, nameOf } from './arrange.ts';
import { attempt, type Watch } from './attempt.ts';
import { reportFailure } from './breaker-report.ts';
import { withCaller } from './caller-credential.ts';
import type { Course, Target } from './catalog.ts';
import { ClientGone, pauseUnlessGone } from './client.ts';
import type { Exchange } from './exchange-record.ts';
import { reasonOf, waitBeforeNextTry } from './next-try.ts';
import { noHealthyTarget, whyNotAdmitted } from './no-healthy-target.ts';
import { type LaterTargets, patienceWith } from './patience.ts';
import type { Plan } from './plan.ts';
import { isCredentialBound, isIneligible, PATIENCE_MS, remedyFor, tellingFailure } from './retry.ts';

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
    this.#orgId = x.caller.key.orgId;
  }

  /** True when the client has its answer from this target. */
  async offer(target: Target, isLast: boolean): Promise<boolean> {
    if (this.#isFinal || !this.#isWorthAsking(target)) return false;
    const { breakers } = this.#x.gateway;
    const admission = breakers.quiet ? 'go' : await this.#admit(target);
    if (admission !== 'go' && admission !== 'probe') {
      this.#setAside.push(target);
      this.#note(
        'breaker',
        'skipped',
        `${nameOf(target)}: ${whyNotAdmitted(this.#x.gateway.breakers, this.#orgId, target, admission)}`,
      );
      return false;
    }
    if (admission === 'probe') this.#note('breaker', 'probe', `${nameOf(target)}: asked whether it is back`);
    if (await this.#try(target, admission, this.#course.retries, isLast)) return true;
    if (!isLast && !this.#isFinal) this.#note('send', 'moved_on', this.#lastReason());
    return false;
  }

  /**
   * Panic: every target is set aside. A bounded share is let through, one request at a time per target and twice as
   * many after each success; the rest fails at once with `no_healthy_target`.
   */
  async lastResort(): Promise<boolean> {
    const { breakers } = this.#x.gateway;
    const waitOf = (target: Target) => breakers.waitMs(this.#orgId, target);
    for (const target of this.#setAside.sort((a, b) => waitOf(a) - waitOf(b))) {
      const admission = await this.#admit(target);
      if (this.#isFinal || admission === 'forced_open' || !this.#isWorthAsking(target)) continue;
      if (admission === 'go' || admission === 'probe' || admission === 'cooling') {
        if (await this.#offerLate(target, admission)) return true;
      } else if (breakers.takePanicSlot(this.#orgId, target)) {
        this.#note('breaker', 'panic', `${nameOf(target)}: no other target is left`);
        let succeeded = false;
        try {
          succeeded = await this.#try(target, admission, 0, true);
        } finally {
          breakers.releasePanicSlot(this.#orgId, target, succeeded);
        }
        if (succeeded) return true;
      }
    }
    return false;
  }

  /** A target that may be asked by now, or once its rate limit is over. */
  async #offerLate(target: Target, admission: Admission): Promise<boolean> {
    const { breakers, clock, random } = this.#x.gateway;
    const cooling = breakers.coolingMs(this.#orgId, target);
    const wait = cooling > 0 ? cooling + random() * SPREAD_MS : 0;
    if (cooling > PATIENCE_MS || clock.monotonic() + wait >= this.#totalAt(target)) {
      this.#failures.push({ target, error: stillLimited(target, cooling) });
      return false;
    }
    const waited = wait > 0 ? `; waited ${Math.round(wait)} ms` : '';
    this.#note('breaker', 'late', `${nameOf(target)}: no other target is left${waited}`);
    if (wait > 0) await pauseUnlessGone(this.#x.client, clock, wait);
    return this.#try(target, admission, 0, true);
  }

  /** Why the client gets no answer. */
  failure(): unknown {
    if (this.#brokeBy !== null) return this.#brokeBy;
    const telling = tellingFailure(this.#failures.map(({ error }) => error));
    return telling ?? noHealthyTarget(this.#x, this.#orgId, this.#setAside);
  }

  async #try(target: Target, admitted: Admission, retries: number, isLast: boolean): Promise<boolean> {
    const { clock } = this.#x.gateway;
    const isWarm = this.#isWarm(target);
    let admission = admitted;
    for (let count = 0; ; count += 1) {
      const error = await this.#once(target, admission);
      if (error === null) return true;
      const wait = waitBeforeNextTry(this.#x, target, error, {
        count,
        most: retries,
        isLast,
        isWarm,
        totalAt: this.#totalAt(target),
      });
      if (wait === null) return this.#gaveUp(target, error);
      this.#note('send', 'retry', `${reasonOf(target, error)}; waited ${Math.round(wait)} ms`);
      await pauseUnlessGone(this.#x.client, clock, wait);
      admission = await this.#admit(target);
      if (admission === 'go' || admission === 'probe') continue;
      this.#note(
        'breaker',
        'no_retry',
        `${nameOf(target)}: ${whyNotAdmitted(this.#x.gateway.breakers, this.#orgId, target, admission)}`,
      );
      return this.#gaveUp(target, error);
    }
  }

  #isWarm(target: Target): boolean {
    const { gateway } = this.#x;
    const { conversation } = this.#course;
    return conversation !== null && gateway.conversations.targetOf(conversation) === idOf(target);
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
    try {
      const [first] = this.#course.targets;
      const asked = target.provider.usesCaller ? withCaller(x, target) : target;
      const plan = this.#plan(asked, first !== undefined && target.credential !== first.credential);
      await attempt(x, asked, plan, this.#watch(target, admission));
      this.#succeeded(target, admission);
      return null;
    } catch (error) {
      reportFailure(x, target, error, admission);
      // A client that leaves, or asks for what nobody does, says nothing of the target.
      if (remedyFor(error) !== 'none') this.#failed(target);
      if (error instanceof ClientGone || x.client.gone) throw error;
      const { isBroken, replay } = x.progress;
      if (!isBroken) return error;
      this.#brokeBy ??= error;
      if (replay?.diverged) throw error;
      if (!replay?.out.started || remedyFor(error) === 'none') throw this.#brokeBy;
      return error;
    }
  }

  #watch(target: Target, admission: Admission): Watch {
    const totalAt = this.#totalAt(target);
    const isTimed = this.#isStream && this.#course.targets.length > 1;
    if (admission !== 'probe' && !isTimed) return { totalAt, onContent: null, patience: null };
    const { breakers, firstTokens } = this.#x.gateway;
    const onContent = (afterMs: number) => {
      // A probe has its answer with the first content: the breaker need not wait for the end.
      if (admission === 'probe') breakers.succeeded(this.#orgId, target, null, 'probe');
      if (isTimed) firstTokens.note(this.#orgId, nameOf(target), afterMs);
    };
    return {
      totalAt,
      onContent,
      patience: isTimed ? patienceWith(this.#x, target, this.#later(target)) : null,
    };
  }

  /** Those behind it in the course, and whether they could answer instead; asked when its deadline has passed. */
  #later(target: Target): LaterTargets {
    const { targets } = this.#course;
    return {
      targets: targets.slice(targets.indexOf(target) + 1),
      couldAnswer: (other) => this.#couldAnswer(other),
    };
  }

  #couldAnswer(other: Target): boolean {
    if (!this.#x.gateway.breakers.isPassable(this.#orgId, other) || this.#useless(other) !== null)
      return false;
    try {
      this.#plan(other.provider.usesCaller ? withCaller(this.#x, other) : other, true);
      return true;
    } catch {
      // Its dialect cannot carry the request; a bug here shows when it is sent.
      return false;
    }
  }

  #failed(target: Target): void {
    const { gateway } = this.#x;
    const { conversation } = this.#course;
    if (conversation !== null) gateway.conversations.leave(conversation, idOf(target));
    if (this.#course.strategy !== 'least_latency') return;
    gateway.latencies.note(this.#orgId, nameOf(target), this.#isStream, FAILED_AS_SLOW_AS_MS);
  }

  #succeeded(target: Target, admission: Admission): void {
    const { gateway, attempts } = this.#x;
    const { conversation } = this.#course;
    const last = attempts.at(-1);
    gateway.breakers.succeeded(this.#orgId, target, last?.first_token_ms ?? null, admission);
    if (conversation !== null) gateway.conversations.keep(conversation, idOf(target));
    if (this.#course.strategy !== 'least_latency') return;
    const ms = last?.first_token_ms ?? last?.duration_ms ?? 0;
    gateway.latencies.note(this.#orgId, nameOf(target), this.#isStream, ms);
  }

  get #isStream(): boolean {
    return this.#x.request.ask?.stream ?? this.#x.request.opaque?.stream ?? false;
  }

  #isWorthAsking(target: Target): boolean {
    const why = this.#useless(target);
    if (why !== null)
      this.#note('send', 'skipped', `${nameOf(target)} (${target.credential.name}): ${why} failed before`);
    return why === null;
  }

  /** After a failure of the same provider and model, another credential helps only where that one was to blame. */
  #useless(target: Target): string | null {
    for (const { target: tried, error } of this.#failures) {
      const sameModel = tried.model === target.model;
      const remedy = remedyFor(error);
      const isUseless =
        remedy === 'other_model'
          ? sameModel
          : sameModel && tried.provider === target.provider && !isCredentialBound(error);
      if (isUseless)
        return remedy === 'other_model' ? 'the same model' : 'the same model at the same provider';
    }
    return null;
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

function stillLimited({ provider }: Target, coolingMs: number): Fault {
  return new Fault(
    'upstream_rate_limited',
    `${provider.id} asked for a pause after a rate limit, which is not over yet.`,
    { retryAfterMs: coolingMs },
  );
}
