const MAX_SLAB_BYTES = 64 * 1024;
/** Smaller pieces are copied, because a separate buffer for each of them would use more memory than its bytes. */
const MIN_OWN_BYTES = 4 * 1024;

/**
 * Collects the pieces of a request body. Its memory use is proportional to the size of the body, even if each
 * piece has only one byte. Large pieces are not copied until the end.
 */
export class BodyChunks {
  size = 0;
  #pieces: Buffer[] = [];
  #slab: Buffer | null = null;
  /** The part of the slab that is in use, and where the current piece starts. */
  #used = 0;
  #start = 0;

  append(piece: Buffer): void {
    this.size += piece.length;
    if (piece.length < MIN_OWN_BYTES) return this.#copy(piece);
    this.#closeSlabPiece();
    this.#pieces.push(piece);
  }

  /** Returns all bytes, and releases the memory of the pieces. Must be called once, after the last piece. */
  take(): Buffer {
    this.#closeSlabPiece();
    const pieces = this.#pieces;
    const [first] = pieces;
    this.#pieces = [];
    this.#slab = null;
    if (pieces.length === 1 && first) return first;
    const whole = Buffer.concat(pieces, this.size);
    // Garbage collection would run late.
    for (const { buffer, length } of pieces)
      if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
    return whole;
  }

  #copy(piece: Buffer): void {
    if (this.#slab === null || this.#used + piece.length > this.#slab.length) {
      this.#closeSlabPiece();
      // A slab is at most as large as all bytes before it.
      this.#slab = Buffer.allocUnsafeSlow(Math.min(MAX_SLAB_BYTES, Math.max(MIN_OWN_BYTES, this.size)));
      this.#used = this.#start = 0;
    }
    piece.copy(this.#slab, this.#used);
    this.#used += piece.length;
  }

  #closeSlabPiece(): void {
    if (this.#slab === null || this.#start === this.#used) return;
    this.#pieces.push(this.#slab.subarray(this.#start, this.#used));
    this.#start = this.#used;
  }
}
