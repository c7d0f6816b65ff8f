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
} from '../json-narrowing.ts';
import type { EmitResponseEvent, Seal } from '../response-events.ts';
import { RESPONSE_SHAPES } from '../response-members.ts';
import type { SseEvent } from '../sse.ts';
import { parseStreamEvent } from '../stream-event-json.ts';
import { generateCallId } from '../tool-identifiers.ts';
import { PartialArgumentsBuilder } from './partial-arguments.ts';
import { readGeminiUsage } from './usage.ts';

/** The members of a part that are translated. */
const PART_MEMBERS = new Set(['text', 'thought', 'thoughtSignature', 'functionCall']);
/** Identifies events that contain arguments. */
const CALL_MEMBERS = ['functionCall'];

/** Creates a reader for a streamGenerateContent stream (`alt=sse`). */
export function createResponseReader(
  emit: EmitResponseEvent,
  options: ResponseReadOptions,
): ResponseStreamReader {
  return new GeminiAnswerReader(emit, options);
}

/** Reads a generateContent response, or the array of chunks of a stream without `alt=sse`. */
export function readCompleteResponse(body: Json, options: ResponseReadOptions): CanonicalResponse {
  const fold = new ResponseAccumulator();
  new GeminiAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

interface StreamedCall {
  readonly id: string;
  readonly name: string;
  readonly args: PartialArgumentsBuilder;
}

class GeminiAnswerReader implements ResponseStreamReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ResponseReadOptions;
  #usage: JsonObject = {};
  #finish: ResponseFinish | undefined;
  #blocked = false;
  #streamed: StreamedCall | undefined;

  constructor(emit: EmitResponseEvent, options: ResponseReadOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    const data = frame.data.trim();
    if (this.#blocks.ended || data === '' || data === '[DONE]') return;
    const chunk = parseStreamEvent(data, CALL_MEMBERS);
    if (!isJsonObject(chunk)) {
      this.#blocks.failUnreadable(frame);
      return;
    }
    this.#chunk(chunk);
  }

  /** The stream ends with the connection, because parts and usage may follow the chunk with the finish. */
  end(): void {
    if (this.#blocks.ended) return;
    if (this.#finish === undefined) {
      this.#blocks.failIncomplete();
      return;
    }
    this.#endStreamedCall();
    this.#blocks.recordUsage(readGeminiUsage(this.#usage));
    this.#blocks.finish(this.#finish.raw, this.#blocked ? 'refusal' : undefined);
  }

  whole(body: Json): void {
    const chunks = isJsonArray(body) ? body : [body];
    for (const chunk of chunks) if (isJsonObject(chunk)) this.#chunk(chunk);
    if (!this.#blocks.ended && this.#finish === undefined)
      this.#blocks.fail(
        new Fault('upstream_error', 'The provider sent a response without content. Send the request again.'),
      );
    this.end();
  }

  #chunk(chunk: JsonObject): void {
    if (isNonEmpty(chunk['error'])) {
      this.#blocks.failWithUpstreamError(chunk);
      return;
    }
    this.#blocks.start(asString(chunk['responseId']) ?? '', asString(chunk['modelVersion']) ?? '');
    const usage = asObject(chunk['usageMetadata']);
    if (usage) this.#usage = { ...this.#usage, ...usage };
    this.#blocks.reportUnknownMembers(chunk, RESPONSE_SHAPES.gemini.root);
    const feedback = asObject(chunk['promptFeedback']) ?? {};
    const blockReason = asString(feedback['blockReason']);
    if (blockReason !== undefined) {
      this.#blocked = true;
      this.#finish = mergeFinishReason(this.#finish, blockReason);
    }
    this.#candidates(asArray(chunk['candidates']));
  }

  /** Only the first candidate is read. JSON omits its index, which is 0, so another one without an index is later. */
  #candidates(candidates: readonly Json[]): void {
    let isFirst = true;
    for (const entry of candidates) {
      const candidate = asObject(entry) ?? {};
      const index = asNumber(candidate['index']) ?? (isFirst ? 0 : undefined);
      if (index !== 0) this.#blocks.reportLostContent('candidates');
      else {
        this.#candidate(candidate);
        isFirst = false;
      }
    }
  }

  #candidate(candidate: JsonObject): void {
    for (const entry of asArray(asObject(candidate['content'])?.['parts'])) this.#part(asObject(entry) ?? {});
    this.#finish = mergeFinishReason(this.#finish, readRawFinishReason(candidate['finishReason']));
  }

  #part(part: JsonObject): void {
    const signature = asString(part['thoughtSignature']);
    const call = asObject(part['functionCall']);
    const text = asString(part['text']) ?? '';
    const isThought = part['thought'] === true;
    this.#reportUnknownMembers(part, isThought);
    // A part that contains only an empty call ends a streamed call.
    if (call && (isNonEmpty(call) || (this.#streamed && text === ''))) {
      if (signature) this.#proof(signature);
      this.#call(call);
      return;
    }
    if (isThought) {
      this.#blocks.appendText('reasoning', text);
      if (signature) this.#proof(signature);
      return;
    }
    if (signature) {
      this.#proof(signature);
      this.#blocks.appendText('text', text);
      this.#blocks.closeText();
    } else this.#blocks.appendText('text', text);
  }

  #reportUnknownMembers(part: JsonObject, isThought: boolean): void {
    for (const name of Object.keys(part)) {
      if (PART_MEMBERS.has(name) || !isNonEmpty(part[name])) continue;
      if (name === 'partMetadata') this.#blocks.reportDropped(name);
      else if (isThought) this.#blocks.reportDropped(`thought.${name}`);
      else this.#blocks.reportLostContent(name);
    }
  }

  /** The seal precedes the part that it came with: at the end of the reasoning block, or in its own block. */
  #proof(value: string): void {
    const seal: Seal = { dialect: 'gemini', value, origin: this.#options.sealOrigin };
    if (this.#blocks.openTextKind === 'reasoning') this.#blocks.closeText(seal);
    else this.#blocks.emitSealedBlock(seal);
  }

  #call(call: JsonObject): void {
    this.#blocks.reportUnknownMembers(call, RESPONSE_SHAPES.gemini.call);
    const name = asString(call['name']) || undefined;
    const more = call['willContinue'] === true;
    if (name !== undefined && (more || isNonEmpty(call['partialArgs']))) {
      this.#endStreamedCall();
      this.#streamed = { id: this.#callId(call), name, args: new PartialArgumentsBuilder() };
    }
    if (this.#streamed && (name === undefined || name === this.#streamed.name)) {
      if (!this.#streamed.args.add(call['partialArgs']))
        this.#blocks.reportLostContent('functionCall.partialArgs');
      if (!more) this.#endStreamedCall();
      return;
    }
    if (name === undefined) this.#blocks.reportLostContent('functionCall.nameless');
    else this.#whole(this.#callId(call), name, JSON.stringify(isNonEmpty(call['args']) ? call['args'] : {}));
  }

  #endStreamedCall(): void {
    const call = this.#streamed;
    this.#streamed = undefined;
    if (call) this.#whole(call.id, call.name, call.args.text);
  }

  #whole(id: string, name: string, args: string): void {
    this.#blocks.closeText();
    const block = this.#blocks.open('tool', id, name);
    this.#blocks.delta(block, args);
    this.#blocks.close(block);
  }

  #callId(call: JsonObject): string {
    return asString(call['id']) || generateCallId(this.#options.id, this.#blocks.toolCallCount);
  }
}
