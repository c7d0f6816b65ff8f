import { formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { ResponseStreamReader } from '@floe/wire/dialect';
import { UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { tryParseJson } from '@floe/wire/json-narrowing';
import { formatSseFrame, parseSseFrame, type SseEvent, SseFramer } from '@floe/wire/sse';
import type { Usage } from '@floe/wire/usage';
import {
  canBlockStream,
  selectEarlyStreamPolicies,
} from '../../guardrails/policies/early-stream-policies.ts';
import { formatDenialMessage, type PolicyEvaluation } from '../../guardrails/policies/evaluate-policies.ts';
import { tryEvaluateInline } from '../../guardrails/policies/inline-limits.ts';
import type { CompiledPolicy, PolicySet } from '../../guardrails/policies/policies.ts';
import {
  evaluateStreamPolicies,
  type StreamedPolicyResponse,
} from '../../guardrails/policies/policy-tasks.ts';
import type { PolicyTaskContext } from '../../guardrails/policies/policy-threads.ts';
import { RequestEcho } from '../../guardrails/policies/request-echo.ts';
import type { Exchange } from '../exchange-record.ts';
import { formatResponsesFailure } from '../responses-failure.ts';
import { recordPolicyDecisions } from './apply-request-policies.ts';
import type { ResponsePolicyContext } from './response-policy-context.ts';
import { announcesEnd, endsResponse, StreamPolicyData } from './stream-policy-data.ts';

/**
 * Evaluates policies on a stream, frame by frame, in the client's dialect. The frame that completes a denied value is
 * not forwarded, and neither is any later frame. Frames that announce the end of the response are held back until the
 * complete response has been evaluated, so that a stopped stream never appears complete.
 */
export class StreamPolicyFilter {
  /** The fault of a policy that stopped the stream. Nothing is forwarded after it is set. */
  fault: Fault | null = null;
  /** Whether content has been forwarded. */
  hasContent = false;
  /** Set while a thread evaluates policies. If it rejects, the response must fail. */
  pending: Promise<void> | null = null;
  readonly #controller = new AbortController();
  readonly #caller: PolicyTaskContext;
  /** Frames that have not been evaluated. */
  #queue: Buffer[] = [];
  #passing: Buffer[] = [];
  #hasEnded = false;
  #x: Exchange;
  #context: ResponsePolicyContext;
  #earlyPolicies: PolicySet | null;
  /** Whether an enforced policy could deny the response. If so, the finish is held back. */
  #mayDeny: boolean;
  /** The error with which the reader ended. */
  #readFault: Fault | null = null;
  #framer = new SseFramer();
  #reader: ResponseStreamReader;
  readonly #answer: StreamPolicyData;
  #held: Buffer[] = [];
  #isFinishing = false;
  #isEvaluated = false;
  /** The response that an error event of Responses must continue. */
  #response: JsonObject | null = null;
  #lastData = '';

  constructor(x: Exchange, context: ResponsePolicyContext, usage: Usage | null = null) {
    this.#x = x;
    this.#caller = { orgId: x.caller.key.orgId, signal: this.#controller.signal };
    this.#context = context;
    this.#earlyPolicies = selectEarlyStreamPolicies(context.policySet);
    this.#mayDeny = context.policySet.policies.some(canBlockStream);
    const detects = context.policySet.detects.size > 0;
    const echo = x.surface.dialect === 'responses' ? new RequestEcho(context.request) : null;
    this.#answer = new StreamPolicyData(
      { early: this.#earlyPolicies?.detects ?? null, detects, echo },
      usage,
    );
    this.#reader = UPSTREAM_DIALECTS[x.surface.dialect].createResponseReader(
      (event) => {
        this.#answer.add(event);
        if (event.type === 'error') this.#readFault = event.fault;
      },
      { id: x.id, allChoices: true },
    );
  }

  /**
   * Returns the part of `bytes` that can be forwarded now. Check `pending` and `fault` afterwards. While
   * `pending` is set, nothing more is forwarded.
   */
  filter(bytes: Buffer): Buffer {
    const frames = this.#framer.push(bytes);
    let from = frames.lead;
    for (const end of frames.ends) {
      this.#queue.push(frames.bytes.subarray(from, end));
      from = end;
    }
    if (this.pending === null) this.#filterQueue();
    return this.take();
  }

  /** Returns the bytes that have become available to forward since the last call. */
  take(): Buffer {
    const passing = this.#passing;
    this.#passing = [];
    return passing.length === 1 && passing[0] ? passing[0] : Buffer.concat(passing);
  }

  /** Ends the response. Returns the bytes that were held back, unless a policy denies them. */
  end(): Buffer {
    this.#hasEnded = true;
    if (this.pending === null) this.#filterQueue();
    return this.take();
  }

  /** Cancels the evaluation in a worker thread. The stream cannot continue afterwards. */
  cancel(): void {
    this.#controller.abort();
    this.fault ??= new Fault(
      'upstream_stream_broken',
      'The stream ended before Floe had evaluated the policies. Retry the request.',
    );
  }

  /** Formats the error for a stream of the client's dialect. The text contains nothing that was held back. */
  formatError(fault: Fault): string {
    const { id, surface } = this.#x;
    if (surface.dialect === 'messages')
      return formatSseFrame('error', formatFaultBody(fault, id, 'anthropic'));
    if (surface.dialect === 'responses')
      return formatResponsesFailure(fault, this.#response, this.#lastData, id);
    return formatSseFrame(undefined, formatFaultBody(fault, id, 'openai'));
  }

  #filterQueue(): void {
    let at = 0;
    for (; at < this.#queue.length && this.pending === null && this.fault === null; at += 1) {
      const frame = this.#queue[at] ?? EMPTY;
      const event = parseSseFrame(frame);
      const evaluating = event ? this.#readEvent(event) : null;
      if (evaluating) this.#suspend(evaluating, () => this.#forward(frame, event));
      else this.#forward(frame, event);
    }
    this.#queue.splice(0, at);
    if (this.#hasEnded && this.pending === null) this.#finishFrames();
  }

  #finishFrames(): void {
    if (this.fault === null && !this.#isEvaluated) {
      this.#reader.end();
      const evaluating = this.#evaluateWhole();
      if (evaluating) return this.#suspend(evaluating, () => undefined);
    }
    if (this.fault === null) this.#passing.push(...this.#held);
    this.#held = [];
  }

  /**
   * Waits for an evaluation in a worker thread and then calls `next`. `pending` resolves when no frame waits
   * any longer.
   */
  #suspend(evaluating: Promise<void>, next: () => void): void {
    this.pending = evaluating.then(
      () => {
        this.pending = null;
        next();
        this.#filterQueue();
        return this.pending ?? undefined;
      },
      (error: unknown) => {
        this.pending = null;
        this.cancel();
        throw error;
      },
    );
  }

  #forward(frame: Buffer, event: SseEvent | undefined): void {
    if (this.fault) return;
    if (this.#isFinishing && !this.#isEvaluated && this.#mayDeny) {
      this.#held.push(frame);
      return;
    }
    if (this.#held.length > 0) this.#passing.push(...this.#held);
    this.#held = [];
    this.#passing.push(frame);
    this.hasContent ||= this.#answer.hasOpened;
    if (event) this.#recordPassed(event);
  }

  #readEvent({ event, data }: SseEvent): Promise<void> | null {
    this.#isFinishing ||= announcesEnd(data);
    this.#reader.read({ event, data });
    // The forwarded stream contains no error, so Floe cannot read a part that the client would receive.
    if (data.trim() !== '[DONE]') this.fault ??= this.#readFault;
    if (this.fault) return null;
    this.#answer.addStrings(data);
    const longTexts = this.#answer.takeLongTexts();
    const scanning = longTexts.length > 0 ? this.#scanLongTexts(longTexts) : null;
    return scanning ? scanning.then(() => this.#evaluateEvent(data) ?? undefined) : this.#evaluateEvent(data);
  }

  #evaluateEvent(data: string): Promise<void> | null {
    const evaluating =
      this.#answer.hasNewFinding && this.#earlyPolicies ? this.#evaluateEarly(this.#earlyPolicies) : null;
    return evaluating
      ? evaluating.then(() => this.#evaluateFinish(data) ?? undefined)
      : this.#evaluateFinish(data);
  }

  #evaluateFinish(data: string): Promise<void> | null {
    const isFinal = !this.fault && this.#isFinishing && endsResponse(data);
    return isFinal ? this.#evaluateWhole() : null;
  }

  #recordPassed({ event, data }: SseEvent): void {
    if (this.#x.surface.dialect !== 'responses') return;
    this.#lastData = data;
    if (event !== 'response.created') return;
    const parsed = tryParseJson(data);
    if (isJsonObject(parsed) && isJsonObject(parsed['response'])) this.#response = parsed['response'];
  }

  /** Scans the texts of one frame that are too long, or too many, for the main thread. */
  #scanLongTexts(texts: readonly string[]): Promise<void> {
    const wanted = this.#earlyPolicies?.detects ?? new Set();
    return this.#x.gateway.policyThreads
      .findKinds(texts, wanted, this.#caller)
      .then((kinds) => this.#cancellable(() => this.#answer.addFindings(kinds)));
  }

  /** Evaluates the policies that need only the findings so far. */
  #evaluateEarly(policySet: PolicySet): Promise<void> | null {
    const early = this.#answer.takeKinds();
    const answer = { ...EMPTY_ANSWER, usage: null };
    return this.#evaluate(policySet, { answer, blocks: [], strings: [], early }, (evaluation) => {
      if (this.#applyDenial(evaluation)) recordStreamDecisions(this.#x, evaluation);
    });
  }

  #evaluateWhole(): Promise<void> | null {
    this.#isEvaluated = true;
    const whole = this.#answer.complete(this.#x.answer.usage);
    return this.#evaluate(this.#context.policySet, { ...whole, early: null }, (evaluation) => {
      recordStreamDecisions(this.#x, evaluation);
      this.#applyDenial(evaluation);
    });
  }

  /** Evaluates policies. Returns a promise if a thread must evaluate them, otherwise null. */
  #evaluate(
    policySet: PolicySet,
    part: Omit<StreamedPolicyResponse, 'request'>,
    apply: (evaluation: PolicyEvaluation) => void,
  ): Promise<void> | null {
    const response = { ...part, request: this.#context.request };
    const evaluation = tryEvaluateInline((limits) => evaluateStreamPolicies(policySet, response, limits));
    if (evaluation === null)
      return this.#x.gateway.policyThreads
        .evaluateStream(policySet, response, this.#caller)
        .then((result) => this.#cancellable(() => apply(result)));
    apply(evaluation);
    return null;
  }

  /** Calls `next` unless the stream was cancelled, even if the thread has finished. */
  #cancellable(next: () => void): void {
    this.#controller.signal.throwIfAborted();
    next();
  }

  #applyDenial({ deniedBy, redact, decisions }: PolicyEvaluation): boolean {
    if (deniedBy) this.fault = new Fault('policy_denied', formatDenialMessage(deniedBy));
    else if (redact.size > 0)
      this.fault = unredactableFault(decisions.find((one) => one.outcome === 'redacted')?.policy);
    return this.fault !== null;
  }
}

const EMPTY = Buffer.alloc(0);
const EMPTY_ANSWER = { text: '', finish: '', tools: [] } as const;

function unredactableFault(policy: CompiledPolicy | undefined): Fault {
  return new Fault(
    'policy_denied',
    `The policy "${policy?.name}" redacts values in responses, which is not possible in this stream. Send the request with stream: false.`,
  );
}

/**
 * Records the decisions on a stream. A finding that would be redacted stops the stream instead, because a
 * stream cannot be redacted.
 */
function recordStreamDecisions(x: Exchange, evaluation: PolicyEvaluation): void {
  const decisions = evaluation.decisions.map((decision) =>
    decision.outcome === 'redacted' ? { ...decision, outcome: 'denied' as const } : decision,
  );
  recordPolicyDecisions(x, { ...evaluation, decisions });
}
