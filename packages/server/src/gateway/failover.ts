import type { BreakerAdmission } from '../guardrails/breakers/circuit-breaker.ts';
import { type AttemptOptions, runAttempt } from './attempt.ts';
import type { AttemptPlan } from './attempt-plan.ts';
import { applyCallerCredential } from './caller-credential.ts';
import {
  classifyRetry,
  findReasonToSkipTarget,
  isUnsentRequestError,
  MAX_RETRY_WAIT_MS,
  selectReportedFailure,
  type TargetFailure,
} from './classify-retry.ts';
import { ClientDisconnectedError, waitUnlessInterrupted } from './client-call.ts';
import type { Exchange } from './exchange-record.ts';
import { createFailoverDeadline, type RemainingTargets } from './failover-deadline.ts';
import {
  createNoHealthyTargetFault,
  createStillRateLimitedFault,
  describeBreakerRejection,
} from './no-healthy-target.ts';
import { omitRejectedRequestPart } from './omitted-request-parts.ts';
import type { ResolvedRoute, Target } from './org-catalog.ts';
import { reportAttemptFailure } from './report-attempt-failure.ts';
import { acquireRetryDelayMs, describeTargetFailure } from './retry-delay.ts';
import { getTargetId, getTargetName } from './routing-strategy.ts';

/** Creates the plan for an attempt at a target. Throws a `Fault` if the target cannot be used. */
export type AttemptPlanner = (target: Target) => AttemptPlan;

/** Latency recorded for a failed attempt, so that a target that fails quickly does not appear fast. */
const FAILURE_LATENCY_MS = 10_000;
/** Maximum random delay added to a wait for a rate limit, so that waiting requests are spread. */
const RATE_LIMIT_JITTER_MS = 100;
/** Manages the attempts of one exchange, and tracks which targets were tried, were skipped or remain. */
export class Failover {
  #x: Exchange;
  #route: ResolvedRoute;
  #plan: AttemptPlanner;
  #orgId: string;
  #failures: TargetFailure[] = [];
  /** Targets whose breaker rejected the request. */
  #skippedTargets: Target[] = [];
  #isFinal = false;
  /** The error that cut off the client's stream. */
  #streamBreak: unknown = null;

  constructor(x: Exchange, route: ResolvedRoute, plan: AttemptPlanner) {
    this.#x = x;
    this.#route = route;
    this.#plan = plan;
    this.#orgId = x.caller.key.orgId;
  }

