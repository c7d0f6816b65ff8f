import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { BlockEmitter } from '../block-emitter.ts';
import { type CanonicalResponse, ResponseAccumulator } from '../canonical-response.ts';
import type { ResponseReadOptions, ResponseStreamReader } from '../dialect.ts';
import { mergeFinishReason, type ResponseFinish, readRawFinishReason } from '../finish-reason.ts';
import {
  asArray,
  asNumber,
  asObject,
  asString,
  isJsonArray,
  isJsonObject,
  isNonEmpty,
  tryParseJson,
} from '../json-narrowing.ts';
import type { EmitResponseEvent } from '../response-events.ts';
import { RESPONSE_SHAPES } from '../response-members.ts';
import type { SseEvent } from '../sse.ts';
import { parseExactStreamEvent } from '../stream-event-json.ts';
import { readChatUsage } from '../usage.ts';
import { AdditionalChoicesReader, type ChoiceReader, readAllChoices } from './additional-choices-reader.ts';
import { ChoiceDeltaReader, mustKeepExactNumbers, readChoiceMessage } from './choice-reader.ts';
import { ReasoningDetailsCollector } from './reasoning-details.ts';
import { ThinkTagSplitter } from './think-tag-splitter.ts';
import { ToolCallAssembler } from './tool-call-assembler.ts';

/** Members of a response or its message that are parts of the answer. */
const CONTENT_EXTRAS = ['audio', 'images', 'video', 'videos', 'executed_tools'] as const;
/** Members of a part that contain reasoning. The first one is used. */
const THINKING_MEMBERS = ['thinking', 'text', 'reasoning'] as const;
/** Maximum number of tool calls in a stream, because a stream has no maximum size. */
const MAX_TOOL_CALLS = 10_000;

/** Creates a reader for Chat Completions chunks. It accepts the variants of all known providers. */
export function createResponseReader(
  emit: EmitResponseEvent,
  options: ResponseReadOptions,
): ResponseStreamReader {
  return new ChatAnswerReader(emit, options);
}

/** Reads a complete Chat Completions response, or an error body. */
export function readCompleteResponse(body: Json, options: ResponseReadOptions): CanonicalResponse {
  const read = (whole: Json) => readFirstChoice(whole, { ...options, allChoices: false });
  return options.allChoices ? readAllChoices(body, read) : read(body);
}

