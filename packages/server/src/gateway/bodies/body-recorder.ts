/** What is kept of a body; the rest is counted and said to be missing. Redacting so much takes some 2 ms. */
export const MAX_STORED_BODY_BYTES = 64 * 1024;
/** Read beyond it, so that a value that begins before the cut is recognized whole. */
export const LOOK_AHEAD_BYTES = 4 * 1024;

/** Takes down the beginning of what is told to a client. */
export class BodyRecorder {
  readonly #pieces: Buffer[] = [];
  #held = 0;
  /** Of the whole answer. */
  totalBytes = 0;

  add(piece: Buffer | string): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.totalBytes += bytes.length;
    const room = MAX_STORED_BODY_BYTES + LOOK_AHEAD_BYTES - this.#held;
    if (room <= 0) return;
    // A copy: what goes to a socket may be a view of a buffer that is used again.
    const part = Buffer.from(bytes.subarray(0, room));
    this.#held += part.length;
    this.#pieces.push(part);
  }

  get start(): Buffer {
    return Buffer.concat(this.#pieces, this.#held);
  }
}
