import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { type Answer, AnswerFold } from '../answer.ts';
import { BlockEmitter } from '../block-emitter.ts';
import type { AnswerReader, ReaderOptions } from '../dialect.ts';
import type { Emit, Seal } from '../events.ts';
import { isArray, isObject, listOf, numberOf, objectOf, parseEvent, says, textOf } from '../json-read.ts';
import type { SseEvent } from '../sse.ts';
import { madeCallId } from '../tool-names.ts';
import { PartialArgs } from './partial-args.ts';
import { readGeminiUsage } from './usage.ts';

const CANDIDATE_EXTRAS = ['groundingMetadata', 'citationMetadata', 'urlContextMetadata'] as const;
/** Marks the events that hold arguments. */
const CALL = ['functionCall'];
const PART_WORDS = new Set(['text', 'thought', 'thoughtSignature', 'functionCall', 'partMetadata']);

/** Reads a streamGenerateContent stream (`alt=sse`). */
export function answerReader(emit: Emit, options: ReaderOptions): AnswerReader {
  return new GeminiAnswerReader(emit, options);
}

/** Reads a generateContent answer, or the array of chunks a stream without `alt=sse` is. */
export function readAnswer(body: Json, options: ReaderOptions): Answer {
  const fold = new AnswerFold();
  new GeminiAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

interface StreamedCall {
  readonly id: string;
  readonly name: string;
  readonly args: PartialArgs;
}

class GeminiAnswerReader implements AnswerReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ReaderOptions;
  #usage: JsonObject = {};
  #finish: string | undefined;
  #blocked = false;
  #streamed: StreamedCall | undefined;

  constructor(emit: Emit, options: ReaderOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    const data = frame.data.trim();
    if (this.#blocks.ended || data === '' || data === '[DONE]') return;
    const chunk = parseEvent(data, CALL);
    if (!isObject(chunk)) {
      this.#blocks.broken('The provider sent an event that is not JSON.');
      return;
    }
    this.#chunk(chunk);
  }

  /** The stream ends with the connection: parts and usage may follow the chunk that names the finish. */
  end(): void {
    if (this.#blocks.ended) return;
    if (this.#finish === undefined) {
      this.#blocks.broken();
      return;
    }
    this.#endStreamedCall();
    this.#blocks.usage(readGeminiUsage(this.#usage));
    this.#blocks.finish(this.#finish, this.#blocked ? 'refusal' : undefined);
  }

  whole(body: Json): void {
    const chunks = isArray(body) ? body : [body];
    for (const chunk of chunks) if (isObject(chunk)) this.#chunk(chunk);
    if (!this.#blocks.ended && this.#finish === undefined)
      this.#blocks.fail(new Fault('upstream_error', 'The provider answered without an answer.'));
    this.end();
  }

  #chunk(chunk: JsonObject): void {
    if (says(chunk['error'])) {
      this.#blocks.failWith(chunk);
      return;
    }
    this.#blocks.start(textOf(chunk['responseId']) ?? '', textOf(chunk['modelVersion']) ?? '');
    const usage = objectOf(chunk['usageMetadata']);
    if (usage) this.#usage = { ...this.#usage, ...usage };
    const blockReason = textOf(objectOf(chunk['promptFeedback'])?.['blockReason']);
    if (blockReason !== undefined) {
      this.#blocked = true;
      this.#finish ??= blockReason;
    }
    for (const entry of listOf(chunk['candidates'])) {
      const candidate = objectOf(entry) ?? {};
      if ((numberOf(candidate['index']) ?? 0) === 0) this.#candidate(candidate);
      else this.#blocks.dropped('candidates');
    }
  }

  #candidate(candidate: JsonObject): void {
    for (const entry of listOf(objectOf(candidate['content'])?.['parts'])) this.#part(objectOf(entry) ?? {});
    for (const extra of CANDIDATE_EXTRAS) if (says(candidate[extra])) this.#blocks.dropped(extra);
    this.#finish = textOf(candidate['finishReason']) ?? this.#finish;
  }

  #part(part: JsonObject): void {
    const signature = textOf(part['thoughtSignature']);
    const call = objectOf(part['functionCall']);
    const text = textOf(part['text']) ?? '';
    // An empty call alone in its part ends one that was streamed.
    if (call && (says(call) || (this.#streamed && text === ''))) {
      if (signature) this.#proof(signature);
      this.#call(call);
      return;
    }
    if (part['thought'] === true) {
      this.#blocks.prose('reasoning', text);
      if (signature) this.#proof(signature);
      return;
    }
    if (signature) {
      this.#proof(signature);
      this.#blocks.prose('text', text);
      this.#blocks.endProse();
    } else this.#blocks.prose('text', text);
    for (const word of Object.keys(part))
      if (!PART_WORDS.has(word) && says(part[word])) this.#blocks.dropped(word);
  }

  /** The proof stands before the part it came on: at the end of its reasoning, or in a block of its own. */
  #proof(value: string): void {
    const seal: Seal = { dialect: 'gemini', value, origin: this.#options.sealOrigin };
    if (this.#blocks.proseKind === 'reasoning') this.#blocks.endProse(seal);
    else this.#blocks.sealed(seal);
  }

  #call(call: JsonObject): void {
    const name = textOf(call['name']) || undefined;
    const more = call['willContinue'] === true;
    if (name !== undefined && (more || says(call['partialArgs']))) {
      this.#endStreamedCall();
      this.#streamed = { id: this.#callId(call), name, args: new PartialArgs() };
    }
    if (this.#streamed && (name === undefined || name === this.#streamed.name)) {
      this.#streamed.args.add(call['partialArgs']);
      if (!more) this.#endStreamedCall();
      return;
    }
    if (name === undefined) this.#blocks.dropped('functionCall.nameless');
    else this.#whole(this.#callId(call), name, JSON.stringify(says(call['args']) ? call['args'] : {}));
  }

  #endStreamedCall(): void {
    const call = this.#streamed;
    this.#streamed = undefined;
    if (call) this.#whole(call.id, call.name, call.args.text);
  }

  #whole(id: string, name: string, args: string): void {
    this.#blocks.endProse();
    const block = this.#blocks.open('tool', id, name);
    this.#blocks.delta(block, args);
    this.#blocks.close(block);
  }

  #callId(call: JsonObject): string {
    return textOf(call['id']) || madeCallId(this.#options.id, this.#blocks.calls);
  }
}
