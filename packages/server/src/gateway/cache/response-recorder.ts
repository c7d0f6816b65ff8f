/** Maximum size of a cached response. Longer ones would evict many others. */
const MAX_CACHED_ANSWER_BYTES = 2 * 1024 * 1024;

/** Records the response that is sent to a client, up to a maximum size. */
export class ResponseRecorder {
  #pieces: Buffer[] = [];
  #bytes = 0;

  add(piece: Buffer | string): void {
    if (this.#bytes > MAX_CACHED_ANSWER_BYTES) return;
    // A copy, because bytes that are sent to a socket may be a view of a reused buffer.
    const bytes = Buffer.from(piece);
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_CACHED_ANSWER_BYTES) this.#pieces = [];
    else this.#pieces.push(bytes);
  }

  /** The complete response; null if it was too large. */
  get answer(): Buffer | null {
    return this.#bytes > MAX_CACHED_ANSWER_BYTES ? null : Buffer.concat(this.#pieces, this.#bytes);
  }
}
