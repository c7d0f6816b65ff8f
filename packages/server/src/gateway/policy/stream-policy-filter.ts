import { countFindingsInText, type FindingCounts } from '@floe/conditions/detect/redact';
import { SensitiveDataScan } from '@floe/conditions/detect/sensitive-data-scan';
import { formatFaultBody } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { ResponseStreamReader } from '@floe/wire/dialect';
import { UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import { tryParseJson } from '@floe/wire/json-narrowing';
import type { ResponseEvent } from '@floe/wire/response-events';
import { formatSseFrame, parseSseFrame, type SseEvent, SseFramer } from '@floe/wire/sse';
import type { Usage } from '@floe/wire/usage';
import {
  evaluatePolicies,
  formatDenialMessage,
  type PolicyEvaluation,
} from '../../guardrails/policies/evaluate-policies.ts';
import type { CompiledPolicy, PolicySet } from '../../guardrails/policies/policies.ts';
import { ResponseSubject } from '../../guardrails/policies/response-subject.ts';
import type { Exchange } from '../exchange-record.ts';
import { formatResponsesFailure } from '../responses-failure.ts';
import { recordPolicyDecisions } from './apply-request-policies.ts';
import type { ResponsePolicyContext } from './response-policy-context.ts';

/** Characters before the newest frame that are scanned with it. Longer values are detected at the end. */
const MATCH_TAIL_CHARS = 1024;
/** Matches the announcement of the end. Content cannot match, because its quotes are escaped. */
const FINISH_PATTERN =
  /"(?:finish_reason|stop_reason)"\s*:\s*"|"type"\s*:\s*"(?:message_stop|response\.(?:completed|incomplete|failed))"|^\[DONE\]$/;
const FINAL_EVENT_PATTERN =
  /"type"\s*:\s*"(?:message_stop|response\.(?:completed|incomplete|failed))"|^\[DONE\]$/;

interface Block {
  /** Pieces of text, joined once at the end. */
  readonly pieces: string[];
  tail: string;
}

/**
 * Evaluates policies on a stream, frame by frame, in the client's dialect. The frame that completes
 * a denied value is not forwarded, and neither is any later frame. Frames that announce the end of
 * the response are held back until the complete response has been evaluated, so that a stopped
 * stream never appears complete.
 */
export class StreamPolicyFilter {
  /** Set once. Nothing more is forwarded, and this fault is sent. */
  fault: Fault | null = null;
  /** Whether content has been forwarded. */
  hasContent = false;
  #x: Exchange;
  #context: ResponsePolicyContext;
  #earlyPolicies: PolicySet | null;
  /** Whether an enforced policy could deny the response. Its finish is then held back. */
  #mayDeny: boolean;
  #framer = new SseFramer();
  #reader: ResponseStreamReader;
  #blocks = new Map<number, Block>();
  #tools: string[] = [];
  #finish = '';
  /** Usage of the stream, or from another source, because not every client receives it. */
  #usage: Usage | null = null;
  #findings: FindingCounts = new Map();
  #hasNewFinding = false;
  #hasOpened = false;
  #held: Buffer[] = [];
  #isFinishing = false;
  #isEvaluated = false;
  /** The response that an error event of Responses must continue. */
  #response: JsonObject | null = null;
  #lastData = '';

  constructor(x: Exchange, context: ResponsePolicyContext, usage: Usage | null = null) {
    this.#x = x;
    this.#usage = usage;
    this.#context = context;
    this.#earlyPolicies = selectEarlyPolicies(context.policySet);
    this.#mayDeny = context.policySet.policies.some(canDeny);
    this.#reader = UPSTREAM_DIALECTS[x.surface.dialect].createResponseReader(
      (event) => this.#onAnswerEvent(event),
      {
        id: x.id,
      },
    );
  }

  /** Returns the part of `bytes` that can be forwarded now. Check `fault` afterwards. */
  filter(bytes: Buffer | string): Buffer {
    const frames = this.#framer.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    const passing: Buffer[] = [];
    let from = frames.lead;
    for (const end of frames.ends) {
      if (this.fault) break;
      this.#filterFrame(frames.bytes.subarray(from, end), passing);
      from = end;
    }
    return passing.length === 1 && passing[0] ? passing[0] : Buffer.concat(passing);
  }

  /** Ends the response. Returns the bytes that were held back, unless a policy denies them. */
  end(): Buffer {
    if (!this.#isEvaluated) {
      this.#reader.end();
      this.#evaluateWhole();
    }
    const held = this.fault ? [] : this.#held;
    this.#held = [];
    return Buffer.concat(held);
  }

  /** Formats the error for a stream of the client's dialect. It contains nothing that was held back. */
  formatError(fault: Fault): string {
    const { id, surface } = this.#x;
    if (surface.dialect === 'messages')
      return formatSseFrame('error', formatFaultBody(fault, id, 'anthropic'));
    if (surface.dialect === 'responses')
      return formatResponsesFailure(fault, this.#response, this.#lastData, id);
    return formatSseFrame(undefined, formatFaultBody(fault, id, 'openai'));
  }

  #filterFrame(frame: Buffer, passing: Buffer[]): void {
    const event = parseSseFrame(frame);
    if (event) this.#readEvent(event);
    if (this.fault) return;
    if (this.#isFinishing && !this.#isEvaluated && this.#mayDeny) {
      this.#held.push(frame);
      return;
    }
    if (this.#held.length > 0) passing.push(...this.#held);
    this.#held = [];
    passing.push(frame);
    this.hasContent ||= this.#hasOpened;
    if (event) this.#recordPassed(event);
  }

  #readEvent({ event, data }: SseEvent): void {
    this.#isFinishing ||= FINISH_PATTERN.test(data);
    this.#reader.read({ event, data });
    if (this.#hasNewFinding && this.#earlyPolicies) this.#evaluateEarly(this.#earlyPolicies);
    if (!this.fault && this.#isFinishing && FINAL_EVENT_PATTERN.test(data)) this.#evaluateWhole();
  }

  #recordPassed({ event, data }: SseEvent): void {
    if (this.#x.surface.dialect !== 'responses') return;
    this.#lastData = data;
    if (event !== 'response.created') return;
    const parsed = tryParseJson(data);
    if (isObject(parsed) && isObject(parsed['response'])) this.#response = parsed['response'];
  }

  #onAnswerEvent(event: ResponseEvent): void {
    if (event.type === 'open') {
      this.#hasOpened = true;
      this.#blocks.set(event.block, { pieces: [], tail: '' });
      if (event.kind === 'tool' && event.name !== undefined) this.#tools.push(event.name);
    } else if (event.type === 'delta') this.#addText(event.block, event.text);
    else if (event.type === 'usage') this.#usage = event.usage;
    else if (event.type === 'finish') {
      this.#hasOpened = true;
      this.#finish = event.raw;
    }
  }

  #addText(at: number, text: string): void {
    const block = this.#blocks.get(at);
    if (!block) return;
    block.pieces.push(text);
    if (this.#earlyPolicies === null) return;
    const recent = block.tail + text;
    block.tail = recent.slice(-MATCH_TAIL_CHARS);
    for (const { kind } of new SensitiveDataScan(recent, this.#earlyPolicies.detects).findings) {
      if (this.#findings.has(kind)) continue;
      this.#findings.set(kind, 1);
      this.#hasNewFinding = true;
    }
  }

  /** Evaluates policies that need only the findings so far. */
  #evaluateEarly(policySet: PolicySet): void {
    this.#hasNewFinding = false;
    const subject = new ResponseSubject(EMPTY_ANSWER, this.#context.request, policySet, {
      find: () => this.#findings,
      locate: () => null,
      limits: null,
    });
    const evaluation = evaluatePolicies(policySet, subject);
    if (this.#applyDenial(evaluation)) recordStreamDecisions(this.#x, evaluation);
  }

  #evaluateWhole(): void {
    this.#isEvaluated = true;
    const { policySet, request } = this.#context;
    const texts = [...this.#blocks.values()].map(({ pieces }) => pieces.join(''));
    const text = texts.join('\n');
    const answer = {
      text,
      finish: this.#finish,
      tools: this.#tools,
      usage: this.#usage ?? this.#x.answer.usage,
    };
    const subject = new ResponseSubject(answer, request, policySet, {
      find: () => findInTexts(texts, policySet),
      locate: () => null,
      limits: null,
    });
    const evaluation = evaluatePolicies(policySet, subject);
    recordStreamDecisions(this.#x, evaluation);
    this.#applyDenial(evaluation);
  }

  #applyDenial({ deniedBy, redact, decisions }: PolicyEvaluation): boolean {
    if (deniedBy) this.fault = new Fault('policy_denied', formatDenialMessage(deniedBy));
    else if (redact.size > 0)
      this.fault = unredactableFault(decisions.find((one) => one.outcome === 'redacted')?.policy);
    return this.fault !== null;
  }
}

/**
 * Applies the response policies to a cached stream and returns the resulting bytes.
 * @throws Fault `policy_denied` before anything is sent
 */
export function applyPoliciesToCachedStream(
  x: Exchange,
  text: Buffer | string,
  usage: Usage | null,
): Buffer | string {
  if (x.policy.answerContext === null) return text;
  const filter = new StreamPolicyFilter(x, x.policy.answerContext, usage);
  const good = filter.filter(text);
  const rest = filter.end();
  if (filter.fault) throw filter.fault;
  return Buffer.concat([good, rest]);
}

const EMPTY_ANSWER = { text: '', finish: '', tools: [], usage: null } as const;

function unredactableFault(policy: CompiledPolicy | undefined): Fault {
  return new Fault(
    'policy_denied',
    `The policy "${policy?.name}" redacts values in responses, which is not possible in this stream. Send the request with stream: false.`,
  );
}

function canDeny({ action, enforced }: CompiledPolicy): boolean {
  return enforced && (action === 'deny' || action === 'redact');
}

/** A stream cannot be redacted. A finding that would be redacted stops it. */
function recordStreamDecisions(x: Exchange, evaluation: PolicyEvaluation): void {
  const decisions = evaluation.decisions.map((decision) =>
    decision.outcome === 'redacted' ? { ...decision, outcome: 'denied' as const } : decision,
  );
  recordPolicyDecisions(x, { ...evaluation, decisions });
}

function findInTexts(texts: readonly string[], { detects }: PolicySet): FindingCounts {
  const found: FindingCounts = new Map();
  for (const text of texts)
    for (const [kind, count] of countFindingsInText(text, detects))
      found.set(kind, (found.get(kind) ?? 0) + count);
  return found;
}

/**
 * Returns the policies that can stop a stream early: those that detect data and do not read the complete
 * response.
 */
function selectEarlyPolicies(policySet: PolicySet): PolicySet | null {
  const { policies } = policySet;
  const asks = ({ condition }: CompiledPolicy) =>
    [...(condition?.inputs ?? [])].some((need) => /^(?:answer|usage)\b/.test(need));
  // An `allow` whose condition is not known yet may exempt the response from later policies.
  const open = policies.findIndex((policy) => policy.action === 'allow' && policy.enforced && asks(policy));
  const before = open === -1 ? policies : policies.slice(0, open);
  const early = before.filter((policy) => policy.detects !== null && !asks(policy));
  if (!early.some(canDeny)) return null;
  const detects = new Set(early.flatMap((policy) => [...(policy.detects ?? [])]));
  return { ...policySet, policies: early, detects };
}
