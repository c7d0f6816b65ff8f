import { Buffer } from 'node:buffer';
import { contentBytesOf } from '../content-bytes.ts';
import { type Finish, readFinish } from '../finish.ts';
import { textOf } from '../json-bytes.ts';
import { JsonCursor } from '../json-cursor.ts';
import { type Edit, readNumber, readString, type Span } from '../splice.ts';
import { tierOf } from '../units.ts';
import { mergeUsage, readChatUsage, type Usage } from '../usage.ts';
import { contentWithoutReasoning, MemberCuts } from './cut.ts';
import { CHOICE, DELTA, ENVELOPE, REASONING, ROOT } from './member-names.ts';
import { ThinkTags } from './think-tags.ts';

/** What is taken out of the answers of one exchange. */
export interface ChatCutOptions {
  /** Remove reasoning members, thinking parts and, with `thinkTags`, tagged reasoning. */
  readonly stripReasoning: boolean;
  /** Whether this provider's content may begin with `<think>…</think>`. */
  readonly thinkTags: boolean;
  /** Count the content in `contentBytes`. */
  readonly countContent?: boolean;
}

interface Choice {
  finished: boolean;
  readonly think: ThinkTags | undefined;
}

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;

/**
 * Reads chunks or whole answers of the Chat dialect as bytes: one validating pass that enters only
 * `choices` and their deltas, notes what the gateway needs and collects the edits that cut reasoning.
 * It lives for one exchange.
 */
export class ChatWalk {
  /** Whether an answer has begun: text, a call, reasoning or a finish. */
  content = false;
  /** The upstream's id and model, as first reported. */
  id: string | undefined;
  model: string | undefined;
  usage: Usage | undefined;
  /** The first finish reported. */
  finish: Finish | undefined;
  readonly choices = new Map<number, Choice>();
  /** UTF-8 bytes of text, reasoning and tool calls so far, what is cut included, where that is asked for. */
  contentBytes = 0;
  /** Texts that brought some of it. */
  contentPieces = 0;

  /** Of the text read last: edits in order, and whether it had choices, usage or an error. */
  edits: Edit[] = [];
  hasChoices = false;
  hasUsage = false;
  hasError = false;

