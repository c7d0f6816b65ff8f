import { Fault } from '@floe/contract/faults';
import type { Timer } from '../core/clock.ts';
import { EventLoopBatcher } from '../core/event-loop-batcher.ts';
import type { FlowControl, UpstreamHeaders, UpstreamResponseHandler } from '../providers/transport.ts';
import { AttemptDeadlines, type DeadlinePhase, type FailoverDeadline } from './attempt-deadlines.ts';
import type { AttemptPlan, ResponseSink } from './attempt-plan.ts';
import { createAttemptRecord } from './attempt-record.ts';
import { abortSink, createAttemptSink, isEventStream } from './attempt-sink.ts';
import { ClientDisconnectedError } from './client-call.ts';
import { getAttemptErrorCode } from './error-response-sink.ts';
import type { AttemptRecord, Exchange } from './exchange-record.ts';
import { setExchangeTarget } from './order-targets.ts';
import type { Target } from './org-catalog.ts';
import { cancelPendingPolicyEvaluation } from './policy/pending-evaluation.ts';
import { redactCredentials } from './redact-credentials.ts';
import { createSpendMeter, type SpendMeter } from './spend-meter.ts';
import { toNetworkFault } from './upstream-error.ts';
import { carryOverAttemptUsage } from './usage-and-cost.ts';

/**
 * How long to read the rest of a response that the client already has completely. If the rest arrives in
 * time, the connection can be reused.
 */
const UPSTREAM_TAIL_MS = 1000;

/** The deadlines and callbacks of an attempt. */
export interface AttemptOptions {
  /** Monotonic milliseconds at which the exchange must end. */
  readonly deadlineAt: number;
  /** Called with the time of the first content, before the response ends. */
  readonly onContent: ((afterMs: number) => void) | null;
  /** Null if there is no other target, or if the response is not a stream. */
  readonly failoverDeadline: FailoverDeadline | null;
}

/**
 * Sends one request to a provider. Resolves when the client has the complete response. Rejects with a
 * `Fault`, `ForwardedUpstreamError` or `ClientDisconnectedError`. `x.progress` tells whether content was
 * sent.
 */
export function runAttempt(
  x: Exchange,
  target: Target,
  plan: AttemptPlan,
  options: AttemptOptions,
): Promise<void> {
  carryOverAttemptUsage(x);
  setExchangeTarget(x, target);
  x.answer.setDropped(plan.dropped);
  return new Promise((resolve, reject) => new Attempt(x, target, plan, { resolve, reject }).start(options));
}

interface AttemptPromise {
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

class Attempt implements UpstreamResponseHandler {
  static readonly #ended = new EventLoopBatcher<Attempt>((attempt) => attempt.#finishAnswer());
  #x: Exchange;
  #target: Target;
  #plan: AttemptPlan;
  #record: AttemptRecord;
  #promise: AttemptPromise;
  #startedAt: number;
  #deadlines: AttemptDeadlines | null = null;
  #sink: ResponseSink | null = null;
  #flow: FlowControl | null = null;
  #cancel: (() => void) | null = null;
  #meter: SpendMeter | null = null;
  #pauseCount = 0;
  #isStream = false;
  #isOver = false;
  #tail: Timer | null = null;
  #onContent: AttemptOptions['onContent'] = null;

