const LINE_BREAK = 0x0a;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Adds the field `process` to the log lines of one process. Lines that are not JSON objects stay as they are.
 * An incomplete line waits for its end, so that the lines of several processes do not mix.
 */
export class LogLineTagger {
  readonly #ending: Buffer;
  #rest: Buffer = Buffer.alloc(0);

  constructor(processNumber: number) {
    this.#ending = Buffer.from(`,"process":${processNumber}}\n`);
  }

  /** Returns the complete lines of the output so far that were not returned before. */
  tag(chunk: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const parts: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LINE_BREAK); end !== -1; end = bytes.indexOf(LINE_BREAK, start)) {
      if (end - start > 2 && bytes[start] === OPENING_BRACE && bytes[end - 1] === CLOSING_BRACE)
        parts.push(bytes.subarray(start, end - 1), this.#ending);
      else parts.push(bytes.subarray(start, end + 1));
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    return Buffer.concat(parts);
  }

  /** Returns the incomplete last line of a process that has exited. */
  end(): Buffer {
    return this.#rest.length === 0 ? this.#rest : this.tag(Buffer.from('\n'));
  }
}
