const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Objects and arrays differ only in this bit: `[` and `{`, `]` and `}`. */
const BRACE_BIT = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Finds the end of a JSON object or array that arrives in pieces. Reads each character once. Text with an end
 * can still be invalid. Text without an end is incomplete or invalid.
 * @example
 * const end = new JsonEndFinder();
 * end.push('{"a":"}');
 * end.isReached; // false
 * end.push('"} ');
 * end.isReached; // true
 */
export class JsonEndFinder {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #state: 'before' | 'inside' | 'after' | 'invalid' = 'before';

  /** Whether the text so far is one object or array, with only white space around it. */
  get isReached(): boolean {
    return this.#state === 'after';
  }

  /** Whether the text so far is the start of an object or array, and its end is missing. */
  get isCutOff(): boolean {
    return this.#state === 'inside';
  }

  push(piece: string): void {
    for (let at = 0; at < piece.length && this.#state !== 'invalid'; at += 1) {
      const code = piece.charCodeAt(at);
      if (this.#state !== 'inside') this.#readOutside(code);
      else if (this.#isInString) this.#readInString(code);
      else this.#readInside(code);
    }
  }

  #readOutside(code: number): void {
    if (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) return;
    const isStart = this.#state === 'before' && (code | BRACE_BIT) === OPEN;
    this.#state = isStart ? 'inside' : 'invalid';
    this.#depth = 1;
  }

  #readInside(code: number): void {
    if (code === QUOTE) this.#isInString = true;
    else if ((code | BRACE_BIT) === OPEN) this.#depth += 1;
    else if ((code | BRACE_BIT) === CLOSE) {
      this.#depth -= 1;
      if (this.#depth === 0) this.#state = 'after';
    }
  }

  #readInString(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) this.#isInString = false;
  }
}
