/** Longer answers are not worth the memory of those they would push out. */
const MAX_CACHED_ANSWER_BYTES = 2 * 1024 * 1024;

/** Takes down what is told to a client, up to a size. */
export class AnswerRecorder {
  #pieces: Buffer[] = [];
  #bytes = 0;

  add(piece: Buffer | string): void {
    if (this.#bytes > MAX_CACHED_ANSWER_BYTES) return;
    // A copy: what goes to a socket may be a view of a buffer that is used again.
    const bytes = Buffer.from(piece);
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_CACHED_ANSWER_BYTES) this.#pieces = [];
    else this.#pieces.push(bytes);
  }

  /** The whole answer; null when it was too long. */
  get answer(): Buffer | null {
    return this.#bytes > MAX_CACHED_ANSWER_BYTES ? null : Buffer.concat(this.#pieces, this.#bytes);
  }
}
