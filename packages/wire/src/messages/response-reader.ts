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
import { readMessagesUsage } from './usage.ts';

/** Creates a reader for a Messages stream. */
export function createResponseReader(
  emit: EmitResponseEvent,
  options: ResponseReadOptions,
): ResponseStreamReader {
  return new MessagesAnswerReader(emit, options);
}

/** Reads a complete Messages response, or an error body. */
export function readCompleteResponse(body: Json, options: ResponseReadOptions): CanonicalResponse {
  const fold = new ResponseAccumulator();
  new MessagesAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

/** Identifies events that can contain the complete input of a call. */
const BLOCK_START = ['_block_start'];

const SHAPES = RESPONSE_SHAPES.messages;

interface OpenBlock {
  readonly block: number;
  readonly kind: 'text' | 'reasoning' | 'tool';
  /** Complete input in the start event of the block. Used if no fragment follows. */
  readonly input: string;
  streamed: boolean;
  signature: string;
  redacted: boolean;
}

class MessagesAnswerReader implements ResponseStreamReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ResponseReadOptions;
  /** Open blocks by index. `undefined` marks a block that is not forwarded. */
  readonly #open = new Map<number, OpenBlock | undefined>();
  #opened = 0;
  #usage: JsonObject = {};
  #stop: ResponseFinish | undefined;

  constructor(emit: EmitResponseEvent, options: ResponseReadOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended || frame.data === '' || frame.data === '[DONE]') return;
    const data = parseStreamEvent(frame.data, BLOCK_START);
    if (!isJsonObject(data)) {
      this.#blocks.failUnreadable(frame);
      return;
    }
    this.#blocks.reportUnknownMembers(data, SHAPES.event, frame.event);
    switch (asString(data['type']) ?? frame.event) {
      case 'message_start':
        this.#messageStart(asObject(data['message']) ?? {});
        return;
      case 'content_block_start':
        this.#blockStart(blockIndex(data), asObject(data['content_block']) ?? {});
        this.#countOpened(this.#open.get(blockIndex(data)));
        return;
      case 'content_block_delta':
        this.#blockDelta(blockIndex(data), asObject(data['delta']) ?? {});
        return;
      case 'content_block_stop':
        this.#blockStop(blockIndex(data));
        return;
      case 'message_delta':
        this.#count(data['usage']);
        this.#readStop(asObject(data['delta']) ?? {});
        return;
      case 'message_stop':
        this.end();
        return;
      case 'error':
        this.#blocks.failWithUpstreamError(data);
        return;
      default:
        if (isNonEmpty(data['error'])) this.#blocks.failWithUpstreamError(data);
    }
  }

  end(): void {
    if (this.#blocks.ended) return;
    if (this.#stop === undefined) {
      this.#blocks.failIncomplete();
      return;
    }
    for (const index of [...this.#open.keys()]) this.#blockStop(index);
    this.#blocks.finish(this.#stop.raw);
  }

  whole(body: Json): void {
    if (!isJsonObject(body) || !isJsonArray(body['content'])) {
      if (isJsonObject(body) && isNonEmpty(body['error'])) {
        this.#blocks.failWithUpstreamError(body);
        return;
      }
      this.#blocks.fail(
        new Fault('upstream_error', 'The provider sent a response without content. Send the request again.'),
      );
      return;
    }
    this.#blocks.reportUnknownMembers(body, SHAPES.root);
    this.#messageStart(body);
    this.#readStop(body);
    this.end();
  }

  #readStop(source: JsonObject): void {
    this.#stop = mergeFinishReason(this.#stop, readRawFinishReason(source['stop_reason']));
  }

  /** A repeated start event before any content is ignored. A second response within a stream is an error. */
  #messageStart(message: JsonObject): void {
    if (this.#opened > 0) {
      this.#blocks.failIncomplete(
        'The provider started a second response before the first one was complete. Send the request again.',
      );
      return;
    }
    this.#blocks.start(asString(message['id']) ?? '', asString(message['model']) ?? '');
    this.#count(message['usage']);
    asArray(message['content']).forEach((block, index) => {
      this.#blockStart(index, asObject(block) ?? {});
      this.#blockStop(index);
    });
  }

  #count(usage: Json | undefined): void {
    if (!isJsonObject(usage)) return;
    const said = Object.entries(usage).filter(([, value]) => isNonEmpty(value));
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) };
    // Recorded immediately, because the input is charged even if the stream breaks later.
    this.#blocks.recordUsage(readMessagesUsage(this.#usage));
  }

  #blockStart(index: number, content: JsonObject): void {
    const type = asString(content['type']) ?? '';
    this.#blockStop(index);
    this.#opened += 1;
    this.#blocks.reportCaller(content['caller']);
    switch (type) {
      case 'text':
        this.#add(index, 'text');
        this.#text(index, asString(content['text']) ?? '');
        return;
      case 'thinking': {
        const open = this.#add(index, 'reasoning');
        open.signature = asString(content['signature']) ?? '';
        this.#text(index, asString(content['thinking']) ?? '');
        return;
      }
      case 'redacted_thinking': {
        const open = this.#add(index, 'reasoning');
        open.redacted = true;
        open.signature = asString(content['data']) ?? '';
        return;
      }
      case 'tool_use':
        if (asString(content['name'])) {
          this.#add(index, 'tool', content);
          return;
        }
        this.#hide(index, 'tool_use.nameless');
        return;
      default:
        this.#hide(index, type === '' ? 'content_block' : type);
    }
  }

  /** Counts a block that is kept in memory until its end. */
  #countOpened(open: OpenBlock | undefined): void {
    this.#blocks.countKeptEntry(open === undefined ? 0 : open.input.length + open.signature.length);
  }

  #hide(index: number, what: string): void {
    this.#blocks.reportLostContent(what);
    this.#open.set(index, undefined);
  }

  #add(index: number, kind: OpenBlock['kind'], content: JsonObject = {}): OpenBlock {
    const id =
      kind === 'tool' ? asString(content['id']) || generateCallId(this.#options.id, index) : undefined;
    const name = kind === 'tool' ? (asString(content['name']) ?? '') : undefined;
    const input = isNonEmpty(content['input']) ? JSON.stringify(content['input']) : '';
    const block = this.#blocks.open(kind, id, name);
    const open: OpenBlock = { block, kind, input, streamed: false, signature: '', redacted: false };
    this.#open.set(index, open);
    return open;
  }

  #text(index: number, text: string): void {
    const open = this.#open.get(index);
    if (open === undefined || text === '') return;
    open.streamed = true;
    this.#blocks.delta(open.block, text);
  }

  #blockDelta(index: number, delta: JsonObject): void {
    const type = asString(delta['type']) ?? '';
    const known = this.#open.has(index);
    if (known && this.#open.get(index) === undefined) return;
    switch (type) {
      case 'text_delta':
        if (!known) this.#add(index, 'text');
        this.#text(index, asString(delta['text']) ?? '');
        return;
      case 'thinking_delta':
        if (!known) this.#add(index, 'reasoning');
        this.#text(index, asString(delta['thinking']) ?? '');
        return;
      case 'input_json_delta':
        if (!known) this.#blocks.reportLostContent(type);
        this.#text(index, asString(delta['partial_json']) ?? '');
        return;
      case 'signature_delta': {
        const open = this.#open.get(index);
        const signature = asString(delta['signature']) ?? '';
        if (open) open.signature += signature;
        else this.#blocks.reportDropped('signature');
        this.#blocks.countKept(signature.length);
        return;
      }
      case 'citations_delta':
        this.#blocks.reportDropped('citations');
        return;
      default:
        this.#blocks.reportLostContent(type === '' ? 'delta' : type);
    }
  }

  #blockStop(index: number): void {
    const open = this.#open.get(index);
    this.#open.delete(index);
    if (open === undefined) return;
    if (open.kind === 'tool' && !open.streamed) this.#blocks.delta(open.block, open.input);
    this.#blocks.close(open.block, this.#seal(open));
  }

  #seal(open: OpenBlock): Seal | undefined {
    if (open.signature === '') return undefined;
    const redacted = open.redacted ? true : undefined;
    return { dialect: 'messages', value: open.signature, redacted, origin: this.#options.sealOrigin };
  }
}

function blockIndex(data: JsonObject): number {
  return asNumber(data['index']) ?? 0;
}