  /** Returns true if the client received its response from this target. */
  async tryTarget(target: Target, isLast: boolean): Promise<boolean> {
    if (this.#isFinal || !this.#isWorthTrying(target)) return false;
    const { breakers } = this.#x.gateway;
    const admission = breakers.isEmpty ? 'go' : await this.#admit(target);
    if (admission !== 'go' && admission !== 'probe') {
      this.#skippedTargets.push(target);
      this.#recordRejection('skipped', target, admission);
      return false;
    }
    if (admission === 'probe')
      this.#recordDecision(
        'breaker',
        'probe',
        `${getTargetName(target)}: probe request to check whether the target has recovered`,
      );
    if (await this.#attemptWithRetries(target, admission, this.#route.retries, isLast)) return true;
    if (!isLast && !this.#isFinal) this.#recordDecision('send', 'moved_on', this.#describeLastFailure());
    return false;
  }

  /**
   * Tries the targets although all of them are unavailable (panic mode). Each target admits one concurrent
   * request, and twice as many after each success. Other requests fail immediately with `no_healthy_target`.
   */
  async tryUnhealthyTargets(): Promise<boolean> {
    const { breakers } = this.#x.gateway;
    const waitOf = (target: Target) => breakers.waitMs(this.#orgId, target);
    for (const target of this.#skippedTargets.sort((a, b) => waitOf(a) - waitOf(b))) {
      // Checked first, because an admitted probe that is never sent would block the target for all processes.
      if (this.#isFinal || !this.#isWorthTrying(target)) continue;
      const admission = await this.#admit(target);
      if (admission === 'forced_open') continue;
      if (admission === 'go' || admission === 'probe' || admission === 'cooling') {
        if (await this.#tryAfterCooldown(target, admission)) return true;
      } else if (breakers.acquirePanicSlot(this.#orgId, target)) {
        this.#recordDecision('breaker', 'panic', `${getTargetName(target)}: no other target is available`);
        let succeeded = false;
        try {
          succeeded = await this.#attemptWithRetries(target, admission, 0, true);
        } finally {
          breakers.releasePanicSlot(this.#orgId, target, succeeded);
        }
        if (succeeded) return true;
      }
    }
    return false;
  }

  /**
   * Tries a target, after waiting for its rate limit to end if necessary. Returns true if the client received
   * its response from this target.
   */
  async #tryAfterCooldown(target: Target, admission: BreakerAdmission): Promise<boolean> {
    const { breakers, clock, random } = this.#x.gateway;
    const cooling = breakers.cooldownMs(this.#orgId, target);
    const wait = cooling > 0 ? cooling + random() * RATE_LIMIT_JITTER_MS : 0;
    if (cooling > MAX_RETRY_WAIT_MS || clock.monotonic() + wait >= this.#deadlineAt(target)) {
      breakers.recordAbandoned(this.#orgId, target, admission);
      this.#failures.push({ target, error: createStillRateLimitedFault(target, cooling) });
      return false;
    }
    const waited = wait > 0 ? `; waited ${Math.round(wait)} ms` : '';
    const why = `${getTargetName(target)}: no other target is available${waited}`;
    this.#recordDecision('breaker', 'late', why);
    try {
      if (wait > 0) await waitUnlessInterrupted(this.#x.client, clock, wait);
    } catch (error) {
      breakers.recordAbandoned(this.#orgId, target, admission);
      throw error;
    }
    return this.#attemptWithRetries(target, admission, 0, true);
  }

  /** Returns the error for the client. */
  finalError(): unknown {
    if (this.#streamBreak !== null) return this.#streamBreak;
    const telling = selectReportedFailure(this.#failures.map(({ error }) => error));
    return telling ?? createNoHealthyTargetFault(this.#x, this.#orgId, this.#skippedTargets);
  }

  async #attemptWithRetries(
    target: Target,
    admitted: BreakerAdmission,
    retries: number,
    isLast: boolean,
  ): Promise<boolean> {
    const isWarm = this.#isWarm(target);
    let admission = admitted;
    for (let count = 0; ; ) {
      const error = await this.#attemptOnce(target, admission);
      if (error === null) return true;
      // The target is available, so this does not count as a retry.
      if (omitRejectedRequestPart(this.#x, target, error)) continue;
      const deadlineAt = this.#deadlineAt(target);
      const limits = { retries: count, maxRetries: retries, isLast, isWarm, deadlineAt };
      const wait = acquireRetryDelayMs(this.#x, target, error, limits);
      if (wait === null) return this.#recordFailure(target, error);
      const why = `${describeTargetFailure(target, error)}; waited ${Math.round(wait)} ms`;
      this.#recordDecision('send', 'retry', why);
      await waitUnlessInterrupted(this.#x.client, this.#x.gateway.clock, wait);
      count += 1;
      admission = await this.#admit(target);
      if (admission === 'go' || admission === 'probe') continue;
      this.#recordRejection('no_retry', target, admission);
      return this.#recordFailure(target, error);
    }
  }

  #isWarm(target: Target): boolean {
    const { conversation } = this.#route;
    if (conversation === null) return false;
    return this.#x.gateway.conversations.find(this.#orgId, conversation) === getTargetId(target);
  }

  /**
   * Asks the target's breaker to admit the request.
   * @throws the interruption, if the client disconnected
   */
  async #admit(target: Target): Promise<BreakerAdmission> {
    const { breakers } = this.#x.gateway;
    const admission = await breakers.admit(this.#orgId, target);
    const { client } = this.#x;
    if (!client.isInterrupted) return admission;
    breakers.recordAbandoned(this.#orgId, target, admission);
    throw client.interruption;
  }

  #recordFailure(target: Target, error: unknown): false {
    this.#failures.push({ target, error });
    this.#isFinal = classifyRetry(error) === 'none' && !isUnsentRequestError(error);
    return false;
  }

  /** Returns null if the attempt succeeded, otherwise its error. @throws an error that ends the exchange */
  async #attemptOnce(target: Target, admission: BreakerAdmission): Promise<unknown> {
    const x = this.#x;
    try {
      const asked = target.provider.usesCallerCredential ? applyCallerCredential(x, target) : target;
      const plan = this.#plan(asked);
      await runAttempt(x, asked, plan, this.#attemptOptions(target, admission));
      this.#recordTargetSuccess(target, admission);
      return null;
    } catch (error) {
      reportAttemptFailure(x, target, error, admission);
      // A client that disconnects, or that sends an invalid request, says nothing about the target.
      if (classifyRetry(error) !== 'none') this.#recordTargetFailure(target);
      if (error instanceof ClientDisconnectedError || x.client.isDisconnected) throw error;
      const { isBroken, replay } = x.progress;
      if (!isBroken) return error;
      this.#streamBreak ??= error;
      if (replay?.hasDiverged) throw error;
      if (!replay?.output.isContentSent || classifyRetry(error) === 'none') throw this.#streamBreak;
      return error;
    }
  }

  #attemptOptions(target: Target, admission: BreakerAdmission): AttemptOptions {
    const deadlineAt = this.#deadlineAt(target);
    const isTimed = this.#isStream && this.#route.targets.length > 1;
    if (admission !== 'probe' && !isTimed) return { deadlineAt, onContent: null, failoverDeadline: null };
    const { breakers, firstTokenDeadlines } = this.#x.gateway;
    const onContent = (afterMs: number) => {
      // A probe succeeds with the first content, so the breaker need not wait for the end.
      if (admission === 'probe') breakers.recordSuccess(this.#orgId, target, null, 'probe');
      if (isTimed) firstTokenDeadlines.recordFirstToken(this.#orgId, getTargetName(target), afterMs);
    };
    const failoverDeadline = isTimed
      ? createFailoverDeadline(this.#x, target, this.#remainingTargets(target))
      : null;
    return { deadlineAt, onContent, failoverDeadline };
  }

  /** Returns the targets after this one, and whether they could respond. */
  #remainingTargets(target: Target): RemainingTargets {
    const { targets } = this.#route;
    const behind = targets.slice(targets.indexOf(target) + 1);
    return { targets: behind, couldAnswer: (other) => this.#couldAnswer(other) };
  }

  #couldAnswer(other: Target): boolean {
    if (
      !this.#x.gateway.breakers.allowsTraffic(this.#orgId, other) ||
      findReasonToSkipTarget(this.#failures, other) !== null
    )
      return false;
    try {
      this.#plan(other.provider.usesCallerCredential ? applyCallerCredential(this.#x, other) : other);
      return true;
    } catch {
      // Its dialect does not support the request. A defect in the planner would appear when the request is
      // sent.
      return false;
    }
  }

  #recordTargetFailure(target: Target): void {
    const { gateway } = this.#x;
    const { conversation } = this.#route;
    if (conversation !== null) gateway.conversations.remove(this.#orgId, conversation, getTargetId(target));
    if (this.#route.strategy !== 'least_latency') return;
    gateway.latencies.record(this.#orgId, getTargetName(target), this.#isStream, FAILURE_LATENCY_MS);
  }

  #recordTargetSuccess(target: Target, admission: BreakerAdmission): void {
    const { gateway, attempts } = this.#x;
    const { conversation } = this.#route;
    const last = attempts.at(-1);
    gateway.breakers.recordSuccess(this.#orgId, target, last?.first_token_ms ?? null, admission);
    if (conversation !== null) gateway.conversations.set(this.#orgId, conversation, getTargetId(target));
    if (this.#route.strategy !== 'least_latency') return;
    const ms = last?.first_token_ms ?? last?.duration_ms ?? 0;
    gateway.latencies.record(this.#orgId, getTargetName(target), this.#isStream, ms);
  }

  get #isStream(): boolean {
    return this.#x.request.prompt?.stream ?? this.#x.request.opaque?.stream ?? false;
  }

  #isWorthTrying(target: Target): boolean {
    const failed = findReasonToSkipTarget(this.#failures, target);
    if (failed === null) return true;
    const why = `${getTargetName(target)} (${target.credential.name}): ${failed} already failed for this request`;
    this.#recordDecision('send', 'skipped', why);
    return false;
  }

  #deadlineAt(target: Target): number {
    const { startedAt, controls } = this.#x;
    return startedAt + Math.min(target.timeouts.totalMs, controls?.timeoutMs ?? Number.POSITIVE_INFINITY);
  }

  #describeLastFailure(): string {
    const last = this.#failures.at(-1);
    return last ? describeTargetFailure(last.target, last.error) : '';
  }

  #recordRejection(outcome: 'skipped' | 'no_retry', target: Target, admission: BreakerAdmission): void {
    const why = describeBreakerRejection(this.#x.gateway.breakers, this.#orgId, target, admission);
    this.#recordDecision('breaker', outcome, `${getTargetName(target)}: ${why}`);
  }

  #recordDecision(step: 'send' | 'breaker', outcome: string, reason: string): void {
    this.#x.decisions.push({ step, outcome, reason });
  }
}
