import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { type Answer, AnswerFold } from '../answer.ts';
import { BlockEmitter } from '../block-emitter.ts';
import type { AnswerReader, ReaderOptions } from '../dialect.ts';
import type { Emit } from '../events.ts';
import {
  isArray,
  isObject,
  listOf,
  numberOf,
  objectOf,
  parseExactJson,
  parseJson,
  says,
  textOf,
} from '../json-read.ts';
import type { SseEvent } from '../sse.ts';
import { readChatUsage } from '../usage.ts';
import { CallTable } from './call-table.ts';
import { holdsValues, messageOf, PieceReader } from './choice-reader.ts';
import { ReasoningDetails } from './reasoning-details.ts';
import { ThinkSplit } from './think-split.ts';

/** Members of an answer or its message that no other dialect can show. */
const VENDOR_EXTRAS = ['citations', 'search_results', 'images', 'related_questions'] as const;
const MESSAGE_EXTRAS = ['annotations', 'audio', 'images', 'executed_tools'] as const;

/** Reads Chat Completions chunks of any host that claims to speak them. */
export function answerReader(emit: Emit, options: ReaderOptions): AnswerReader {
  return new ChatAnswerReader(emit, options);
}

/** Reads a whole Chat Completions answer, or the error that came in its place. */
export function readAnswer(body: Json, options: ReaderOptions): Answer {
  const fold = new AnswerFold();
  new ChatAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

class ChatAnswerReader implements AnswerReader {
  readonly #blocks: BlockEmitter;
  readonly #calls: CallTable;
  readonly #details = new ReasoningDetails();
  readonly #pieces = new PieceReader();
  readonly #think: ThinkSplit | undefined;
  readonly #origin: string | undefined;
  #finish: string | undefined;

  constructor(emit: Emit, options: ReaderOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#calls = new CallTable(this.#blocks, options.id);
    this.#think = options.thinkTags ? new ThinkSplit() : undefined;
    this.#origin = options.sealOrigin;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended) return;
    const data = frame.data.trim();
    if (data === '') return;
    if (data === '[DONE]') {
      this.end();
      return;
    }
    let chunk = parseJson(data);
    if (isObject(chunk) && holdsValues(chunk)) chunk = parseExactJson(data);
    if (!isObject(chunk)) {
      this.#blocks.broken('The provider sent an event that is not JSON.');
      return;
    }
    if (frame.event === 'error' || isError(chunk)) {
      this.#error(chunk);
      return;
    }
    this.#chunk(chunk, (choice) => this.#pieces.read(choice));
  }

  end(): void {
    if (this.#blocks.ended) return;
    if (this.#finish === undefined) {
      this.#blocks.broken();
      return;
    }
    this.#complete(this.#finish);
  }

  whole(body: Json): void {
    if (!isObject(body) || isError(body) || listOf(body['choices']).length === 0) {
      if (isObject(body) && isError(body)) {
        this.#error(body);
        return;
      }
      this.#blocks.fail(new Fault('upstream_error', 'The provider answered without an answer.'));
      return;
    }
    this.#chunk(body, messageOf);
    if (this.#finish !== undefined) this.#complete(this.#finish);
    else
      this.#blocks.fail(new Fault('upstream_error', 'The provider sent an answer without a finish reason.'));
  }

  #error(chunk: JsonObject): void {
    this.#usage(chunk, undefined);
    this.#blocks.failWith(chunk);
  }

  #complete(raw: string): void {
    this.#think?.end((kind, text) => this.#prose(kind, text));
    this.#flushSeal();
    this.#blocks.endProse();
    this.#calls.end();
    this.#blocks.finish(raw);
  }

  #chunk(chunk: JsonObject, said: (choice: JsonObject) => JsonObject | undefined): void {
    this.#blocks.start(textOf(chunk['id']) ?? '', textOf(chunk['model']) ?? '');
    for (const extra of VENDOR_EXTRAS) if (says(chunk[extra])) this.#blocks.dropped(extra);
    let first: JsonObject | undefined;
    for (const entry of listOf(chunk['choices'])) {
      const choice = objectOf(entry);
      if ((numberOf(choice?.['index']) ?? 0) === 0) first = choice;
      else this.#blocks.dropped('choices');
    }
    this.#usage(chunk, first);
    if (first === undefined) return;
    const delta = said(first);
    if (delta) this.#delta(delta);
    const finish = textOf(first['finish_reason']);
    if (finish !== undefined && finish !== '') this.#finish ??= finish;
  }

  /** Usage stands where the host puts it: at the top, in a vendor's envelope, or inside the choice. */
  #usage(chunk: JsonObject, choice: JsonObject | undefined): void {
    // The first place that says something: hosts leave empty ones beside it.
    for (const place of [chunk, objectOf(chunk['x_groq']), choice]) {
      const usage = readChatUsage(place?.['usage'], chunk['service_tier']);
      if (usage === undefined) continue;
      this.#blocks.usage(usage);
      return;
    }
  }

  #delta(delta: JsonObject): void {
    this.#reasoning(delta);
    const content = delta['content'];
    if (typeof content === 'string') this.#text(content);
    else if (isArray(content)) this.#parts(content);
    const refusal = textOf(delta['refusal']);
    if (refusal) this.#prose('refusal', refusal);
    const calls = delta['tool_calls'];
    if (isArray(calls))
      calls.forEach((entry, place) => {
        if (isObject(entry)) this.#call(entry, place);
      });
    const legacy = objectOf(delta['function_call']);
    if (legacy) this.#call({ function: legacy }, 0);
    for (const extra of MESSAGE_EXTRAS) if (says(delta[extra])) this.#blocks.dropped(extra);
  }

  #call(entry: JsonObject, place: number): void {
    this.#flushSeal();
    this.#calls.read(entry, place);
  }

  #reasoning(delta: JsonObject): void {
    const plain = textOf(delta['reasoning_content']) || textOf(delta['reasoning']) || '';
    const details = delta['reasoning_details'];
    const detailed = details === undefined ? '' : this.#details.add(details);
    this.#prose('reasoning', plain || detailed);
  }

  #parts(parts: readonly Json[]): void {
    for (const entry of parts) {
      const part = objectOf(entry);
      const type = part?.['type'];
      if (typeof entry === 'string') this.#text(entry);
      else if (type === 'thinking' || type === 'reasoning')
        this.#prose('reasoning', innerText(part?.['thinking'] ?? part?.['text'] ?? part?.['reasoning']));
      else if (type === 'refusal') this.#prose('refusal', textOf(part?.['refusal']) ?? '');
      else if (typeof part?.['text'] === 'string') this.#text(part['text']);
      else this.#blocks.dropped(`content.${textOf(type) ?? 'unknown'}`);
    }
  }

  #text(text: string): void {
    if (text === '') return;
    if (this.#think) this.#think.push(text, (kind, piece) => this.#prose(kind, piece));
    else this.#prose('text', text);
  }

  #prose(kind: 'text' | 'refusal' | 'reasoning', text: string): void {
    if (text === '') return;
    if (this.#blocks.proseKind !== kind) {
      if (kind !== 'reasoning') this.#flushSeal();
      this.#calls.settle();
    }
    this.#blocks.prose(kind, text);
  }

  /** The proof closes the reasoning it belongs to, or stands alone when that is closed already. */
  #flushSeal(): void {
    const seal = this.#details.take(this.#origin);
    if (seal === undefined) return;
    if (this.#blocks.proseKind === 'reasoning') this.#blocks.endProse(seal);
    else this.#blocks.sealed(seal);
  }
}

function innerText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return listOf(value)
    .map((entry) => textOf(objectOf(entry)?.['text']) ?? '')
    .join('');
}

/** Errors inside a 200, in every shape met: `error`, a flat error object, a failed `base_resp`. */
function isError(chunk: JsonObject): boolean {
  if (says(chunk['error']) || chunk['object'] === 'error' || chunk['type'] === 'error') return true;
  const base = objectOf(chunk['base_resp']);
  return base !== undefined && (numberOf(base['status_code']) ?? 0) !== 0;
}
