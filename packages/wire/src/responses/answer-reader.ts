import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { type Answer, AnswerFold } from '../answer.ts';
import { BlockEmitter } from '../block-emitter.ts';
import type { AnswerReader, ReaderOptions } from '../dialect.ts';
import type { Emit } from '../events.ts';
import { isArray, isObject, listOf, numberOf, objectOf, parseJson, says, textOf } from '../json-read.ts';
import type { SseEvent } from '../sse.ts';
import { ItemReader } from './item-reader.ts';
import { readResponsesUsage } from './usage.ts';

/** Reads a Responses stream. */
export function answerReader(emit: Emit, options: ReaderOptions): AnswerReader {
  return new ResponsesAnswerReader(emit, options);
}

/** Reads a whole Responses answer, or the error that came in its place. */
export function readAnswer(body: Json, options: ReaderOptions): Answer {
  const fold = new AnswerFold();
  new ResponsesAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

class ResponsesAnswerReader implements AnswerReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ReaderOptions;
  readonly #items = new Map<number, ItemReader>();
  readonly #indexById = new Map<string, number>();
  #last: ItemReader | undefined;
  #next = 0;

  constructor(emit: Emit, options: ReaderOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended) return;
    const data = frame.data.trim();
    if (data === '' || data === '[DONE]') return;
    const event = parseJson(data);
    if (!isObject(event)) {
      this.#blocks.broken('The provider sent an event that is not JSON.');
      return;
    }
    const type = textOf(event['type']) ?? frame.event;
    const response = objectOf(event['response']);
    if (response && !type.endsWith('failed')) this.#start(response);
    switch (type) {
      case 'response.output_item.added':
      case 'response.output_item.done':
        this.#item(event, type.endsWith('done'));
        return;
      case 'response.completed':
      case 'response.incomplete':
        this.#finish(response ?? {});
        return;
      case 'response.failed':
      case 'response.cancelled':
        this.#blocks.usage(readResponsesUsage(response));
        this.#blocks.failWith(says(response?.['error']) ? (response ?? {}) : { error: type });
        return;
      case 'error':
        this.#blocks.failWith(event);
        return;
      case 'response.output_text.annotation.added':
        this.#blocks.dropped('annotations');
        return;
      default:
        if (says(event['error'])) {
          this.#blocks.failWith(event);
          return;
        }
        (this.#itemAt(event) ?? this.#unannounced(type, event))?.read(type, event);
    }
  }

  end(): void {
    if (!this.#blocks.ended) this.#blocks.broken();
  }

  whole(body: Json): void {
    if (!isObject(body) || !isArray(body['output'])) {
      if (isObject(body) && says(body['error'])) {
        this.#blocks.failWith(body);
        return;
      }
      this.#blocks.fail(new Fault('upstream_error', 'The provider answered without an answer.'));
      return;
    }
    if (says(body['error']) || body['status'] === 'failed' || body['status'] === 'cancelled') {
      this.#blocks.usage(readResponsesUsage(body));
      this.#blocks.failWith(says(body['error']) ? body : { error: `response.${body['status']}` });
      return;
    }
    this.#start(body);
    this.#finish(body);
  }

  #start(response: JsonObject): void {
    this.#blocks.start(textOf(response['id']) ?? '', textOf(response['model']) ?? '');
  }

  #item(event: JsonObject, done: boolean): void {
    const item = objectOf(event['item']);
    if (item === undefined) return;
    const index = numberOf(event['output_index']) ?? this.#next;
    const reader = this.#readerFor(item, index);
    if (done) reader.complete(item);
  }

  #readerFor(item: JsonObject, index: number): ItemReader {
    const id = textOf(item['id']) ?? '';
    const known = this.#items.get(this.#indexById.get(id) ?? index);
    if (known && known.type === item['type']) return known;
    const at = known ? this.#next : index;
    const reader = new ItemReader(item, at, this.#blocks, this.#options);
    this.#items.set(at, reader);
    this.#next = Math.max(this.#next, at + 1);
    this.#last = reader;
    if (id !== '') this.#indexById.set(id, at);
    return reader;
  }

  #itemAt(event: JsonObject): ItemReader | undefined {
    const index = numberOf(event['output_index']) ?? this.#indexById.get(textOf(event['item_id']) ?? '');
    return index === undefined ? this.#last : this.#items.get(index);
  }

  /** Text of an item that was never announced: some hosts send deltas only. */
  #unannounced(type: string, event: JsonObject): ItemReader | undefined {
    const said = type.startsWith('response.output_text.') || type.startsWith('response.refusal.');
    const thought = type.startsWith('response.reasoning_');
    if (!said && !thought) return undefined;
    const item = { type: said ? 'message' : 'reasoning', id: textOf(event['item_id']) ?? '' };
    return this.#readerFor(item, numberOf(event['output_index']) ?? this.#next);
  }

  /** The final object fills in what was not streamed. */
  #finish(response: JsonObject): void {
    listOf(response['output']).forEach((entry, index) => {
      if (isObject(entry)) this.#readerFor(entry, index).complete(entry);
    });
    for (const item of this.#items.values()) item.close();
    this.#blocks.usage(readResponsesUsage(response));
    const cut = textOf(objectOf(response['incomplete_details'])?.['reason']);
    const status = textOf(response['status']);
    if (status === 'incomplete' || cut !== undefined)
      this.#blocks.finish(cut === 'content_filter' ? cut : 'max_output_tokens');
    else this.#blocks.finish(status ?? 'completed');
  }
}
