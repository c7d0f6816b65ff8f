import { type Found, findInText } from '@floe/conditions/detect/json-texts';
import { Scan } from '@floe/conditions/detect/scan';
import { faultBody } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { AnswerReader } from '@floe/wire/dialect';
import { UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import type { AnswerEvent } from '@floe/wire/events';
import { parseJson } from '@floe/wire/json-read';
import { readFrame, type SseEvent, SseFramer, writeFrame } from '@floe/wire/sse';
import type { Usage } from '@floe/wire/usage';
import { AnswerSubject } from '../../guardrails/policies/answer-subject.ts';
import { denialOf, type Judgement, judge } from '../../guardrails/policies/judge.ts';
import type { Policy, PolicySide } from '../../guardrails/policies/policies.ts';
import type { Exchange } from '../exchange-record.ts';
import { responsesFailure } from '../responses-failure.ts';
import type { AnswerGate } from './answer-side.ts';
import { note } from './request-gate.ts';

/** How far back a value may have begun that ends in the newest frame; longer ones are found at the end. */
const TAIL_CHARS = 1024;
/** What tells that an answer is about to be over; escaped quotes keep content from looking like it. */
const FINISHES =
  /"(?:finish_reason|stop_reason)"\s*:\s*"|"type"\s*:\s*"(?:message_stop|response\.(?:completed|incomplete|failed))"|^\[DONE\]$/;
const LAST = /"type"\s*:\s*"(?:message_stop|response\.(?:completed|incomplete|failed))"|^\[DONE\]$/;

interface Block {
  /** In pieces: joined once, at the end. */
  readonly pieces: string[];
  tail: string;
}

/**
 * Judges a stream on its way to the client, frame by frame, in the client's own dialect. A frame that completes a
 * value some rule denies is not passed, and nothing after it. Frames that announce the finish are held until the
 * whole answer was judged, so that a stopped stream never looks finished.
 */
export class StreamGate {
  /** Set once: nothing more may pass, and this is told. */
  fault: Fault | null = null;
  /** Something that passed is content, not only an announcement. */
  content = false;
  #x: Exchange;
  #gate: AnswerGate;
  #early: PolicySide | null;
  /** Rules in force could deny the answer: its finish waits for them. */
  #mayStop: boolean;
  #framer = new SseFramer();
  #reader: AnswerReader;
  #blocks = new Map<number, Block>();
  #tools: string[] = [];
  #finish = '';
  /** As the stream says it, else as it is known from elsewhere: not every client is shown it. */
  #usage: Usage | null = null;
  #seen: Found = new Map();
  #sawNew = false;
  #opened = false;
  #held: Buffer[] = [];
  #isFinishing = false;
  #isJudged = false;
  /** What an error event of the Responses dialect goes on from. */
  #response: JsonObject | null = null;
  #lastData = '';

  constructor(x: Exchange, gate: AnswerGate, usage: Usage | null = null) {
    this.#x = x;
    this.#usage = usage;
    this.#gate = gate;
    this.#early = earlySide(gate.side);
    this.#mayStop = gate.side.policies.some(stops);
    this.#reader = UPSTREAM_DIALECTS[x.surface.dialect].answerReader((event) => this.#hear(event), {
      id: x.id,
    });
  }

  /** The part of `bytes` that may pass now; look at `fault` afterwards. */
  pass(bytes: Buffer | string): Buffer {
    const frames = this.#framer.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    const passing: Buffer[] = [];
    let from = frames.lead;
    for (const end of frames.ends) {
      if (this.fault) break;
      this.#frame(frames.bytes.subarray(from, end), passing);
      from = end;
    }
    return passing.length === 1 && passing[0] ? passing[0] : Buffer.concat(passing);
  }

  /** The answer is over: what was held may pass, unless a rule denies it. */
  end(): Buffer {
    if (!this.#isJudged) {
      this.#reader.end();
      this.#judgeWhole();
    }
    const held = this.fault ? [] : this.#held;
    this.#held = [];
    return Buffer.concat(held);
  }

  /** The error as the client's dialect tells it inside a stream; of what did not pass it repeats nothing. */
  failure(fault: Fault): string {
    const { id, surface } = this.#x;
    if (surface.dialect === 'messages') return writeFrame('error', faultBody(fault, id, 'anthropic'));
    if (surface.dialect === 'responses') return responsesFailure(fault, this.#response, this.#lastData, id);
    return writeFrame(undefined, faultBody(fault, id, 'openai'));
  }

  #frame(frame: Buffer, passing: Buffer[]): void {
    const event = readFrame(frame);
    if (event) this.#read(event);
    if (this.fault) return;
    if (this.#isFinishing && !this.#isJudged && this.#mayStop) {
      this.#held.push(frame);
      return;
    }
    if (this.#held.length > 0) passing.push(...this.#held);
    this.#held = [];
    passing.push(frame);
    this.content ||= this.#opened;
    if (event) this.#notePassed(event);
  }

  #read({ event, data }: SseEvent): void {
    this.#isFinishing ||= FINISHES.test(data);
    this.#reader.read({ event, data });
    if (this.#sawNew && this.#early) this.#judgeEarly(this.#early);
    if (!this.fault && this.#isFinishing && LAST.test(data)) this.#judgeWhole();
  }

  #notePassed({ event, data }: SseEvent): void {
    if (this.#x.surface.dialect !== 'responses') return;
    this.#lastData = data;
    if (event !== 'response.created') return;
    const parsed = parseJson(data);
    if (isObject(parsed) && isObject(parsed['response'])) this.#response = parsed['response'];
  }

  #hear(event: AnswerEvent): void {
    if (event.type === 'open') {
      this.#opened = true;
      this.#blocks.set(event.block, { pieces: [], tail: '' });
      if (event.kind === 'tool' && event.name !== undefined) this.#tools.push(event.name);
    } else if (event.type === 'delta') this.#delta(event.block, event.text);
    else if (event.type === 'usage') this.#usage = event.usage;
    else if (event.type === 'finish') {
      this.#opened = true;
      this.#finish = event.raw;
    }
  }

  #delta(at: number, text: string): void {
    const block = this.#blocks.get(at);
    if (!block) return;
    block.pieces.push(text);
    if (this.#early === null) return;
    const recent = block.tail + text;
    block.tail = recent.slice(-TAIL_CHARS);
    for (const { kind } of new Scan(recent, this.#early.detects).findings) {
      if (this.#seen.has(kind)) continue;
      this.#seen.set(kind, 1);
      this.#sawNew = true;
    }
  }

  /** Rules that need nothing but what was found so far. */
  #judgeEarly(side: PolicySide): void {
    this.#sawNew = false;
    const subject = new AnswerSubject(NOTHING, this.#gate.request, side, () => this.#seen);
    const judgement = judge(side, subject);
    if (this.#stops(judgement)) noteStream(this.#x, judgement);
  }

  #judgeWhole(): void {
    this.#isJudged = true;
    const { side, request } = this.#gate;
    const texts = [...this.#blocks.values()].map(({ pieces }) => pieces.join(''));
    const text = texts.join('\n');
    const answer = {
      text,
      finish: this.#finish,
      tools: this.#tools,
      usage: this.#usage ?? this.#x.answer.usage,
    };
    const subject = new AnswerSubject(answer, request, side, () => findIn(texts, side));
    const judgement = judge(side, subject);
    noteStream(this.#x, judgement);
    this.#stops(judgement);
  }

  #stops({ deniedBy, redact, decisions }: Judgement): boolean {
    if (deniedBy) this.fault = new Fault('policy_denied', denialOf(deniedBy));
    else if (redact.size > 0)
      this.fault = unwritable(decisions.find((one) => one.outcome === 'redacted')?.policy);
    return this.fault !== null;
  }
}

/** A kept stream as the client may have it. @throws Fault `policy_denied` before anything of it was told */
export function judgedStream(x: Exchange, text: Buffer | string, usage: Usage | null): Buffer | string {
  if (x.judged.gate === null) return text;
  const gate = new StreamGate(x, x.judged.gate, usage);
  const good = gate.pass(text);
  const rest = gate.end();
  if (gate.fault) throw gate.fault;
  return Buffer.concat([good, rest]);
}

const NOTHING = { text: '', finish: '', tools: [], usage: null } as const;

function unwritable(policy: Policy | undefined): Fault {
  return new Fault(
    'policy_denied',
    `The policy "${policy?.name}" takes values out of answers, which a stream cannot have done to it; ask for the answer whole (stream: false).`,
  );
}

function stops({ action, enforced }: Policy): boolean {
  return enforced && (action === 'deny' || action === 'redact');
}

/** Nothing is taken out of a stream: what would be, stops it. */
function noteStream(x: Exchange, judgement: Judgement): void {
  const decisions = judgement.decisions.map((decision) =>
    decision.outcome === 'redacted' ? { ...decision, outcome: 'denied' as const } : decision,
  );
  note(x, { ...judgement, decisions });
}

function findIn(texts: readonly string[], { detects }: PolicySide): Found {
  const found: Found = new Map();
  for (const text of texts)
    for (const [kind, count] of findInText(text, detects)) found.set(kind, (found.get(kind) ?? 0) + count);
  return found;
}

/** The rules that can stop a stream before its end: those that look for something and ask nothing of the whole answer. */
function earlySide({ policies, needs }: PolicySide): PolicySide | null {
  const asks = ({ condition }: Policy) =>
    [...(condition?.needs ?? [])].some((need) => /^(?:answer|usage)\b/.test(need));
  // An exception whose condition is not known yet may still spare what comes behind it.
  const open = policies.findIndex((policy) => policy.action === 'allow' && policy.enforced && asks(policy));
  const before = open === -1 ? policies : policies.slice(0, open);
  const early = before.filter((policy) => policy.detects !== null && !asks(policy));
  if (!early.some(stops)) return null;
  return { policies: early, needs, detects: new Set(early.flatMap(({ detects }) => [...(detects ?? [])])) };
}
