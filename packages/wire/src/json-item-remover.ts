import type { ByteEdit } from './json-edits.ts';

/**
 * Collects the edits that remove members from an object, or elements from an array, with their commas.
 * The caller must call `retain` or `remove` for every item in order, and then `finish`.
 */
export class JsonItemRemover {
  /** Whether an item was retained. */
  hasRetained = false;
  readonly #edits: ByteEdit[];
  #leadingFrom = -1;
  #lastEnd = 0;

  constructor(edits: ByteEdit[]) {
    this.#edits = edits;
  }

  /** Retains an item: an element, or a member from the opening quote of its key to the end of its value. */
  retain(start: number, end: number): void {
    if (this.#leadingFrom !== -1) this.#addRemoval(this.#leadingFrom, start);
    this.#leadingFrom = -1;
    this.hasRetained = true;
    this.#lastEnd = end;
  }

  /** Removes an item together with the preceding comma, or the following comma if it is the first. */
  remove(start: number, end: number): void {
    if (this.hasRetained) this.#addRemoval(this.#lastEnd, end);
    else if (this.#leadingFrom === -1) this.#leadingFrom = start;
    this.#lastEnd = end;
  }

  /** Ends the object or array. */
  finish(): void {
    if (this.#leadingFrom !== -1) this.#addRemoval(this.#leadingFrom, this.#lastEnd);
  }

  #addRemoval(start: number, end: number): void {
    this.#edits.push({ start, end, text: '' });
  }
}