  constructor(x: Exchange, target: Target, plan: AttemptPlan, settled: AttemptPromise) {
    this.#x = x;
    this.#target = target;
    this.#plan = plan;
    this.#record = createAttemptRecord(x, target);
    x.attempts.push(this.#record);
    this.#promise = settled;
    this.#startedAt = x.gateway.clock.monotonic();
  }

  start({ deadlineAt, onContent, failoverDeadline }: AttemptOptions): void {
    const { client, gateway } = this.#x;
    this.#onContent = onContent;
    // Not a literal in an assignment: V8 allocates those in old space, where each keeps its exchange alive
    // until the next full collection (183 instead of 230 µs per request, with another change).
    const leave = () => this.#fail(client.interruption);
    client.onInterrupt = leave;
    if (client.isInterrupted) return leave();
    const expire = (phase: DeadlinePhase, ms: number) => this.#expire(phase, ms);
    const keepAlive = this.#x.progress.isBroken ? null : this.#x.progress.keepAlive;
    const timing = { acceptedAt: this.#x.startedAt, deadlineAt, keepAlive, failoverDeadline };
    this.#deadlines = new AttemptDeadlines(gateway.clock, this.#target.timeouts, timing, expire);
    // A long upload is not a slow provider. The wait for the response starts after its last byte.
    this.#plan.upload?.onUploadProgress(this);
    this.#cancel = gateway.transport.dispatch(this.#plan.request, this);
  }

  onProgress(): void {
    this.#deadlines?.enterPhase('headers');
  }

  onConnected(): void {
    this.#deadlines?.enterPhase('headers');
  }

  onHead(status: number, headers: UpstreamHeaders, flow: FlowControl): void {
    this.#record.status = status;
    this.#flow = flow;
    this.#deadlines?.enterPhase('first_token');
    try {
      this.#isStream = isEventStream(headers);
      if (status >= 200 && status < 300) this.#meter = createSpendMeter(this.#x);
      this.#sink = createAttemptSink(this.#x, this.#target, this.#plan, { status, headers });
    } catch (error) {
      this.#fail(error);
    }
  }

  onData(chunk: Buffer): void {
    const sink = this.#sink;
    if (this.#isOver || !sink || this.#awaitsEnd) return;
    const before = sink.hasContent;
    try {
      if (!sink.push(chunk)) this.#applyBackpressure();
    } catch (error) {
      return this.#fail(error);
    }
    if (this.#x.policy.pending !== null) this.#awaitPolicies(() => this.#afterData(sink, before));
    else this.#afterData(sink, before);
  }

  #afterData(sink: ResponseSink, before: boolean): void {
    if (sink.hasContent && !before) this.#recordFirstToken();
    // A response that is not streamed has no first token, so its first byte ends the wait.
    else if (!this.#isStream && !sink.isStream) this.#deadlines?.enterPhase('idle');
    if (sink.isComplete) return this.#resolveEarly();
    this.#deadlines?.onUpstreamByte();
    if (this.#meter) this.#checkSpend(this.#meter);
  }

  /** Extends the reservation of a stream in hard budgets before it is used up, or ends the stream. */
  #checkSpend(meter: SpendMeter): void {
    const verdict = meter.check();
    if (verdict === 'go') return;
    if (verdict instanceof Fault) return this.#fail(verdict);
    this.#pauseReading();
    verdict.then(
      (fault) => {
        this.#resumeReading();
        if (fault) this.#fail(fault);
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** Queues this attempt. Responses that end in the same event loop turn are flushed together. */
  onEnd(): void {
    this.#tail?.cancel();
    Attempt.#ended.add(this);
  }

  #finishAnswer(): void {
    if (this.#isOver || this.#awaitsEnd) return;
    try {
      this.#sink?.end();
    } catch (error) {
      return this.#fail(error);
    }
    this.#complete(false);
  }

  /** Ends a successful attempt. `cancels` tells whether to cancel the request to the provider. */
  #complete(cancels: boolean): void {
    if (this.#x.policy.pending !== null) return this.#awaitPolicies(() => this.#complete(cancels));
    this.#close();
    if (cancels) this.#cancel?.();
    this.#promise.resolve();
  }

  /** Whether the provider is no longer needed, because only policies remain to be evaluated. */
  get #awaitsEnd(): boolean {
    return this.#x.policy.pending !== null && this.#sink?.isComplete === true;
  }

  /** Pauses reading, and calls `next` when a thread has evaluated the policies of the response. */
  #awaitPolicies(next: () => void): void {
    const done = this.#x.policy.pending?.done ?? Promise.resolve(true);
    this.#pauseReading();
    done.then(
      (isFlowing) => {
        this.#resumeReading();
        if (!isFlowing) this.#applyBackpressure();
        if (!this.#isOver) next();
      },
      (error: unknown) => this.#fail(error),
    );
  }

  onError(error: Error): void {
    this.#tail?.cancel();
    if (this.#awaitsEnd) return;
    // Reported unchanged: an upload that ended early, and a missing credential.
    if (error instanceof Fault || error instanceof ClientDisconnectedError) return this.#fail(error);
    if (this.#tryComplete()) return;
    this.#fail(toNetworkFault(this.#target.provider.id, error, this.#record.status !== null));
  }

  /** Pauses reading until the client's buffer is empty, because the client is slower. */
  #applyBackpressure(): void {
    this.#pauseReading();
    this.#x.client.onDrain(() => this.#resumeReading());
  }

  /** Pauses reading until `#resumeReading` has been called as often as this method. */
  #pauseReading(): void {
    this.#pauseCount += 1;
    this.#flow?.pause();
    this.#deadlines?.pause();
  }

  #resumeReading(): void {
    this.#pauseCount -= 1;
    if (this.#pauseCount > 0) return;
    this.#deadlines?.resume();
    this.#flow?.resume();
  }

  /** Resolves at `[DONE]`, because clients may then disconnect. The exchange can no longer fail. */
  #resolveEarly(): void {
    this.#close();
    this.#flow?.resume();
    this.#tail = this.#x.gateway.clock.after(UPSTREAM_TAIL_MS, () => this.#cancel?.());
    this.#promise.resolve();
  }

  #recordFirstToken(): void {
    this.#deadlines?.onContentSent();
    this.#deadlines?.enterPhase('idle');
    const afterMs = this.#elapsedMs();
    this.#record.first_token_ms = afterMs;
    this.#onContent?.(afterMs);
  }

  /** Returns whether the response was complete although the connection failed. */
  #tryComplete(): boolean {
    if (this.#isOver || !this.#sink?.isContentSent) return false;
    try {
      if (!this.#sink.tryComplete?.()) return false;
    } catch (error) {
      this.#fail(error);
      return true;
    }
    this.#complete(true);
    return true;
  }

  #expire(phase: DeadlinePhase, afterMs: number): void {
    if (phase === 'idle' && this.#tryComplete()) return;
    const { id } = this.#target.provider;
    const after = afterMs % 1000 === 0 ? `${afterMs / 1000} s` : `${afterMs} ms`;
    const why = `${id} did not respond in time: the ${phase} timeout of ${after} expired.`;
    this.#fail(new Fault('upstream_timeout', why, { phase }));
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    const { provider, credential } = this.#target;
    const secrets = provider.secretsFor(credential);
    const failure = abortSink(this.#sink, reason instanceof Error ? reason : new Error(String(reason)));
    const error = redactCredentials(failure, secrets);
    // A chunk may have the first content and then an error, which the started stream must report.
    if (this.#sink?.isContentSent) this.#x.progress.markBroken(this.#sink);
    cancelPendingPolicyEvaluation(this.#x);
    this.#record.error = getAttemptErrorCode(error);
    this.#close();
    this.#cancel?.();
    this.#promise.reject(error);
  }

  #close(): void {
    this.#isOver = true;
    this.#deadlines?.stop();
    this.#x.client.onInterrupt = null;
    const endedAt = this.#x.gateway.clock.monotonic();
    this.#x.upstreamSpan = { sentAt: this.#x.upstreamSpan?.sentAt ?? this.#startedAt, endedAt };
    this.#record.duration_ms = this.#elapsedMs();
  }

  /** Milliseconds since the start of this attempt, with two decimals. */
  #elapsedMs(): number {
    return Math.round((this.#x.gateway.clock.monotonic() - this.#startedAt) * 100) / 100;
  }
}
