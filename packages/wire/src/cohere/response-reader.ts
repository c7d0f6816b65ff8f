import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { BlockEmitter } from '../block-emitter.ts';
import { type CanonicalResponse, ResponseAccumulator } from '../canonical-response.ts';
import type { ResponseReadOptions, ResponseStreamReader } from '../dialect.ts';
import { readRawFinishReason } from '../finish-reason.ts';
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  isJsonArray,
  isJsonObject,
  isNonEmpty,
  tryParseJson,
} from '../json-narrowing.ts';
import type { EmitResponseEvent } from '../response-events.ts';
import { RESPONSE_SHAPES } from '../response-members.ts';
import type { SseEvent } from '../sse.ts';
import { generateCallId } from '../tool-identifiers.ts';
import { readCohereUsage } from './usage.ts';

/** Creates a reader for a Cohere Chat stream (version 2). */
export function createResponseReader(
  emit: EmitResponseEvent,
  options: ResponseReadOptions,
): ResponseStreamReader {
  return new CohereAnswerReader(emit, options);
}

/** Reads a complete Cohere Chat response, or an error body. */
export function readCompleteResponse(body: Json, options: ResponseReadOptions): CanonicalResponse {
  const fold = new ResponseAccumulator();
  new CohereAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

interface OpenCall {
  readonly block: number;
  /** The fragments so far. Some models write `null` for no arguments, which is certain only at the end. */
  text: string;
}

/** `tool_plan`, the text before the calls, is read as text. */
class CohereAnswerReader implements ResponseStreamReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ResponseReadOptions;
  readonly #calls = new Map<number, OpenCall>();

  constructor(emit: EmitResponseEvent, options: ResponseReadOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended || frame.data === '' || frame.data === '[DONE]') return;
    const data = tryParseJson(frame.data);
    if (!isJsonObject(data)) {
      this.#blocks.failUnreadable(frame);
      return;
    }
    this.#blocks.reportUnknownMembers(data, RESPONSE_SHAPES.cohere.event);
    const delta = asObject(data['delta']);
    const message = asObject(delta?.['message']) ?? {};
    const index = asNumber(data['index']) ?? 0;
    switch (asString(data['type']) ?? frame.event) {
      case 'message-start':
        this.#blocks.start(asString(data['id']) ?? '', '');
        return;
      case 'content-start':
        this.#blocks.closeText();
        this.#content(message['content']);
        return;
      case 'content-delta':
        this.#content(message['content']);
        return;
      case 'content-end':
        this.#blocks.closeText();
        return;
      case 'tool-plan-delta':
        this.#blocks.appendText('text', asString(message['tool_plan']) ?? '');
        return;
      case 'tool-call-start':
        for (const call of readCalls(message['tool_calls'])) this.#callStart(index, call);
        return;
      case 'tool-call-delta':
        for (const call of readCalls(message['tool_calls'])) this.#callDelta(index, call);
        return;
      case 'tool-call-end':
        this.#callEnd(index);
        return;
      case 'citation-start':
        this.#blocks.reportDropped('citations');
        return;
      case 'citation-end':
        return;
      case 'message-end':
        this.#messageEnd(delta ?? {});
        return;
      default:
        if (isNonEmpty(data['error']) || isNonEmpty(data['message']))
          this.#blocks.failWithUpstreamError(data);
    }
  }

  end(): void {
    if (!this.#blocks.ended) this.#blocks.failIncomplete();
  }

  whole(body: Json): void {
    const root = asObject(body) ?? {};
    const message = asObject(root['message']);
    if (message === undefined) {
      if (isNonEmpty(root['message']) || isNonEmpty(root['error'])) this.#blocks.failWithUpstreamError(root);
      else
        this.#blocks.fail(
          new Fault(
            'upstream_error',
            'The provider sent a response without content. Send the request again.',
          ),
        );
      return;
    }
    this.#blocks.start(asString(root['id']) ?? '', '');
    for (const entry of asArray(message['content'])) {
      this.#content(entry);
      this.#blocks.closeText();
    }
    this.#blocks.appendText('text', asString(message['tool_plan']) ?? '');
    for (const [index, call] of asObjects(message['tool_calls']).entries()) {
      this.#callStart(index, call);
      this.#callEnd(index);
    }
    this.#blocks.reportUnknownMembers(root, RESPONSE_SHAPES.cohere.root);
    this.#messageEnd(root);
  }

  #content(value: Json | undefined): void {
    const content = typeof value === 'string' ? { text: value } : (asObject(value) ?? {});
    this.#blocks.appendText('reasoning', asString(content['thinking']) ?? '');
    this.#blocks.appendText('text', asString(content['text']) ?? '');
    const type = asString(content['type']);
    if (isNonEmpty(type) && type !== 'text' && type !== 'thinking') this.#blocks.reportLostContent(type);
  }

  #callStart(index: number, call: JsonObject): void {
    this.#callEnd(index);
    const made = asObject(call['function']);
    const name = asString(made?.['name']);
    if (name === undefined || name === '') {
      this.#blocks.reportLostContent('tool_calls.nameless');
      return;
    }
    this.#blocks.closeText();
    const id = asString(call['id']) || generateCallId(this.#options.id, this.#blocks.toolCallCount);
    this.#calls.set(index, { block: this.#blocks.open('tool', id, name), text: '' });
    this.#callDelta(index, call);
  }

  #callDelta(index: number, call: JsonObject): void {
    const open = this.#calls.get(index);
    const piece = asString(asObject(call['function'])?.['arguments']) ?? '';
    if (open === undefined || piece === '') return;
    const before = open.text;
    open.text += piece;
    // Held back while it may still become `null`.
    if ('null'.startsWith(open.text.trim())) return;
    this.#blocks.delta(open.block, 'null'.startsWith(before.trim()) ? open.text : piece);
  }

  #callEnd(index: number): void {
    const open = this.#calls.get(index);
    if (open === undefined) return;
    this.#calls.delete(index);
    const held = open.text.trim();
    if (held !== '' && held !== 'null' && 'null'.startsWith(held)) this.#blocks.delta(open.block, open.text);
    this.#blocks.close(open.block);
  }

  #messageEnd(delta: JsonObject): void {
    for (const index of [...this.#calls.keys()]) this.#callEnd(index);
    this.#blocks.recordUsage(readCohereUsage(asObject(delta['usage']) ?? {}));
    const finish = readRawFinishReason(delta['finish_reason']);
    if (isNonEmpty(delta['error'])) this.#blocks.failWithUpstreamError({ error: delta['error'] });
    else if (finish === undefined) this.#blocks.failIncomplete();
    else this.#blocks.finish(finish);
  }
}

/** Streams have one call where complete responses have a list. */
function readCalls(value: Json | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? asObjects(value) : isJsonObject(value) ? [value] : [];
}
