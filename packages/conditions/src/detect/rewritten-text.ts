/** A text in which parts are replaced, with the positions of its characters in the original text. */
export class RewrittenText {
  #text = '';
  readonly #original: string;
  /** The position of each replaced part and of the text after it, in the new and in the original text. */
  readonly #starts = [0];
  readonly #originals = [0];

  constructor(original: string) {
    this.#original = original;
  }

  /** Whether no part has been replaced. */
  get isUnchanged(): boolean {
    return this.#starts.length === 1;
  }

  /** The number of replaced parts. */
  get replacedParts(): number {
    return (this.#starts.length - 1) / 2;
  }

  /** Replaces the part from `start` to `end`, which must be after all parts that have been replaced. */
  replace(start: number, end: number, replacement: string): void {
    this.#text += this.#original.slice(this.#originals.at(-1), start);
    this.#starts.push(this.#text.length, this.#text.length + replacement.length);
    this.#originals.push(start, end);
    this.#text += replacement;
  }

  /** Returns the new text. */
  finish(): string {
    return this.#text + this.#original.slice(this.#originals.at(-1));
  }

  /** Returns the offset in the original text of the character at `at`. */
  originalStart(at: number): number {
    const part = this.#partAt(at);
    return (this.#originals[part] ?? 0) + (part % 2 === 1 ? 0 : at - (this.#starts[part] ?? 0));
  }

  /** Returns the offset in the original text of the end of the character before `end`. */
  originalEnd(end: number): number {
    const part = this.#partAt(end - 1);
    if (part % 2 === 1) return this.#originals[part + 1] ?? 0;
    return (this.#originals[part] ?? 0) + end - (this.#starts[part] ?? 0);
  }

  /** Returns the index of the last part that starts at `at` or before. Even indexes are text that was not replaced. */
  #partAt(at: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
