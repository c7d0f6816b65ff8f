import { Fault } from '@floe/contract/faults';
import type { Json, JsonObject } from '@floe/contract/json';
import { type Answer, AnswerFold } from '../answer.ts';
import { BlockEmitter } from '../block-emitter.ts';
import type { AnswerReader, ReaderOptions } from '../dialect.ts';
import type { Emit, Seal } from '../events.ts';
import { isArray, isObject, numberOf, objectOf, parseJson, says, textOf } from '../json-read.ts';
import type { SseEvent } from '../sse.ts';
import { madeCallId } from '../tool-names.ts';
import { readConverseUsage } from './usage.ts';

/** Reads a ConverseStream answer, its binary frames turned into events by `EventStreamTranscoder`. */
export function answerReader(emit: Emit, options: ReaderOptions): AnswerReader {
  return new ConverseAnswerReader(emit, options);
}

/** Reads a whole Converse answer, or the error that came in its place. */
export function readAnswer(body: Json, options: ReaderOptions): Answer {
  const fold = new AnswerFold();
  new ConverseAnswerReader((event) => fold.add(event), options).whole(body);
  return fold.answer;
}

interface OpenBlock {
  readonly block: number;
  readonly kind: 'text' | 'reasoning' | 'tool';
  signature: string;
  redacted: boolean;
}

class ConverseAnswerReader implements AnswerReader {
  readonly #blocks: BlockEmitter;
  readonly #options: ReaderOptions;
  /** Open blocks by index; `undefined` marks one that is not shown. */
  readonly #open = new Map<number, OpenBlock | undefined>();
  #stop: string | undefined;

  constructor(emit: Emit, options: ReaderOptions) {
    this.#blocks = new BlockEmitter(emit);
    this.#options = options;
  }

  read(frame: SseEvent): void {
    if (this.#blocks.ended || frame.data === '') return;
    const data = parseJson(frame.data);
    if (!isObject(data)) {
      this.#blocks.broken('The provider sent an event that is not JSON.');
      return;
    }
    const index = numberOf(data['contentBlockIndex']) ?? 0;
    switch (frame.event) {
      case 'messageStart':
        this.#blocks.start('', '');
        return;
      case 'contentBlockStart':
        this.#blockStart(index, objectOf(data['start']) ?? {});
        return;
      case 'contentBlockDelta':
        this.#blockDelta(index, objectOf(data['delta']) ?? {});
        return;
      case 'contentBlockStop':
        this.#blockStop(index);
        return;
      case 'messageStop':
        this.#stop = textOf(data['stopReason']) ?? this.#stop;
        return;
      case 'metadata':
        this.#blocks.usage(readConverseUsage(objectOf(data['usage']) ?? {}, data['serviceTier']));
        // The last event there is; before the stop it only counts.
        if (this.#stop !== undefined) this.end();
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
    const root = objectOf(body) ?? {};
    const content = objectOf(objectOf(root['output'])?.['message'])?.['content'];
    if (!isArray(content)) {
      if (says(root['message']) || says(root['error'])) this.#blocks.failWith(root);
      else this.#blocks.fail(new Fault('upstream_error', 'The provider answered without an answer.'));
      return;
    }
    this.#blocks.start('', '');
    content.forEach((entry, index) => {
      this.#wholeBlock(index, objectOf(entry) ?? {});
      this.#blockStop(index);
    });
    this.#blocks.usage(readConverseUsage(objectOf(root['usage']) ?? {}, root['serviceTier']));
    this.#stop = textOf(root['stopReason']);
    this.end();
  }

  #wholeBlock(index: number, content: JsonObject): void {
    const call = objectOf(content['toolUse']);
    if (says(call)) {
      this.#blockStart(index, content);
      this.#text(index, 'tool', JSON.stringify(call['input'] ?? {}));
      return;
    }
    const reasoning = objectOf(content['reasoningContent']);
    const cited = objectOf(content['citationsContent']);
    if (says(reasoning)) {
      this.#blockDelta(index, {
        reasoningContent: { ...reasoning, ...objectOf(reasoning['reasoningText']) },
      });
    } else if (says(cited)) {
      this.#blocks.dropped('citations');
      for (const part of isArray(cited['content']) ? cited['content'] : [])
        this.#text(index, 'text', textOf(objectOf(part)?.['text']) ?? '');
    } else this.#blockDelta(index, content);
  }

