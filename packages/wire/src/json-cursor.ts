import { Buffer } from 'node:buffer';
import { isInexactNumberText } from '@floe/contract/json';
import {
  containsBackslash,
  decodeUtf8Range,
  describeInvalidEscape,
  isDigitByte,
  MAX_ESCAPE_BYTES,
  MAX_EXACT_NUMBER_LENGTH,
  MIN_INEXACT_INTEGER_LENGTH,
  skipDigitBytes,
  skipStringText,
} from './json-bytes.ts';
import type { JsonComplexityCounter } from './json-complexity.ts';
import type { JsonMemberNameLookup } from './json-member-name-lookup.ts';
import { createReaderId, type LongStringSpan, skipLongStringText } from './json-string-scanner.ts';
import { JsonSyntaxError } from './json-syntax-error.ts';

/** The maximum nesting depth. `JSON.parse` overflows the stack at several thousand levels. */
export const MAX_NESTING_DEPTH = 512;

/** The first bytes of a string are read one by one, because most strings are short. */
const SHORT_STRING_BYTES = 24;
const LONG_STRING_BYTES = 512;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const MINUS = 0x2d;

/**
 * A pull parser over bytes (RFC 8259). The caller enters the objects and arrays that it knows and skips all other values.
 * Validates all values except for their UTF-8 encoding, in one forward pass without recursion and without creating strings.
 */
