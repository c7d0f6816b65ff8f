import type { JsonObject } from '@floe/contract/json';
import type { BlockEmitter } from '../block-emitter.ts';
import type { ResponseReadOptions } from '../dialect.ts';
import { asArray, asNumber, asObject, asObjects, asString, isNonEmpty } from '../json-narrowing.ts';
import type { BlockKind, Seal } from '../response-events.ts';
import { generateCallId } from '../tool-identifiers.ts';

/** Returns the name under which the content of an event is reported: `audio` for `response.audio.delta`. */
export function getDeltaContentName(type: string): string {
  return type.replace(/^response\./, '').replace(/\.delta$/, '');
}

/** Types of reasoning parts. Some providers omit the type. */
const REASONING_PART_TYPES: ReadonlySet<string> = new Set([
  '',
  'summary_text',
  'reasoning_text',
  'text',
  'output_text',
]);

interface StreamedPart {
  readonly kind: BlockKind;
  block: number;
  text: string;
}

/**
 * Reads a streamed output item. `complete` reads the final item and adds the content that the deltas did not
 * contain.
 */
export class OutputItemReader {
  readonly type: string;
  readonly #index: number;
  /** The item in its first event, until it is closed. */
  #first: JsonObject;
  readonly #blocks: BlockEmitter;
  readonly #options: ResponseReadOptions;
  readonly #parts = new Map<string, StreamedPart>();
  /** The part whose block is open. */
  #openedPart: StreamedPart | undefined;
  #call: StreamedPart | undefined;
  #reasoning: StreamedPart | undefined;
  /** Whether reasoning is read from summaries or from its full text. The first one that occurs is used. */
  #source: 'summary' | 'content' | undefined;
  #reasoningPart = 0;
  /** Number of characters of the reasoning before the current part. */
  #reasoningPartStart = 0;
  #closed = false;

  constructor(item: JsonObject, index: number, blocks: BlockEmitter, options: ResponseReadOptions) {
    this.type = asString(item['type']) ?? '';
    this.#index = index;
    this.#first = item;
    this.#blocks = blocks;
    this.#options = options;
    if (this.#isCall && asString(item['name'])) this.#openCall(item);
    else if (this.type !== 'message' && this.type !== 'reasoning') {
      blocks.reportLostContent(this.type === '' ? 'output_item' : this.type);
      this.#release();
    }
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get #isCall(): boolean {
    return this.type === 'function_call' || this.type === 'custom_tool_call';
  }

  /** Reads an event of this item. */
  read(type: string, event: JsonObject): void {
    if (this.#closed) return;
    const delta = asString(event['delta']) ?? '';
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#appendPartText(type.includes('refusal') ? 'refusal' : 'text', event, delta);
        return;
      case 'response.output_text.done':
        this.#appendRemainder(
          this.#openPart('text', event, asString(event['text'])),
          asString(event['text']),
        );
        return;
      case 'response.refusal.done':
        this.#appendRemainder(
          this.#openPart('refusal', event, asString(event['refusal'])),
          asString(event['refusal']),
        );
        return;
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        if (this.#call) this.#append(this.#call, delta);
        return;
      case 'response.function_call_arguments.done':
        this.#appendRemainder(this.#call, asString(event['arguments']));
        return;
      case 'response.custom_tool_call_input.done':
        this.#appendRemainder(this.#call, asString(event['input']));
        return;
      case 'response.reasoning_summary_text.delta':
        this.#appendReasoning('summary', asNumber(event['summary_index']) ?? 0, delta);
        return;
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        this.#appendReasoning('content', asNumber(event['content_index']) ?? 0, delta);
        return;
      case 'response.reasoning_summary_text.done':
        this.#completeReasoningPart('summary', asNumber(event['summary_index']) ?? 0, event);
        return;
      case 'response.reasoning_text.done':
      case 'response.reasoning.done':
        this.#completeReasoningPart('content', asNumber(event['content_index']) ?? 0, event);
        return;
      case 'response.content_part.done': {
        const part = asObject(event['part']);
        if (part && this.type === 'message') this.#completePart(part, event);
        return;
      }
      default:
        if (delta !== '') this.#blocks.reportLostContent(getDeltaContentName(type));
    }
  }

