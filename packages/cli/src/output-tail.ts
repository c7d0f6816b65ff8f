/** Keeps the end of a job's output, up to `limitBytes` bytes. Uses at most twice this amount of memory. */
export class OutputTail {
  readonly #limitBytes: number;
  #parts: Buffer[] = [];
  #totalBytes = 0;
  #isTruncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  append(part: Buffer): void {
    this.#parts.push(part);
    this.#totalBytes += part.length;
    if (this.#totalBytes <= 2 * this.#limitBytes) return;
    const kept = Buffer.concat(this.#parts).subarray(-this.#limitBytes);
    // A copy, because a view would keep the whole buffer in memory.
    this.#parts = [Buffer.from(kept)];
    this.#totalBytes = kept.length;
    this.#isTruncated = true;
  }

  /**
   * UTF-8 text of at most the limit. It starts at a character boundary, and has a mark if earlier output was
   * dropped.
   */
  text(): string {
    const all = Buffer.concat(this.#parts);
    let from = Math.max(0, all.length - this.#limitBytes);
    const cut = this.#isTruncated || from > 0;
    // Bytes 10xxxxxx continue a truncated character.
    while (cut && from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from += 1;
    return `${cut ? '…' : ''}${all.subarray(from).toString('utf8')}`;
  }
}