  #blockStart(index: number, start: JsonObject): void {
    this.#blockStop(index);
    const call = objectOf(start['toolUse']);
    const name = textOf(call?.['name']);
    if (call === undefined || name === undefined || name === '' || call['type'] === 'server_tool_use') {
      // Blocks of text announce nothing.
      const what = says(call) ? (name ? 'server_tool_use' : 'toolUse.nameless') : firstSaid(start);
      if (what !== undefined) this.#hide(index, what);
      return;
    }
    const id = textOf(call['toolUseId']) || madeCallId(this.#options.id, index);
    this.#add(index, 'tool', id, name);
  }

  #hide(index: number, what: string): void {
    this.#blocks.dropped(what);
    this.#open.set(index, undefined);
  }

  #add(index: number, kind: OpenBlock['kind'], id?: string, name?: string): OpenBlock {
    const open = { block: this.#blocks.open(kind, id, name), kind, signature: '', redacted: false };
    this.#open.set(index, open);
    return open;
  }

  #text(index: number, kind: OpenBlock['kind'], text: string): void {
    if (text === '') return;
    const open = this.#blockOf(index, kind);
    if (open) this.#blocks.delta(open.block, text);
  }

  /** The open block of that kind; one of another kind at the same index is over. Calls are announced. */
  #blockOf(index: number, kind: OpenBlock['kind']): OpenBlock | undefined {
    const open = this.#open.get(index);
    const isHidden = open === undefined && this.#open.has(index);
    if (isHidden || open?.kind === kind) return open;
    if (kind === 'tool') {
      this.#blocks.dropped('toolUse.nameless');
      return undefined;
    }
    this.#blockStop(index);
    return this.#add(index, kind);
  }

  #blockDelta(index: number, delta: JsonObject): void {
    const call = objectOf(delta['toolUse']);
    const reasoning = objectOf(delta['reasoningContent']);
    const text = textOf(delta['text']);
    if (text) this.#text(index, 'text', text);
    else if (says(call)) this.#text(index, 'tool', textOf(call['input']) ?? '');
    else if (says(reasoning)) this.#reasoning(index, reasoning);
    else {
      const what = says(delta['citation']) ? 'citations' : firstSaid(delta);
      if (what !== undefined) this.#blocks.dropped(what);
    }
  }

  #reasoning(index: number, reasoning: JsonObject): void {
    this.#text(index, 'reasoning', textOf(reasoning['text']) ?? '');
    const redacted = textOf(reasoning['redactedContent']) || undefined;
    const proof = redacted ?? textOf(reasoning['signature']);
    if (proof === undefined || proof === '') return;
    const open = this.#blockOf(index, 'reasoning');
    if (open === undefined) return;
    open.signature += proof;
    open.redacted = redacted !== undefined;
  }

  #blockStop(index: number): void {
    const open = this.#open.get(index);
    this.#open.delete(index);
    if (open) this.#blocks.close(open.block, this.#seal(open));
  }

  #seal({ signature, redacted }: OpenBlock): Seal | undefined {
    if (signature === '') return undefined;
    const origin = this.#options.sealOrigin;
    return { dialect: 'converse', value: signature, redacted: redacted ? true : undefined, origin };
  }
}

/** The first member that says something; others stand there for form's sake. */
function firstSaid(value: JsonObject): string | undefined {
  return Object.keys(value).find((name) => says(value[name]));
}