  /** Ends an item without a final event. If nothing was streamed, the content of its first event is used. */
  end(): void {
    const hasContent = this.#parts.size > 0 || this.#reasoning !== undefined || this.#call?.text;
    // The encrypted content of the first event is not final.
    if (hasContent) this.close();
    else this.complete({ ...this.#first, encrypted_content: undefined });
  }

  /** Reads the final item. */
  complete(item: JsonObject): void {
    if (this.#closed) return;
    this.#blocks.reportCaller(item['caller']);
    if (this.#isCall)
      this.#appendRemainder(this.#call, asString(item['arguments']) ?? asString(item['input']));
    if (this.type === 'message') this.#completeMessage(item);
    if (this.type === 'reasoning') {
      this.#completeReasoning(item);
      return;
    }
    this.close();
  }

  close(seal?: Seal): void {
    if (this.#closed) return;
    this.#release();
    this.#closePart();
    if (this.#call) this.#blocks.close(this.#call.block);
    if (this.#reasoning) this.#blocks.close(this.#reasoning.block, seal);
    else if (seal) this.#blocks.emitSealedBlock(seal);
    this.#call = this.#reasoning = undefined;
  }

  /** Marks the item as closed, and releases the memory of its content. */
  #release(): void {
    this.#closed = true;
    this.#first = {};
    this.#parts.clear();
  }

  #completeMessage(item: JsonObject): void {
    asArray(item['content']).forEach((entry, index) => {
      this.#completePart(asObject(entry) ?? {}, { content_index: index });
    });
  }

  #completePart(part: JsonObject, at: JsonObject): void {
    const type = asString(part['type']) ?? '';
    const kind = type === 'refusal' ? 'refusal' : 'text';
    const value = part[kind];
    const isKnown = type === 'output_text' || type === 'text' || type === 'refusal';
    // A part in its first event may be empty.
    if (!isKnown || (isNonEmpty(value) && typeof value !== 'string'))
      this.#blocks.reportLostContent(`content.${type === '' ? 'unknown' : type}`);
    else this.#appendRemainder(this.#openPart(kind, at, asString(value)), asString(value));
  }

  #completeReasoning(item: JsonObject): void {
    for (const source of ['summary', 'content'] as const) {
      const parts = asObjects(item[source]);
      for (const part of parts) this.#reportUnknownReasoningPart(part);
      const texts = parts.map(({ text }) => asString(text) ?? '');
      const whole = texts.filter((text) => text !== '').join('\n\n');
      if (whole !== '') this.#appendRemainder(this.#openReasoning(source), whole);
    }
    const value = asString(item['encrypted_content']);
    const origin = this.#options.sealOrigin;
    this.close(value ? { dialect: 'responses', value, origin } : undefined);
  }

  #reportUnknownReasoningPart(part: JsonObject): void {
    const type = asString(part['type']) ?? '';
    if (!REASONING_PART_TYPES.has(type)) this.#blocks.reportUnknownTextPart(part, `reasoning.${type}`);
    else if (isNonEmpty(part['text']) && typeof part['text'] !== 'string')
      this.#blocks.reportDropped(`reasoning.${type === '' ? 'unknown' : type}`);
  }

  #openCall(item: JsonObject): void {
    const given = asString(item['call_id']) || asString(item['id']);
    const within = asString(item['namespace']);
    const name = asString(item['name']) ?? '';
    const block = this.#blocks.open(
      'tool',
      given || generateCallId(this.#options.id, this.#index),
      within ? `${within}__${name}` : name,
      this.type === 'custom_tool_call' ? true : undefined,
    );
    this.#call = { kind: 'tool', block, text: '' };
  }

  #appendReasoning(source: 'summary' | 'content', part: number, text: string): void {
    if (text === '') return;
    const reasoning = this.#openReasoning(source);
    if (reasoning === undefined) return;
    if (part !== this.#reasoningPart) {
      if (reasoning.text !== '') this.#append(reasoning, '\n\n');
      this.#reasoningPartStart = reasoning.text.length;
    }
    this.#reasoningPart = part;
    this.#append(reasoning, text);
  }

  /** Emits the text of a part of the reasoning that was not streamed. Earlier parts are complete. */
  #completeReasoningPart(source: 'summary' | 'content', part: number, event: JsonObject): void {
    const text = asString(event['text']) ?? '';
    const streamed =
      part === this.#reasoningPart ? this.#reasoning?.text.slice(this.#reasoningPartStart) : '';
    if (part >= this.#reasoningPart && text.startsWith(streamed ?? ''))
      this.#appendReasoning(source, part, text.slice(streamed?.length));
  }

  /** Returns the block of the reasoning. Reports the text of the other source as dropped. */
  #openReasoning(source: 'summary' | 'content'): StreamedPart | undefined {
    this.#source ??= source;
    if (this.#source !== source) {
      this.#blocks.reportDropped(`reasoning.${source}`);
      return undefined;
    }
    this.#reasoning ??= { kind: 'reasoning', block: this.#blocks.open('reasoning'), text: '' };
    return this.#reasoning;
  }

  #appendPartText(kind: 'text' | 'refusal', event: JsonObject, text: string): void {
    const piece = this.#openPart(kind, event, text);
    if (piece) this.#append(piece, text);
  }

  /** Returns the block of a content part. Opens it with its first text. */
  #openPart(kind: 'text' | 'refusal', at: JsonObject, text: string | undefined): StreamedPart | undefined {
    const key = `${kind}${asNumber(at['content_index']) ?? 0}`;
    const known = this.#parts.get(key);
    if (known || text === undefined || text === '') return known;
    this.#closePart();
    const piece: StreamedPart = { kind, block: this.#blocks.open(kind), text: '' };
    this.#parts.set(key, piece);
    this.#openedPart = piece;
    return piece;
  }

  #closePart(): void {
    if (this.#openedPart) this.#blocks.close(this.#openedPart.block);
    this.#openedPart = undefined;
  }

  /** Text of a part that was closed, because another part began, gets a new block. */
  #append(piece: StreamedPart, text: string): void {
    if (text === '') return;
    const isPart = piece.kind === 'text' || piece.kind === 'refusal';
    if (isPart && piece !== this.#openedPart) {
      this.#closePart();
      piece.block = this.#blocks.open(piece.kind);
      this.#openedPart = piece;
    }
    piece.text += text;
    this.#blocks.delta(piece.block, text);
    this.#blocks.countKept(text.length);
  }

  /** Emits the part of the whole text that was not streamed. */
  #appendRemainder(piece: StreamedPart | undefined, whole: string | undefined): void {
    if (piece === undefined || whole === undefined || !whole.startsWith(piece.text)) return;
    this.#append(piece, whole.slice(piece.text.length));
  }
}