export class JsonCursor {
  /** Offset of the next byte. */
  at: number;
  /** Start and end of the last member's key, without its quotes. */
  keyStart = 0;
  keyEnd = 0;
  /** Number of members so far, at any depth. */
  memberCount = 0;
  /** Whether a number was read that JavaScript would write differently. */
  sawInexact = false;
  /** If set, counts everything that is read. Most text has a small maximum size and is not counted. */
  complexity: JsonComplexityCounter | null = null;
  /** If set, receives the positions of all strings of at least 512 bytes. */
  longStrings: LongStringSpan[] | null = null;
  /** If set, `sawName` becomes true at the first member, at any depth, whose name is one of these. */
  names: JsonMemberNameLookup<string> | null = null;
  sawName = false;
  /** Includes member names. */
  #stringCount = 0;
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #isObject: number[] = [];
  readonly #reader = createReaderId();
  #depth = 0;
  #fresh = false;

  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    this.#bytes = bytes;
    this.at = start;
    this.#end = end;
  }

  /** Whether the last member's key contains a backslash. */
  get keyEscaped(): boolean {
    return containsBackslash(this.#bytes, this.keyStart, this.keyEnd);
  }

  /** Skips white space and returns the next byte, or -1 at the end. */
  peek(): number {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (byte > 0x20 || (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09)) {
        this.at = at;
        return byte;
      }
      at += 1;
    }
    this.at = end;
    return -1;
  }

  /** Enters the next object. Returns false, and consumes nothing, if the next value is not an object. */
  enterObject(): boolean {
    return this.#enter(OPEN_BRACE, 1);
  }

  /** Enters the next array. Returns false, and consumes nothing, if the next value is not an array. */
  enterArray(): boolean {
    return this.#enter(OPEN_BRACKET, 0);
  }

  /** Moves to the value of the next member, which the caller must skip or read. Returns false at the end of the object. */
  nextMember(): boolean {
    if (!this.#next(CLOSE_BRACE)) return false;
    this.#key();
    return true;
  }

  /** Returns the name of the last member if the table contains it, even if it has escapes. */
  key<Name extends string>(names: JsonMemberNameLookup<Name>): Name | undefined {
    if (!this.keyEscaped) return names.find(this.#bytes, this.keyStart, this.keyEnd);
    const name = Buffer.from(
      String(JSON.parse(decodeUtf8Range(this.#bytes, this.keyStart - 1, this.keyEnd + 1))),
    );
    return names.find(name, 0, name.length);
  }

  /** Moves to the next element. At the end of the array, leaves it and returns false. */
  nextElement(): boolean {
    return this.#next(CLOSE_BRACKET);
  }

  /** Skips a value of any kind and depth. */
  skip(): void {
    const base = this.#depth;
    for (;;) {
      const byte = this.peek();
      if (byte === QUOTE) this.#string();
      else if (byte === OPEN_BRACE) {
        this.#push(1);
        if (this.peek() !== CLOSE_BRACE) {
          this.#key();
          continue;
        }
        this.#pop();
      } else if (byte === OPEN_BRACKET) {
        this.#push(0);
        if (this.peek() !== CLOSE_BRACKET) continue;
        this.#pop();
      } else this.#scalar(byte);
      if (!this.#toNextValue(base)) break;
    }
    this.#fresh = false;
  }

  /** @throws JsonSyntaxError unless only white space follows */
  expectEnd(): void {
    if (this.peek() !== -1) this.#fail('unexpected content after the JSON value');
  }

  /** Closes containers that end after a value. Returns true if an open container has another value. */
  #toNextValue(base: number): boolean {
    while (this.#depth > base) {
      const inObject = this.#isObject[this.#depth - 1] === 1;
      const byte = this.peek();
      if (byte === COMMA) {
        this.at += 1;
        if (inObject) {
          this.peek();
          this.#key();
        }
        return true;
      }
      if (byte !== (inObject ? CLOSE_BRACE : CLOSE_BRACKET))
        this.#fail(inObject ? 'expected "," or "}"' : 'expected "," or "]"');
      this.#pop();
    }
    return false;
  }

  #enter(open: number, kind: 0 | 1): boolean {
    if (this.peek() !== open) return false;
    this.#push(kind);
    this.#fresh = true;
    return true;
  }

  #next(close: number): boolean {
    const isFirst = this.#fresh;
    this.#fresh = false;
    const byte = this.peek();
    if (byte === close) {
      this.#pop();
      return false;
    }
    if (isFirst) return true;
    if (byte !== COMMA) this.#fail(`expected "," or "${String.fromCharCode(close)}"`);
    this.at += 1;
    this.peek();
    return true;
  }

  #push(kind: 0 | 1): void {
    if (this.#depth === MAX_NESTING_DEPTH) this.#fail(`nested deeper than ${MAX_NESTING_DEPTH} levels`);
    if (this.complexity !== null) this.complexity.addNode();
    this.#isObject[this.#depth] = kind;
    this.#depth += 1;
    this.at += 1;
  }

  #pop(): void {
    this.#depth -= 1;
    this.at += 1;
  }

  /** Reads a key at `at` and the colon after it. Then `at` is at the value. */
  #key(): void {
    if (this.at >= this.#end || this.#bytes[this.at] !== QUOTE)
      this.#fail('expected a member name in quotes');
    this.memberCount += 1;
    this.keyStart = this.at + 1;
    this.#string();
    this.keyEnd = this.at - 1;
    if (this.names !== null && !this.sawName) this.sawName = this.key(this.names) !== undefined;
    if (this.peek() !== COLON) this.#fail('expected ":"');
    this.at += 1;
    this.peek();
  }

  #string(): void {
    if (this.complexity !== null) this.complexity.addNode();
    const bytes = this.#bytes;
    const end = this.#end;
    const start = this.at + 1;
    const near = start + SHORT_STRING_BYTES;
    let at = skipStringText(bytes, start, Math.min(near, end));
    // An escape can be incomplete only because it continues after `near`.
    if (at > near - MAX_ESCAPE_BYTES && near < end) at = skipLongStringText(this.#reader, bytes, at, end);
    if (at >= end) this.#fail('unterminated string', end);
    const byte = bytes[at];
    if (byte === BACKSLASH) {
      const { problem, offset } = describeInvalidEscape(bytes, at, end);
      this.#fail(problem, offset);
    }
    if (byte !== QUOTE) this.#fail('unescaped control character in a string', at);
    if (at - start >= LONG_STRING_BYTES && this.longStrings !== null)
      this.longStrings.push({ start: start - 1, end: at + 1, index: this.#stringCount });
    this.#stringCount += 1;
    this.at = at + 1;
  }

  #scalar(byte: number): void {
    if (this.complexity !== null) this.complexity.addScalar();
    if (byte === 0x74) this.#literal('true');
    else if (byte === 0x66) this.#literal('false');
    else if (byte === 0x6e) this.#literal('null');
    else if (byte === MINUS || isDigitByte(byte)) this.#number(byte);
    else this.#fail(byte === -1 ? 'unexpected end of input; expected a value' : 'expected a value');
  }

  #literal(word: string): void {
    for (let index = 1, at = this.at + 1; index < word.length; index++, at++)
      if (at >= this.#end || this.#bytes[at] !== word.charCodeAt(index)) this.#fail(`expected "${word}"`, at);
    this.at += word.length;
  }

  #number(first: number): void {
    const start = this.at;
    if (first === MINUS) this.at += 1;
    const isZero = this.#byte() === 0x30;
    if (isZero) this.at += 1;
    else this.#digits();
    const whole = this.at;
    if (this.#byte() === 0x2e) {
      this.at += 1;
      this.#digits();
    }
    const exponent = this.#byte();
    if (exponent === 0x65 || exponent === 0x45) {
      this.at += 1;
      const sign = this.#byte();
      if (sign === 0x2b || sign === MINUS) this.at += 1;
      this.#digits();
    }
    if (this.at === whole && whole - start < MIN_INEXACT_INTEGER_LENGTH && !(isZero && first === MINUS))
      return;
    const isLong = this.at - start > MAX_EXACT_NUMBER_LENGTH;
    if (!isLong && !isInexactNumberText(decodeUtf8Range(this.#bytes, start, this.at))) return;
    this.sawInexact = true;
    if (this.complexity !== null) this.complexity.addInexactNumber();
  }

  #digits(): void {
    if (!isDigitByte(this.#byte())) this.#fail('expected a digit');
    this.at = skipDigitBytes(this.#bytes, this.at + 1, this.#end);
  }

  #byte(): number {
    return this.at < this.#end ? (this.#bytes[this.at] ?? 0) : -1;
  }

  #fail(problem: string, offset = this.at): never {
    throw new JsonSyntaxError(problem, offset);
  }
}
