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
  objectsIn,
  parseJson,
  says,
  textOf,
} from '../json-read.ts';
import type { SseEvent } from '../sse.ts';
import { madeCallId } from '../tool-names.ts';
import { readCohereUsage } from './usage.ts';

/** Reads a stream of version 2 chat events. */
export function answerReader(emit: Emit, options: ReaderOptions): AnswerReader {
  return new CohereAnswerReader(emit, options);
}

/** Reads a whole answer, or the error that came in its place. */
export function readAnswer(body: Json, options: ReaderOptions): Answer {
  const fold = new AnswerFold();
  new CohereAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

interface OpenCall {
  readonly block: number;
  /** Fragments so far; some models write `null` for no arguments, which only the end tells. */
  text: string;
}

/** The plan of calls (`tool_plan`) is what the model says before it calls: text. */
class CohereAnswerReader implements AnswerReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ReaderOptions;
  readonly #calls = new Map<number, OpenCall>();

  constructor(emit: Emit, options: ReaderOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended || frame.data === '' || frame.data === '[DONE]') return;
    const data = parseJson(frame.data);
    if (!isObject(data)) {
      this.#blocks.broken('The provider sent an event that is not JSON.');
      return;
    }
    const delta = objectOf(data['delta']);
    const message = objectOf(delta?.['message']) ?? {};
    const index = numberOf(data['index']) ?? 0;
    switch (textOf(data['type']) ?? frame.event) {
      case 'message-start':
        this.#blocks.start(textOf(data['id']) ?? '', '');
        return;
      case 'content-start':
        this.#blocks.endProse();
        this.#content(message['content']);
        return;
      case 'content-delta':
        this.#content(message['content']);
        return;
      case 'content-end':
        this.#blocks.endProse();
        return;
      case 'tool-plan-delta':
        this.#blocks.prose('text', textOf(message['tool_plan']) ?? '');
        return;
      case 'tool-call-start':
        for (const call of callsIn(message['tool_calls'])) this.#callStart(index, call);
        return;
      case 'tool-call-delta':
        for (const call of callsIn(message['tool_calls'])) this.#callDelta(index, call);
        return;
      case 'tool-call-end':
        this.#callEnd(index);
        return;
      case 'citation-start':
        this.#blocks.dropped('citations');
        return;
      case 'citation-end':
        return;
      case 'message-end':
        this.#messageEnd(delta ?? {});
        return;
      default:
        if (says(data['error']) || says(data['message'])) this.#blocks.failWith(data);
    }
  }

  end(): void {
    if (!this.#blocks.ended) this.#blocks.broken();
  }

  whole(body: Json): void {
    const root = objectOf(body) ?? {};
    const message = objectOf(root['message']);
    if (message === undefined) {
      if (says(root['message']) || says(root['error'])) this.#blocks.failWith(root);
      else this.#blocks.fail(new Fault('upstream_error', 'The provider answered without an answer.'));
      return;
    }
    this.#blocks.start(textOf(root['id']) ?? '', '');
    for (const entry of listOf(message['content'])) {
      this.#content(entry);
      this.#blocks.endProse();
    }
    this.#blocks.prose('text', textOf(message['tool_plan']) ?? '');
    for (const [index, call] of objectsIn(message['tool_calls']).entries()) {
      this.#callStart(index, call);
      this.#callEnd(index);
    }
    if (says(message['citations'])) this.#blocks.dropped('citations');
    if (says(root['logprobs'])) this.#blocks.dropped('logprobs');
    this.#messageEnd(root);
  }

  #content(value: Json | undefined): void {
    const content = typeof value === 'string' ? { text: value } : (objectOf(value) ?? {});
    this.#blocks.prose('reasoning', textOf(content['thinking']) ?? '');
    this.#blocks.prose('text', textOf(content['text']) ?? '');
    const type = textOf(content['type']);
    if (says(type) && type !== 'text' && type !== 'thinking') this.#blocks.dropped(type);
  }

  #callStart(index: number, call: JsonObject): void {
    this.#callEnd(index);
    const made = objectOf(call['function']);
    const name = textOf(made?.['name']);
    if (name === undefined || name === '') {
      this.#blocks.dropped('tool_calls.nameless');
      return;
    }
    this.#blocks.endProse();
    const id = textOf(call['id']) || madeCallId(this.#options.id, this.#blocks.calls);
    this.#calls.set(index, { block: this.#blocks.open('tool', id, name), text: '' });
    this.#callDelta(index, call);
  }

  #callDelta(index: number, call: JsonObject): void {
    const open = this.#calls.get(index);
    const piece = textOf(objectOf(call['function'])?.['arguments']) ?? '';
    if (open === undefined || piece === '') return;
    const before = open.text;
    open.text += piece;
    // Held while it may still turn out to be the word `null`.
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
    this.#blocks.usage(readCohereUsage(objectOf(delta['usage']) ?? {}));
    const finish = textOf(delta['finish_reason']);
    if (says(delta['error'])) this.#blocks.failWith({ error: delta['error'] });
    else if (finish === undefined) this.#blocks.broken();
    else this.#blocks.finish(finish);
  }
}

/** Streams bring one call where whole answers have a list. */
function callsIn(value: Json | undefined): readonly JsonObject[] {
  return isArray(value) ? objectsIn(value) : isObject(value) ? [value] : [];
}