function readFirstChoice(body: Json, options: ResponseReadOptions): CanonicalResponse {
  const fold = new ResponseAccumulator();
  new ChatAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

class ChatAnswerReader implements ResponseStreamReader, ChoiceReader {
  readonly #blocks: BlockEmitter;
  /** Undefined if only the first choice is read. */
  readonly #others: AdditionalChoicesReader | undefined;
  readonly #calls: ToolCallAssembler;
  readonly #details = new ReasoningDetailsCollector();
  readonly #pieces = new ChoiceDeltaReader();
  readonly #think: ThinkTagSplitter | undefined;
  readonly #origin: string | undefined;
  #finish: ResponseFinish | undefined;

  constructor(emit: EmitResponseEvent, options: ResponseReadOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#calls = new ToolCallAssembler(this.#blocks, options.id);
    this.#think = options.thinkTags ? new ThinkTagSplitter() : undefined;
    this.#origin = options.sealOrigin;
    const single = { ...options, allChoices: false };
    this.#others = options.allChoices
      ? new AdditionalChoicesReader(
          emit,
          (receive) => new ChatAnswerReader(receive, single),
          (fault) => this.#blocks.fail(fault),
        )
      : undefined;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended) return;
    const data = frame.data.trim();
    if (data === '') return;
    if (data === '[DONE]') {
      this.end();
      return;
    }
    let chunk = tryParseJson(data);
    if (isJsonObject(chunk) && mustKeepExactNumbers(chunk)) chunk = parseExactStreamEvent(data);
    if (!isJsonObject(chunk)) {
      this.#blocks.failUnreadable(frame);
      return;
    }
    if (frame.event === 'error' || isErrorChunk(chunk)) {
      this.#error(chunk);
      return;
    }
    this.#chunk(chunk, (choice) => this.readChoice(choice));
  }

  readChoice(choice: JsonObject): void {
    if (this.#blocks.ended) return;
    this.#choice(choice, this.#pieces.read(choice));
    if (this.#calls.callCount > MAX_TOOL_CALLS)
      this.#blocks.fail(
        new Fault(
          'upstream_error',
          `The provider sent more than ${MAX_TOOL_CALLS} tool calls, the maximum that Floe accepts in a stream.`,
        ),
      );
  }

  end(): void {
    this.#others?.end();
    if (this.#blocks.ended) return;
    if (this.#finish === undefined) {
      this.#blocks.failIncomplete();
      return;
    }
    this.#complete(this.#finish.raw);
  }

  whole(body: Json): void {
    if (!isJsonObject(body) || isErrorChunk(body) || asArray(body['choices']).length === 0) {
      if (isJsonObject(body) && isErrorChunk(body)) {
        this.#error(body);
        return;
      }
      this.#blocks.fail(
        new Fault('upstream_error', 'The provider sent a response without content. Send the request again.'),
      );
      return;
    }
    let hasMessage = false;
    this.#chunk(body, (choice) => {
      const message = readChoiceMessage(choice);
      hasMessage ||= message !== undefined;
      this.#choice(choice, message);
    });
    const problem = hasMessage
      ? 'a response without a finish reason. Send the request again.'
      : 'a choice that has no message. Send the request again.';
    if (hasMessage && this.#finish !== undefined) this.#complete(this.#finish.raw);
    else this.#blocks.fail(new Fault('upstream_error', `The provider sent ${problem}`));
  }

  #error(chunk: JsonObject): void {
    this.#usage(chunk, undefined);
    this.#blocks.failWithUpstreamError(chunk);
  }

  #complete(raw: string): void {
    this.#think?.end((kind, text) => this.#prose(kind, text));
    this.#flushSeal();
    this.#blocks.closeText();
    this.#calls.finish();
    this.#blocks.finish(raw);
  }

  #chunk(chunk: JsonObject, readFirst: (choice: JsonObject) => void): void {
    this.#blocks.start(asString(chunk['id']) ?? '', asString(chunk['model']) ?? '');
    this.#blocks.reportUnknownMembers(chunk, RESPONSE_SHAPES.chat);
    this.#reportExtras(chunk);
    const first: JsonObject[] = [];
    const others: { readonly index: number; readonly choice: JsonObject }[] = [];
    for (const [place, entry] of asArray(chunk['choices']).entries()) {
      if (!isJsonObject(entry)) continue;
      const given = asNumber(entry['index']);
      const index = given ?? 0;
      // A chunk may contain several pieces of the first choice, but only if they have its index.
      if (index === 0 && (first.length === 0 || (given === 0 && !this.#others))) first.push(entry);
      else if (this.#others === undefined) this.#blocks.reportLostContent('choices');
      // Another choice without an index has only a place.
      else others.push({ index: index === 0 ? -place : index, choice: entry });
    }
    this.#usage(chunk, first[0]);
    for (const choice of first) readFirst(choice);
    for (const { index, choice } of others) if (!this.#blocks.ended) this.#others?.read(index, choice);
  }

  #choice(choice: JsonObject, delta: JsonObject | undefined): void {
    if (delta) this.#delta(delta);
    this.#finish = mergeFinishReason(this.#finish, readRawFinishReason(choice['finish_reason']));
  }

  /** Providers report usage at the top level, in a vendor member or in the choice. */
  #usage(chunk: JsonObject, choice: JsonObject | undefined): void {
    // Use the first non-empty place. Providers also send empty ones.
    for (const place of [chunk, asObject(chunk['x_groq']), choice]) {
      const usage = readChatUsage(place?.['usage'], chunk['service_tier']);
      if (usage === undefined) continue;
      this.#blocks.recordUsage(usage);
      return;
    }
  }

  #delta(delta: JsonObject): void {
    this.#reasoning(delta);
    const content = delta['content'];
    if (typeof content === 'string') this.#text(content);
    else if (isJsonArray(content)) this.#parts(content);
    else if (isJsonObject(content) && isNonEmpty(content)) this.#parts([content]);
    else if (isNonEmpty(content)) this.#blocks.reportLostContent('content');
    const refusal = asString(delta['refusal']);
    if (refusal) this.#prose('refusal', refusal);
    const calls = delta['tool_calls'];
    if (isJsonArray(calls))
      calls.forEach((entry, place) => {
        if (isJsonObject(entry)) this.#call(entry, place);
      });
    const legacy = asObject(delta['function_call']);
    if (legacy) this.#call({ function: legacy }, 0);
    this.#reportExtras(delta);
  }

  #reportExtras(object: JsonObject): void {
    for (const extra of CONTENT_EXTRAS) if (isNonEmpty(object[extra])) this.#blocks.reportLostContent(extra);
  }

  #call(entry: JsonObject, place: number): void {
    this.#flushSeal();
    this.#calls.add(entry, place);
  }

  #reasoning(delta: JsonObject): void {
    const plain = asString(delta['reasoning_content']) || asString(delta['reasoning']) || '';
    const details = delta['reasoning_details'];
    const detailed = details === undefined ? '' : this.#details.add(details);
    this.#prose('reasoning', plain || detailed);
  }

  #parts(parts: readonly Json[]): void {
    for (const entry of parts) {
      if (typeof entry === 'string') this.#text(entry);
      else if (isJsonObject(entry)) this.#part(entry);
      else this.#blocks.reportLostContent('content.unknown');
    }
  }

  #part(part: JsonObject): void {
    const { type, text } = part;
    const name = `content.${asString(type) ?? 'unknown'}`;
    if (type === 'thinking' || type === 'reasoning') {
      const used = THINKING_MEMBERS.find((member) => isNonEmpty(part[member]));
      this.#prose('reasoning', joinTextParts(used && part[used]));
      for (const member of THINKING_MEMBERS)
        if (isNonEmpty(part[member]) && part[member] !== (used && part[used]))
          this.#blocks.reportDropped(member);
      return;
    }
    const refusal = type === 'refusal' ? (part['refusal'] ?? text) : undefined;
    if (typeof refusal === 'string') this.#prose('refusal', refusal);
    else if (typeof text !== 'string') this.#blocks.reportLostContent(name);
    else {
      if (type !== undefined && type !== null && type !== 'text' && type !== 'output_text')
        this.#blocks.reportUnknownTextPart(part, name);
      this.#text(text);
    }
  }

  #text(text: string): void {
    if (text === '') return;
    if (this.#think) this.#think.push(text, (kind, piece) => this.#prose(kind, piece));
    else this.#prose('text', text);
  }

  #prose(kind: 'text' | 'refusal' | 'reasoning', text: string): void {
    if (text === '') return;
    if (this.#blocks.openTextKind !== kind) {
      if (kind !== 'reasoning') this.#flushSeal();
      this.#calls.closeCompleteCalls();
    }
    this.#blocks.appendText(kind, text);
  }

  /** The seal closes its reasoning block. If that block is already closed, the seal gets its own block. */
  #flushSeal(): void {
    const seal = this.#details.takeSeal(this.#origin);
    if (seal === undefined) return;
    if (this.#blocks.openTextKind === 'reasoning') this.#blocks.closeText(seal);
    else this.#blocks.emitSealedBlock(seal);
  }
}

function joinTextParts(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return asArray(value)
    .map((entry) => asString(asObject(entry)?.['text']) ?? '')
    .join('');
}

/** Recognizes errors with status 200: `error`, a flat error object, or a failed `base_resp`. */
function isErrorChunk(chunk: JsonObject): boolean {
  const { error } = chunk;
  if ((isNonEmpty(error) && error !== false) || chunk['object'] === 'error') return true;
  if (chunk['type'] === 'error' && asArray(chunk['choices']).length === 0) return true;
  const base = asObject(chunk['base_resp']);
  return base !== undefined && (asNumber(base['status_code']) ?? 0) !== 0;
}
