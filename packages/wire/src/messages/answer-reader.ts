import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { type Answer, AnswerFold } from '../answer.ts';
import { BlockEmitter } from '../block-emitter.ts';
import type { AnswerReader, ReaderOptions } from '../dialect.ts';
import type { Emit, Seal } from '../events.ts';
import { isArray, isObject, numberOf, objectOf, parseEvent, says, textOf } from '../json-read.ts';
import type { SseEvent } from '../sse.ts';
import { madeCallId } from '../tool-names.ts';
import { readMessagesUsage } from './usage.ts';

/** Reads a Messages stream. */
export function answerReader(emit: Emit, options: ReaderOptions): AnswerReader {
  return new MessagesAnswerReader(emit, options);
}

/** Reads a whole Messages answer, or the error that came in its place. */
export function readAnswer(body: Json, options: ReaderOptions): Answer {
  const fold = new AnswerFold();
  new MessagesAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

/** Marks the events that may hold a call's whole input. */
const BLOCK_START = ['_block_start'];

interface OpenBlock {
  readonly block: number;
  readonly kind: 'text' | 'reasoning' | 'tool';
  /** Whole input that stood in the start of the block, used when no fragment follows. */
  readonly input: string;
  streamed: boolean;
  signature: string;
  redacted: boolean;
}

class MessagesAnswerReader implements AnswerReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ReaderOptions;
  /** Open blocks by index; `undefined` marks one that is not shown. */
  readonly #open = new Map<number, OpenBlock | undefined>();
  #opened = 0;
  #usage: JsonObject = {};
  #stop: string | undefined;

  constructor(emit: Emit, options: ReaderOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended || frame.data === '' || frame.data === '[DONE]') return;
    const data = parseEvent(frame.data, BLOCK_START);
    if (!isObject(data)) {
      this.#blocks.broken('The provider sent an event that is not JSON.');
      return;
    }
    switch (textOf(data['type']) ?? frame.event) {
      case 'message_start':
        this.#messageStart(objectOf(data['message']) ?? {});
        return;
      case 'content_block_start':
        this.#blockStart(indexOf(data), objectOf(data['content_block']) ?? {});
        return;
      case 'content_block_delta':
        this.#blockDelta(indexOf(data), objectOf(data['delta']) ?? {});
        return;
      case 'content_block_stop':
        this.#blockStop(indexOf(data));
        return;
      case 'message_delta':
        this.#count(data['usage']);
        this.#stop = textOf(objectOf(data['delta'])?.['stop_reason']) ?? this.#stop;
        return;
      case 'message_stop':
        this.end();
        return;
      case 'error':
        this.#blocks.failWith(data);
        return;
      default:
        if (says(data['error'])) this.#blocks.failWith(data);
    }
  }

  end(): void {
    if (this.#blocks.ended) return;
    if (this.#stop === undefined) {
      this.#blocks.broken();
      return;
    }
    for (const index of [...this.#open.keys()]) this.#blockStop(index);
    this.#blocks.finish(this.#stop);
  }

  whole(body: Json): void {
    if (!isObject(body) || !isArray(body['content'])) {
      if (isObject(body) && says(body['error'])) {
        this.#blocks.failWith(body);
        return;
      }
      this.#blocks.fail(new Fault('upstream_error', 'The provider answered without an answer.'));
      return;
    }
    this.#messageStart(body);
    body['content'].forEach((block, index) => {
      this.#blockStart(index, objectOf(block) ?? {});
      this.#blockStop(index);
    });
    this.#stop = textOf(body['stop_reason']);
    this.end();
  }

  /** A start repeated before any content is one start; a second answer inside a stream is an error. */
  #messageStart(message: JsonObject): void {
    if (this.#opened > 0) {
      this.#blocks.broken('The provider began a second answer inside the first.');
      return;
    }
    this.#blocks.start(textOf(message['id']) ?? '', textOf(message['model']) ?? '');
    this.#count(message['usage']);
  }

  #count(usage: Json | undefined): void {
    if (!isObject(usage)) return;
    const said = Object.entries(usage).filter(([, value]) => says(value));
    this.#usage = { ...this.#usage, ...Object.fromEntries(said) };
    // At once: a stream that breaks later has cost its input all the same.
    this.#blocks.usage(readMessagesUsage(this.#usage));
  }

  #blockStart(index: number, content: JsonObject): void {
    const type = textOf(content['type']) ?? '';
    this.#blockStop(index);
    this.#opened += 1;
    if (says(content['citations'])) this.#blocks.dropped('citations');
    switch (type) {
      case 'text':
        this.#add(index, 'text');
        this.#text(index, textOf(content['text']) ?? '');
        return;
      case 'thinking': {
        const open = this.#add(index, 'reasoning');
        open.signature = textOf(content['signature']) ?? '';
        this.#text(index, textOf(content['thinking']) ?? '');
        return;
      }
      case 'redacted_thinking': {
        const open = this.#add(index, 'reasoning');
        open.redacted = true;
        open.signature = textOf(content['data']) ?? '';
        return;
      }
      case 'tool_use':
        if (textOf(content['name'])) {
          this.#add(index, 'tool', content);
          return;
        }
        this.#hide(index, 'tool_use.nameless');
        return;
      default:
        this.#hide(index, type === '' ? 'content_block' : type);
    }
  }

  #hide(index: number, what: string): void {
    this.#blocks.dropped(what);
    this.#open.set(index, undefined);
  }

  #add(index: number, kind: OpenBlock['kind'], content: JsonObject = {}): OpenBlock {
    const id = kind === 'tool' ? textOf(content['id']) || madeCallId(this.#options.id, index) : undefined;
    const name = kind === 'tool' ? (textOf(content['name']) ?? '') : undefined;
    const input = says(content['input']) ? JSON.stringify(content['input']) : '';
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
    const type = textOf(delta['type']) ?? '';
    const known = this.#open.has(index);
    if (known && this.#open.get(index) === undefined) return;
    switch (type) {
      case 'text_delta':
        if (!known) this.#add(index, 'text');
        this.#text(index, textOf(delta['text']) ?? '');
        return;
      case 'thinking_delta':
        if (!known) this.#add(index, 'reasoning');
        this.#text(index, textOf(delta['thinking']) ?? '');
        return;
      case 'input_json_delta':
        this.#text(index, textOf(delta['partial_json']) ?? '');
        return;
      case 'signature_delta': {
        const open = this.#open.get(index);
        if (open) open.signature += textOf(delta['signature']) ?? '';
        return;
      }
      case 'citations_delta':
        this.#blocks.dropped('citations');
        return;
      default:
        this.#blocks.dropped(type === '' ? 'delta' : type);
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

function indexOf(data: JsonObject): number {
  return numberOf(data['index']) ?? 0;
}
