import { Buffer } from 'node:buffer';
import { parseServiceTier } from '../billed-unit-counts.ts';
import { countContentBytesAt } from '../content-bytes.ts';
import { mergeFinishReason, type ResponseFinish, readRawFinishReason } from '../finish-reason.ts';
import { decodeUtf8Range } from '../json-bytes.ts';
import { JsonCursor } from '../json-cursor.ts';
import { type ByteEdit, type ByteSpan, readNumberAt, readStringAt } from '../json-edits.ts';
import { JsonItemRemover } from '../json-item-remover.ts';
import { mergeUsage, readChatUsage, type Usage } from '../usage.ts';
import {
  CHOICE_MEMBERS,
  CHUNK_MEMBERS,
  DELTA_MEMBERS,
  REASONING_MEMBERS,
  VENDOR_MEMBERS,
} from './member-names.ts';
import { stripReasoningParts } from './strip-reasoning-parts.ts';
import { ThinkTagStripper } from './think-tag-stripper.ts';

/** How the responses in one exchange are scanned: which reasoning is removed, and whether content is counted. */
export interface ChatScanOptions {
  /** Whether to remove reasoning members, thinking parts and, with `thinkTags`, tagged reasoning. */
  readonly stripReasoning: boolean;
  /** Whether this provider's content can start with `<think>…</think>`. */
  readonly thinkTags: boolean;
  /** Whether to count the content in `contentBytes`. */
  readonly countContent?: boolean;
}

interface Choice {
  finished: boolean;
  readonly think: ThinkTagStripper | undefined;
}

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/**
 * Reads Chat chunks or complete responses as bytes. One validating pass reads only `choices` and
 * their deltas, extracts what the gateway needs and collects the edits that remove reasoning. Each
 * exchange has its own scanner.
 */
export class ChatResponseScanner {
  /** Whether the response contains text, a call, reasoning or a finish. */
  hasContent = false;
  /** The id of the response, as the provider first reported it. The same applies to `model`. */
  id: string | undefined;
  model: string | undefined;
  usage: Usage | undefined;
  /** The first finish that was reported. */
  finish: ResponseFinish | undefined;
  readonly choices = new Map<number, Choice>();
  /**
   * UTF-8 bytes of text, reasoning and tool calls so far, including removed parts. Counted only if requested.
   */
  contentBytes = 0;
  /** Number of chunks or responses with content. */
  contentFrameCount = 0;

  /** The edits of the last chunk or response, in order, and whether it contained choices, usage or an error. */
  edits: ByteEdit[] = [];
  hasChoices = false;
  hasUsage = false;
  hasError = false;
  /** Whether the last chunk or response contained a choice that has neither a message nor a delta nor a text. */
  hasEmptyChoice = false;

