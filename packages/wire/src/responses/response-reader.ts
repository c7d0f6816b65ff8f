import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { BlockEmitter } from '../block-emitter.ts';
import { type CanonicalResponse, ResponseAccumulator } from '../canonical-response.ts';
import type { ResponseReadOptions, ResponseStreamReader } from '../dialect.ts';
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
import { getDeltaContentName, OutputItemReader } from './output-item-reader.ts';
import { readResponsesUsage } from './usage.ts';

/** Creates a reader for a Responses stream. */
export function createResponseReader(
  emit: EmitResponseEvent,
  options: ResponseReadOptions,
): ResponseStreamReader {
  return new ResponsesAnswerReader(emit, options);
}

/** Reads a complete Responses response, or an error body. */
export function readCompleteResponse(body: Json, options: ResponseReadOptions): CanonicalResponse {
  const fold = new ResponseAccumulator();
  new ResponsesAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

class ResponsesAnswerReader implements ResponseStreamReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ResponseReadOptions;
  readonly #items = new Map<number, OutputItemReader>();
  readonly #indexById = new Map<string, number>();
  #last: OutputItemReader | undefined;
  #next = 0;
  /** Whether an event or an item states that the response is incomplete. */
  #isIncomplete = false;

  constructor(emit: EmitResponseEvent, options: ResponseReadOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended) return;
    const data = frame.data.trim();
    if (data === '' || data === '[DONE]') return;
    const event = tryParseJson(data);
    if (!isJsonObject(event)) {
      this.#blocks.failUnreadable(frame);
      return;
    }
    const type = asString(event['type']) ?? frame.event;
    this.#blocks.reportUnknownMembers(event, RESPONSE_SHAPES.responses.event, frame.event);
    const response = asObject(event['response']);
    if (response && !type.endsWith('failed')) this.#start(response);
    switch (type) {
      case 'response.output_item.added':
      case 'response.output_item.done':
        this.#item(event, data.length, type.endsWith('done'));
        return;
      case 'response.completed':
      case 'response.incomplete':
        this.#isIncomplete ||= type.endsWith('incomplete');
        this.#finish(response ?? {});
        return;
      case 'response.failed':
      case 'response.cancelled':
        this.#blocks.recordUsage(readResponsesUsage(response));
        this.#blocks.failWithUpstreamError(
          isNonEmpty(response?.['error']) ? (response ?? {}) : { error: type },
        );
        return;
      case 'error':
        this.#blocks.failWithUpstreamError(event);
        return;
      case 'response.output_text.annotation.added':
        this.#blocks.reportDropped('annotations');
        return;
      default:
        if (isNonEmpty(event['error'])) {
          this.#blocks.failWithUpstreamError(event);
          return;
        }
        this.#itemEvent(type, event);
    }
  }

  end(): void {
    if (!this.#blocks.ended) this.#blocks.failIncomplete();
  }

  whole(body: Json): void {
    if (!isJsonObject(body) || !isJsonArray(body['output'])) {
      if (isJsonObject(body) && isNonEmpty(body['error'])) {
        this.#blocks.failWithUpstreamError(body);
        return;
      }
      this.#blocks.fail(
        new Fault('upstream_error', 'The provider sent a response without content. Send the request again.'),
      );
      return;
    }
    if (isNonEmpty(body['error']) || body['status'] === 'failed' || body['status'] === 'cancelled') {
      this.#blocks.recordUsage(readResponsesUsage(body));
      this.#blocks.failWithUpstreamError(
        isNonEmpty(body['error']) ? body : { error: `response.${body['status']}` },
      );
      return;
    }
    this.#blocks.reportUnknownMembers(body, RESPONSE_SHAPES.responses.root);
    this.#start(body);
    this.#finish(body);
  }

  #start(response: JsonObject): void {
    this.#blocks.start(asString(response['id']) ?? '', asString(response['model']) ?? '');
  }

  #item(event: JsonObject, length: number, done: boolean): void {
    const item = asObject(event['item']);
    if (item === undefined) return;
    const index = asNumber(event['output_index']) ?? this.#next;
    const reader = this.#readerFor(item, index);
    if (done) this.#complete(reader, item);
    this.#blocks.countKeptEntry(reader.isClosed ? 0 : length);
  }

  #complete(reader: OutputItemReader, item: JsonObject): void {
    this.#isIncomplete ||= item['status'] === 'incomplete';
    reader.complete(item);
  }

  #readerFor(item: JsonObject, index: number): OutputItemReader {
    const id = asString(item['id']) ?? '';
    const known = this.#items.get(this.#indexById.get(id) ?? index);
    if (known && known.type === item['type']) return known;
    const at = known ? this.#next : index;
    const reader = new OutputItemReader(item, at, this.#blocks, this.#options);
    this.#items.set(at, reader);
    this.#next = Math.max(this.#next, at + 1);
    this.#last = reader;
    if (id !== '') this.#indexById.set(id, at);
    return reader;
  }

  #itemEvent(type: string, event: JsonObject): void {
    const item = this.#itemAt(event) ?? this.#unannounced(type, event);
    if (item) item.read(type, event);
    else if (asString(event['delta'])) this.#blocks.reportLostContent(getDeltaContentName(type));
  }

  #itemAt(event: JsonObject): OutputItemReader | undefined {
    const index = asNumber(event['output_index']) ?? this.#indexById.get(asString(event['item_id']) ?? '');
    return index === undefined ? this.#last : this.#items.get(index);
  }

  /** Handles the text of an item without a start event. Some providers send only deltas. */
  #unannounced(type: string, event: JsonObject): OutputItemReader | undefined {
    const said = type.startsWith('response.output_text.') || type.startsWith('response.refusal.');
    const thought = type.startsWith('response.reasoning');
    if (!said && !thought) return undefined;
    const item = { type: said ? 'message' : 'reasoning', id: asString(event['item_id']) ?? '' };
    return this.#readerFor(item, asNumber(event['output_index']) ?? this.#next);
  }

  /** The final object contains everything that was not streamed. */
  #finish(response: JsonObject): void {
    asArray(response['output']).forEach((entry, index) => {
      if (isJsonObject(entry)) this.#complete(this.#readerFor(entry, index), entry);
    });
    for (const item of this.#items.values()) item.end();
    this.#blocks.recordUsage(readResponsesUsage(response));
    const cut = asString(asObject(response['incomplete_details'])?.['reason']);
    const status = asString(response['status']);
    if (this.#isIncomplete || status === 'incomplete' || cut !== undefined)
      this.#blocks.finish(cut === 'content_filter' ? cut : 'max_output_tokens');
    else this.#blocks.finish(status ?? 'completed');
  }
}
