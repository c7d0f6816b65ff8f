/**
 * The maximum number of body bytes that are stored. For a longer body, the number of omitted bytes
 * is recorded. Redacting this much takes about 3 ms.
 */
export const MAX_STORED_BODY_BYTES = 64 * 1024;
/**
 * The number of bytes that are read after the stored part, so that a value that crosses the limit
 * is still detected.
 */
export const BODY_LOOK_AHEAD_BYTES = 4 * 1024;

/** Records the start of the response that is sent to a client. */
export class BodyRecorder {
  readonly #pieces: Buffer[] = [];
  #held = 0;
  /** Size of the complete response in bytes. */
  totalBytes = 0;

  add(piece: Buffer | string): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.totalBytes += bytes.length;
    const room = MAX_STORED_BODY_BYTES + BODY_LOOK_AHEAD_BYTES - this.#held;
    if (room <= 0) return;
    // A copy, because bytes that are sent to a socket may be a view of a reused buffer.
    const part = Buffer.from(bytes.subarray(0, room));
    this.#held += part.length;
    this.#pieces.push(part);
  }

  get start(): Buffer {
    return Buffer.concat(this.#pieces, this.#held);
  }
}
