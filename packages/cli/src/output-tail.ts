/** The last bytes of what a job printed, in the order it came. Memory is bounded by twice the limit. */
export class OutputTail {
  readonly #limitBytes: number;
  #parts: Buffer[] = [];
  #bytes = 0;
  #cut = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  push(part: Buffer): void {
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#bytes <= 2 * this.#limitBytes) return;
    const kept = Buffer.concat(this.#parts).subarray(-this.#limitBytes);
    // A copy: a view would keep the whole buffer alive.
    this.#parts = [Buffer.from(kept)];
    this.#bytes = kept.length;
    this.#cut = true;
  }

  /** UTF-8 text of at most the limit, begun at a character; marked when something before it is gone. */
  text(): string {
    const all = Buffer.concat(this.#parts);
    let from = Math.max(0, all.length - this.#limitBytes);
    const cut = this.#cut || from > 0;
    // Bytes 10xxxxxx continue a character whose beginning was cut off.
    while (cut && from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return `${cut ? '…' : ''}${all.subarray(from).toString('utf8')}`;
  }
}
