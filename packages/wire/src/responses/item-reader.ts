import type { JsonObject } from '@floe/contract/json';
import type { BlockEmitter } from '../block-emitter.ts';
import type { ReaderOptions } from '../dialect.ts';
import type { Seal } from '../events.ts';
import { listOf, numberOf, objectOf, says, textOf } from '../json-read.ts';
import { madeCallId } from '../tool-names.ts';

interface Piece {
  readonly block: number;
  text: string;
  closed?: true;
}

/** One output item while it streams; `complete` adds whatever its final form has beyond the deltas. */
export class ItemReader {
  readonly type: string;
  readonly #index: number;
  readonly #blocks: BlockEmitter;
  readonly #options: ReaderOptions;
  readonly #pieces = new Map<string, Piece>();
  #call: Piece | undefined;
  #reasoning: Piece | undefined;
  /** Whether reasoning is read from summaries or from its full text: the first that comes. */
  #source: 'summary' | 'content' | undefined;
  #part = 0;
  #closed = false;

  constructor(item: JsonObject, index: number, blocks: BlockEmitter, options: ReaderOptions) {
    this.type = textOf(item['type']) ?? '';
    this.#index = index;
    this.#blocks = blocks;
    this.#options = options;
    if (this.#isCall && textOf(item['name'])) this.#openCall(item);
    else if (this.type !== 'message' && this.type !== 'reasoning') {
      blocks.dropped(this.type === '' ? 'output_item' : this.type);
      this.#closed = true;
    }
  }

  get #isCall(): boolean {
    return this.type === 'function_call' || this.type === 'custom_tool_call';
  }

  /** One event about this item. */
  read(type: string, event: JsonObject): void {
    if (this.#closed) return;
    const delta = textOf(event['delta']) ?? '';
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#say(type.includes('refusal') ? 'refusal' : 'text', event, delta);
        return;
      case 'response.output_text.done':
        this.#fill(this.#piece('text', event, textOf(event['text'])), textOf(event['text']));
        return;
      case 'response.refusal.done':
        this.#fill(this.#piece('refusal', event, textOf(event['refusal'])), textOf(event['refusal']));
        return;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        if (this.#call) this.#grow(this.#call, delta);
        return;
      case 'response.function_call_arguments.done':
        this.#fill(this.#call, textOf(event['arguments']));
        return;
      case 'response.custom_tool_call_input.done':
        this.#fill(this.#call, textOf(event['input']));
        return;
      case 'response.reasoning_summary_text.delta':
        this.#think('summary', numberOf(event['summary_index']) ?? 0, delta);
        return;
      case 'response.reasoning_text.delta':
        this.#think('content', numberOf(event['content_index']) ?? 0, delta);
        return;
    }
  }

  /** The item in its final form. */
  complete(item: JsonObject): void {
    if (this.#closed) return;
    if (this.#isCall) this.#fill(this.#call, textOf(item['arguments']) ?? textOf(item['input']));
    if (this.type === 'message') this.#completeMessage(item);
    if (this.type === 'reasoning') {
      this.#completeReasoning(item);
      return;
    }
    this.close();
  }

  close(seal?: Seal): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#closePieces();
    if (this.#call) this.#blocks.close(this.#call.block);
    if (this.#reasoning) this.#blocks.close(this.#reasoning.block, seal);
    else if (seal) this.#blocks.sealed(seal);
  }

  #completeMessage(item: JsonObject): void {
    if (says(item['phase'])) this.#blocks.dropped('phase');
    listOf(item['content']).forEach((entry, index) => {
      const part = objectOf(entry) ?? {};
      const type = textOf(part['type']) ?? '';
      const at = { content_index: index };
      if (says(part['annotations'])) this.#blocks.dropped('annotations');
      if (type === 'output_text' || type === 'text') {
        const text = textOf(part['text']);
        this.#fill(this.#piece('text', at, text), text);
      } else if (type === 'refusal') {
        const text = textOf(part['refusal']);
        this.#fill(this.#piece('refusal', at, text), text);
      } else this.#blocks.dropped(`content.${type}`);
    });
  }

  #completeReasoning(item: JsonObject): void {
    if (this.#reasoning === undefined) {
      const source = says(item['summary']) ? 'summary' : 'content';
      listOf(item[source]).forEach((entry, index) => {
        this.#think(source, index, textOf(objectOf(entry)?.['text']) ?? '');
      });
    }
    const value = textOf(item['encrypted_content']);
    const origin = this.#options.sealOrigin;
    this.close(value ? { dialect: 'responses', value, origin } : undefined);
  }

  #openCall(item: JsonObject): void {
    const given = textOf(item['call_id']) || textOf(item['id']);
    const within = textOf(item['namespace']);
    const name = textOf(item['name']) ?? '';
    const block = this.#blocks.open(
      'tool',
      given || madeCallId(this.#options.id, this.#index),
      within ? `${within}__${name}` : name,
      this.type === 'custom_tool_call' ? true : undefined,
    );
    this.#call = { block, text: '' };
  }

  #think(source: 'summary' | 'content', part: number, text: string): void {
    this.#source ??= source;
    if (text === '' || this.#source !== source) return;
    if (this.#reasoning === undefined) this.#reasoning = { block: this.#blocks.open('reasoning'), text: '' };
    else if (part !== this.#part) this.#grow(this.#reasoning, '\n\n');
    this.#part = part;
    this.#grow(this.#reasoning, text);
  }

  #say(kind: 'text' | 'refusal', event: JsonObject, text: string): void {
    const piece = this.#piece(kind, event, text);
    if (piece) this.#grow(piece, text);
  }

  /** The block of one content part, opened when it has something to say. */
  #piece(kind: 'text' | 'refusal', at: JsonObject, text: string | undefined): Piece | undefined {
    const key = `${kind}${numberOf(at['content_index']) ?? 0}`;
    const known = this.#pieces.get(key);
    if (known || text === undefined || text === '') return known;
    this.#closePieces();
    const piece: Piece = { block: this.#blocks.open(kind), text: '' };
    this.#pieces.set(key, piece);
    return piece;
  }

  #closePieces(): void {
    for (const piece of this.#pieces.values()) {
      if (!piece.closed) this.#blocks.close(piece.block);
      piece.closed = true;
    }
  }

  #grow(piece: Piece, text: string): void {
    if (piece.closed) return;
    piece.text += text;
    this.#blocks.delta(piece.block, text);
  }

  /** Emits what the whole text has beyond what was streamed. */
  #fill(piece: Piece | undefined, whole: string | undefined): void {
    if (piece === undefined || whole === undefined || !whole.startsWith(piece.text)) return;
    this.#grow(piece, whole.slice(piece.text.length));
  }
}