  readonly #options: ChatScanOptions;
  #tier: string | undefined;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(options: ChatScanOptions) {
    this.#options = options;
  }

  /** Whether there was at least one choice and all choices have finished. */
  get isFinished(): boolean {
    for (const choice of this.choices.values()) if (!choice.finished) return false;
    return this.choices.size > 0;
  }

  /**
   * Reads the JSON from `start` to `end`. Returns false if it is not an object.
   * @throws JsonSyntaxError if it is not valid JSON
   */
  read(bytes: Buffer, start: number, end: number): boolean {
    this.#bytes = bytes;
    this.edits = [];
    this.hasChoices = false;
    this.hasUsage = false;
    this.hasError = false;
    this.hasEmptyChoice = false;
    const cursor = new JsonCursor(bytes, start, end);
    const counted = this.contentBytes;
    const isJsonObject = cursor.enterObject();
    if (isJsonObject) this.#root(cursor);
    else cursor.skip();
    cursor.expectEnd();
    if (this.contentBytes > counted) this.contentFrameCount += 1;
    if (this.edits.length > 1) this.edits.sort((a, b) => a.start - b.start || a.end - b.end);
    return isJsonObject;
  }

  #root(cursor: JsonCursor): void {
    let flatError = false;
    let tier: ByteSpan | undefined;
    while (cursor.nextMember()) {
      const name = cursor.key(CHUNK_MEMBERS);
      if (name === 'choices') {
        this.#choices(cursor);
        continue;
      }
      const isVendor = name === undefined && this.#isVendorName(cursor);
      const span = skipValue(cursor);
      if (name === 'id') this.id ??= this.#words(span);
      else if (name === 'model') this.model ??= this.#words(span);
      else if (name === 'usage') this.#noteUsage(span);
      else if (name === 'service_tier') tier = span;
      else if (name === 'error') this.hasError ||= this.#says(span);
      else if (name === 'object') this.hasError ||= this.#isError(span);
      else if (name === 'message' || name === 'detail') flatError ||= this.#says(span);
      else if (name === 'base_resp' || isVendor) this.#envelope(span);
    }
    if (flatError && !this.hasChoices && !this.hasUsage) this.hasError = true;
    // Every chunk has the tier. It is read from the first chunk and from the one with the usage.
    if (tier && (this.hasUsage || this.#tier === undefined)) this.#tier = this.#words(tier) ?? '';
    if (this.hasUsage && this.usage)
      this.usage = { units: this.usage.units, tier: parseServiceTier(this.#tier) ?? this.usage.tier };
  }

  #isError(span: ByteSpan): boolean {
    return span.end - span.start === '"error"'.length && this.#words(span) === 'error';
  }

  /** Vendor members start with `x_`. One provider reports usage only in such a member. */
  #isVendorName(cursor: JsonCursor): boolean {
    return this.#bytes[cursor.keyStart] === 0x78 && this.#bytes[cursor.keyStart + 1] === 0x5f;
  }

  #envelope(span: ByteSpan): void {
    const cursor = new JsonCursor(this.#bytes, span.start, span.end);
    if (!cursor.enterObject()) return;
    while (cursor.nextMember()) {
      const name = cursor.key(VENDOR_MEMBERS);
      const value = skipValue(cursor);
      if (name === 'usage') this.#noteUsage(value);
      else if (name === 'status_code' && (readNumberAt(this.#bytes, value) ?? 0) !== 0) this.hasError = true;
    }
  }

  #noteUsage(span: ByteSpan): void {
    if (this.#bytes[span.start] !== OPEN_BRACE) return;
    this.hasUsage = true;
    this.usage = mergeUsage(
      this.usage,
      readChatUsage(JSON.parse(decodeUtf8Range(this.#bytes, span.start, span.end))),
    );
  }

  #choices(cursor: JsonCursor): void {
    if (!cursor.enterArray()) {
      cursor.skip();
      return;
    }
    for (let position = 0; cursor.nextElement(); position++) {
      if (cursor.enterObject()) this.#choice(cursor, position);
      else cursor.skip();
    }
  }

  #choice(cursor: JsonCursor, position: number): void {
    const inside = cursor.at;
    let index = position;
    let raw: string | undefined;
    let delta: ByteSpan | undefined;
    let message: ByteSpan | undefined;
    let text: ByteSpan | undefined;
    while (cursor.nextMember()) {
      const name = cursor.key(CHOICE_MEMBERS);
      const span = skipValue(cursor);
      if (name === 'index') index = readNumberAt(this.#bytes, span) ?? position;
      else if (name === 'delta') delta = span;
      else if (name === 'message') message = span;
      else if (name === 'text') text = span;
      else if (name === 'finish_reason') raw = readRawFinishReason(readStringAt(this.#bytes, span));
      else if (name === 'usage') this.#noteUsage(span);
    }
    this.hasChoices = true;
    this.hasEmptyChoice ||= !(
      this.#startsWith(message, OPEN_BRACE) ||
      this.#startsWith(delta, OPEN_BRACE) ||
      this.#startsWith(text, QUOTE)
    );
    const choice = this.#open(index);
    const ends = raw !== undefined;
    if (delta !== undefined) this.#message(delta, choice.think, ends);
    else if (ends && choice.think?.hasPending)
      this.#insert(inside, `"delta":${JSON.stringify({ content: choice.think.flush() })},`);
    if (message !== undefined) this.#message(message, this.#newThink(), true);
    if (raw === undefined) return;
    choice.finished = true;
    this.hasContent = true;
    this.finish = mergeFinishReason(this.finish, raw);
  }

  #startsWith(span: ByteSpan | undefined, byte: number): boolean {
    return span !== undefined && this.#bytes[span.start] === byte;
  }

  #open(index: number): Choice {
    const known = this.choices.get(index);
    if (known !== undefined) return known;
    const choice = { finished: false, think: this.#newThink() };
    this.choices.set(index, choice);
    return choice;
  }

  #newThink(): ThinkTagStripper | undefined {
    return this.#options.stripReasoning && this.#options.thinkTags ? new ThinkTagStripper() : undefined;
  }

  /** Reads a delta or message and removes its reasoning. `ends` means that no more text follows. */
  #message(span: ByteSpan, think: ThinkTagStripper | undefined, ends: boolean): void {
    const { stripReasoning: strip, countContent: counts } = this.#options;
    if (this.hasContent && !strip && !counts) return;
    const cursor = new JsonCursor(this.#bytes, span.start, span.end);
    if (!cursor.enterObject()) {
      if (ends && think?.hasPending)
        this.edits.push({ ...span, text: JSON.stringify({ content: think.flush() }) });
      return;
    }
    const inside = cursor.at;
    const cuts = new JsonItemRemover(this.edits);
    let reasoningBytes = 0;
    while (cursor.nextMember()) {
      const name = cursor.key(DELTA_MEMBERS);
      const start = cursor.keyStart - 1;
      const value = skipValue(cursor);
      if (name !== undefined) this.hasContent ||= this.#says(value);
      if (counts && name !== undefined) {
        const bytes = countContentBytesAt(this.#bytes, value);
        // Providers repeat the same reasoning in several members.
        if (REASONING_MEMBERS.has(name)) reasoningBytes = Math.max(reasoningBytes, bytes);
        else this.contentBytes += bytes;
      }
      if (strip && name !== undefined && REASONING_MEMBERS.has(name)) cuts.remove(start, value.end);
      else {
        cuts.retain(start, value.end);
        if (strip && name === 'content') this.#cutContent(value, think, ends);
      }
    }
    cuts.finish();
    this.contentBytes += reasoningBytes;
    if (ends && think?.hasPending)
      this.#insert(inside, `"content":${JSON.stringify(think.flush())}${cuts.hasRetained ? ',' : ''}`);
  }

  #cutContent(span: ByteSpan, think: ThinkTagStripper | undefined, ends: boolean): void {
    const first = this.#bytes[span.start];
    if (first === OPEN_BRACKET) {
      const text = stripReasoningParts(decodeUtf8Range(this.#bytes, span.start, span.end));
      this.edits.push({ ...span, text });
    } else if (think !== undefined && !think.isDone && (first === QUOTE || (ends && think.hasPending))) {
      const text = readStringAt(this.#bytes, span) ?? '';
      const shown = think.push(text) + (ends ? think.flush() : '');
      if (shown !== text) this.edits.push({ ...span, text: JSON.stringify(shown) });
    }
  }

  #insert(at: number, text: string): void {
    this.edits.push({ start: at, end: at, text });
  }

  /** Returns the string at `span` if it is not empty. */
  #words(span: ByteSpan): string | undefined {
    const text = readStringAt(this.#bytes, span);
    return text === '' ? undefined : text;
  }

  /** Returns whether the value is not null, false or empty. */
  #says({ start, end }: ByteSpan): boolean {
    const first = this.#bytes[start];
    if (first === QUOTE) return end - start > 2;
    if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return first !== 0x6e && first !== 0x66;
    for (let at = start + 1; at < end - 1; at++) if ((this.#bytes[at] ?? 0) > 0x20) return true;
    return false;
  }
}

function skipValue(cursor: JsonCursor): ByteSpan {
  const start = cursor.at;
  cursor.skip();
  return { start, end: cursor.at };
}
