import type { Json } from '@floe/contract/json';
import { asString, isJsonArray, isJsonObject } from './json-narrowing.ts';

/** Longer text is estimated from this many characters, to limit the time. */
const MAX_SCANNED_CHARS = 2_000_000;
/** An image of usual size, and a page of a document. */
const IMAGE_TOKENS = 1_600;
const DOCUMENT_TOKENS = 3_000;
/** Members for the provider, which the model does not read. */
const UNREAD_MEMBERS: ReadonlySet<string> = new Set([
  'cache_control',
  'signature',
  'encrypted_content',
  'type',
]);
/** Role and delimiters of each list element. */
const ENTRY_TOKENS = 4;

/**
 * Estimates the tokens of the given parts of a request body without a tokenizer. Estimates words, digits,
 * punctuation and characters of other scripts separately, in one pass.
 * @example
 * estimateTokens('Hello there, world'); // 4
 */
export function estimateTokens(...members: readonly (Json | undefined)[]): number {
  const tally = new TokenTally();
  for (const member of members) tally.add(member);
  return Math.max(1, Math.ceil(tally.total()));
}

class TokenTally {
  #fixed = 0;
  #chars = 0;
  #looked = 0;
  #counted = 0;

  add(value: Json | undefined): void {
    if (typeof value === 'string') this.#text(value);
    else if (isJsonArray(value)) for (const entry of value) this.#entry(entry);
    else if (isJsonObject(value)) this.#members(value);
    else if (value !== undefined && value !== null) this.#fixed += 1;
  }

  total(): number {
    return this.#fixed + (this.#looked === 0 ? 0 : (this.#counted * this.#chars) / this.#looked);
  }

  #entry(entry: Json): void {
    this.#fixed += ENTRY_TOKENS;
    this.add(entry);
  }

  #members(value: { readonly [name: string]: Json | undefined }): void {
    const type = asString(value['type']);
    if (type === 'image' || type === 'input_image' || type === 'image_url') this.#fixed += IMAGE_TOKENS;
    else if (type === 'input_file') this.#fixed += DOCUMENT_TOKENS;
    else if (type === 'document' && isJsonObject(value['source']) && value['source']['type'] !== 'text')
      this.#fixed += DOCUMENT_TOKENS;
    else
      for (const [name, member] of Object.entries(value)) {
        if (UNREAD_MEMBERS.has(name)) continue;
        if (isJsonObject(member) || isJsonArray(member) || typeof member !== 'string') this.#fixed += 1;
        this.add(member);
      }
  }

  #text(text: string): void {
    this.#chars += text.length;
    const looked = text.slice(0, Math.max(0, MAX_SCANNED_CHARS - this.#looked));
    this.#looked += looked.length;
    this.#counted += countTokens(looked);
  }
}

const WORD = 0;
const DIGIT = 1;
const SPACE = 2;
const SIGN = 3;
const SCRIPT = 4;

/**
 * A usual word has one or two tokens. Digits have one token per three, punctuation one per two, and other
 * scripts one per character.
 */
const CHARS_PER_TOKEN: Readonly<Record<number, number>> = {
  [WORD]: 6,
  [DIGIT]: 3,
  [SPACE]: 8,
  [SIGN]: 2,
  [SCRIPT]: 1.4,
};

function countTokens(text: string): number {
  let tokens = 0;
  let kind = -1;
  let run = 0;
  for (let at = 0; at < text.length; at += 1) {
    const next = characterKind(text.charCodeAt(at));
    if (next === kind) run += 1;
    else {
      tokens += runTokens(kind, run);
      kind = next;
      run = 1;
    }
  }
  return tokens + runTokens(kind, run);
}

/** A single space belongs to the following word. */
function runTokens(kind: number, run: number): number {
  if (run === 0 || (kind === SPACE && run === 1)) return 0;
  return Math.ceil(run / (CHARS_PER_TOKEN[kind] ?? 1));
}

function characterKind(code: number): number {
  if (code <= 0x20) return SPACE;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || (code >= 0xc0 && code < 0x250))
    return WORD;
  return code < 0x80 ? SIGN : SCRIPT;
}
