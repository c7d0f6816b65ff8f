const INITIAL_BYTES = 4096;

/**
 * Collects bytes in one contiguous buffer that grows as needed, so that small chunks cost no extra
 * memory.
 */
export class GrowingBuffer {
  readonly #limit: number;
  #bytes = Buffer.alloc(0);
  #size = 0;

  /** @param limit maximum number of bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Copies a piece. Returns false, and copies nothing, if the total would exceed the limit. */
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

  /** Returns the collected bytes and empties the buffer. The bytes are valid until the next `append`. */
  drain(): Buffer {
    const whole = this.#bytes.subarray(0, this.#size);
    this.#size = 0;
    // A single long line must not keep its memory for the rest of a large file.
    if (this.#bytes.length > 1024 * 1024) this.#bytes = Buffer.alloc(0);
    return whole;
  }
}