  readonly #options: ChatCutOptions;
  #tier: string | undefined;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(options: ChatCutOptions) {
    this.#options = options;
  }

  /** True when at least one choice was opened and every opened one has finished. */
  get finished(): boolean {
    for (const choice of this.choices.values()) if (!choice.finished) return false;
    return this.choices.size > 0;
  }

  /**
   * Reads the JSON from `start` to `end`; false when it is not an object.
   *
   * @throws {JsonSyntaxError} when it is not JSON.
   */
  read(bytes: Buffer, start: number, end: number): boolean {
    this.#bytes = bytes;
    this.edits = [];
    this.hasChoices = false;
    this.hasUsage = false;
    this.hasError = false;
    const cursor = new JsonCursor(bytes, start, end);
    const counted = this.contentBytes;
    const isObject = cursor.enterObject();
    if (isObject) this.#root(cursor);
    else cursor.skip();
    cursor.expectEnd();
    if (this.contentBytes > counted) this.contentPieces += 1;
    if (this.edits.length > 1) this.edits.sort((a, b) => a.start - b.start || a.end - b.end);
    return isObject;
  }

  #root(cursor: JsonCursor): void {
    let flatError = false;
    let tier: Span | undefined;
    while (cursor.nextMember()) {
      const name = cursor.key(ROOT);
      if (name === 'choices') {
        this.#choices(cursor);
        continue;
      }
      const isVendor = name === undefined && this.#isVendorName(cursor);
      const span = skipped(cursor);
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
    // Every chunk names it; the first one and that with the usage are read.
    if (tier && (this.hasUsage || this.#tier === undefined)) this.#tier = this.#words(tier) ?? '';
    if (this.hasUsage && this.usage)
      this.usage = { units: this.usage.units, tier: tierOf(this.#tier) ?? this.usage.tier };
  }

  #isError(span: Span): boolean {
    return span.end - span.start === '"error"'.length && this.#words(span) === 'error';
  }

  /** Vendors' own members begin with `x_`; one host reports its usage inside such a member only. */
  #isVendorName(cursor: JsonCursor): boolean {
    return this.#bytes[cursor.keyStart] === 0x78 && this.#bytes[cursor.keyStart + 1] === 0x5f;
  }

  #envelope(span: Span): void {
    const cursor = new JsonCursor(this.#bytes, span.start, span.end);
    if (!cursor.enterObject()) return;
    while (cursor.nextMember()) {
      const name = cursor.key(ENVELOPE);
      const value = skipped(cursor);
      if (name === 'usage') this.#noteUsage(value);
      else if (name === 'status_code' && (readNumber(this.#bytes, value) ?? 0) !== 0) this.hasError = true;
    }
  }

  #noteUsage(span: Span): void {
    if (this.#bytes[span.start] !== OPEN_BRACE) return;
    this.hasUsage = true;
    this.usage = mergeUsage(this.usage, readChatUsage(JSON.parse(textOf(this.#bytes, span.start, span.end))));
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
    let delta: Span | undefined;
    let message: Span | undefined;
    while (cursor.nextMember()) {
      const name = cursor.key(CHOICE);
      const span = skipped(cursor);
      if (name === 'index') index = readNumber(this.#bytes, span) ?? position;
      else if (name === 'delta') delta = span;
      else if (name === 'message') message = span;
      else if (name === 'finish_reason') raw = this.#words(span);
      else if (name === 'usage') this.#noteUsage(span);
    }
    this.hasChoices = true;
    const choice = this.#open(index);
    const ends = raw !== undefined;
    if (delta !== undefined) this.#message(delta, choice.think, ends);
    else if (ends && choice.think?.holding)
      this.#insert(inside, `"delta":${JSON.stringify({ content: choice.think.flush() })},`);
    if (message !== undefined) this.#message(message, this.#newThink(), true);
    if (raw === undefined) return;
    choice.finished = true;
    this.content = true;
    this.finish ??= readFinish(raw);
  }

  #open(index: number): Choice {
    const known = this.choices.get(index);
    if (known !== undefined) return known;
    const choice = { finished: false, think: this.#newThink() };
    this.choices.set(index, choice);
    return choice;
  }

  #newThink(): ThinkTags | undefined {
    return this.#options.stripReasoning && this.#options.thinkTags ? new ThinkTags() : undefined;
  }

  /** Reads a delta or message and cuts its reasoning; `ends` says that no more text follows it. */
  #message(span: Span, think: ThinkTags | undefined, ends: boolean): void {
    const { stripReasoning: strip, countContent: counts } = this.#options;
    if (this.content && !strip && !counts) return;
    const cursor = new JsonCursor(this.#bytes, span.start, span.end);
    if (!cursor.enterObject()) {
      if (ends && think?.holding)
        this.edits.push({ ...span, text: JSON.stringify({ content: think.flush() }) });
      return;
    }
    const inside = cursor.at;
    const cuts = new MemberCuts(this.edits);
    let reasoningBytes = 0;
    while (cursor.nextMember()) {
      const name = cursor.key(DELTA);
      const start = cursor.keyStart - 1;
      const value = skipped(cursor);
      if (name !== undefined) this.content ||= this.#says(value);
      if (counts && name !== undefined) {
        const bytes = contentBytesOf(this.#bytes, value);
        // Hosts repeat the same reasoning under several names.
        if (REASONING.has(name)) reasoningBytes = Math.max(reasoningBytes, bytes);
        else this.contentBytes += bytes;
      }
      if (strip && name !== undefined && REASONING.has(name)) cuts.cut(start, value.end);
      else {
        cuts.keep(start, value.end);
        if (strip && name === 'content') this.#cutContent(value, think, ends);
      }
    }
    cuts.end();
    this.contentBytes += reasoningBytes;
    if (ends && think?.holding)
      this.#insert(inside, `"content":${JSON.stringify(think.flush())}${cuts.keptAny ? ',' : ''}`);
  }

  #cutContent(span: Span, think: ThinkTags | undefined, ends: boolean): void {
    const first = this.#bytes[span.start];
    if (first === OPEN_BRACKET) {
      const text = contentWithoutReasoning(textOf(this.#bytes, span.start, span.end));
      this.edits.push({ ...span, text });
    } else if (think !== undefined && !think.through && (first === QUOTE || (ends && think.holding))) {
      const text = readString(this.#bytes, span) ?? '';
      const shown = think.push(text) + (ends ? think.flush() : '');
      if (shown !== text) this.edits.push({ ...span, text: JSON.stringify(shown) });
    }
  }

  #insert(at: number, text: string): void {
    this.edits.push({ start: at, end: at, text });
  }

  /** The string at `span` when it has characters. */
  #words(span: Span): string | undefined {
    const text = readString(this.#bytes, span);
    return text === '' ? undefined : text;
  }

  /** Whether the value says anything: not null, false or empty. */
  #says({ start, end }: Span): boolean {
    const first = this.#bytes[start];
    if (first === QUOTE) return end - start > 2;
    if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return first !== 0x6e && first !== 0x66;
    for (let at = start + 1; at < end - 1; at++) if ((this.#bytes[at] ?? 0) > 0x20) return true;
    return false;
  }
}

function skipped(cursor: JsonCursor): Span {
  const start = cursor.at;
  cursor.skip();
  return { start, end: cursor.at };
}
