const INITIAL_BYTES = 4096;

/** Bytes put together in one block of memory, however small their pieces are. */
export class GrowingBuffer {
  readonly #limit: number;
  #bytes = Buffer.alloc(0);
  #size = 0;

  /** `limit` in bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Copies a piece; false, and nothing is copied, when the whole would pass the limit. */
  append(piece: Buffer): boolean {
    const size = this.#size + piece.length;
    if (size > this.#limit) return false;
    if (size > this.#bytes.length) {
      const room = Math.max(INITIAL_BYTES, size, Math.min(this.#limit, this.#bytes.length * 2));
      const grown = Buffer.allocUnsafe(room);
      this.#bytes.copy(grown, 0, 0, this.#size);
      this.#bytes = grown;
    }
    piece.copy(this.#bytes, this.#size);
    this.#size = size;
    return true;
  }

  /** What was appended, valid until the next `append`; it starts over. */
  drain(): Buffer {
    const whole = this.#bytes.subarray(0, this.#size);
    this.#size = 0;
    // One long line does not keep its memory for the rest of a long file.
    if (this.#bytes.length > 1024 * 1024) this.#bytes = Buffer.alloc(0);
    return whole;
  }
}
