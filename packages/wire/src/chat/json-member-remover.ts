import { isJsonObject } from '@floe/contract/json';
import type { ByteEdit } from '../json-edits.ts';

/**
 * Collects the edits that remove members and their commas from an object. The caller must call
 * `retain` or `remove` for every member in order, and then `finish`.
 */
export class JsonMemberRemover {
  /** Whether a member was retained. */
  hasRetained = false;
  readonly #edits: ByteEdit[];
  #leadingFrom = -1;
  #lastEnd = 0;

  constructor(edits: ByteEdit[]) {
    this.#edits = edits;
  }

  /** Retains a member, from the opening quote of its key to the end of its value. */
  retain(start: number, end: number): void {
    if (this.#leadingFrom !== -1) this.#addRemoval(this.#leadingFrom, start);
    this.#leadingFrom = -1;
    this.hasRetained = true;
    this.#lastEnd = end;
  }

  /** Removes a member together with the preceding comma, or the following comma if it is the first. */
  remove(start: number, end: number): void {
    if (this.hasRetained) this.#addRemoval(this.#lastEnd, end);
    else if (this.#leadingFrom === -1) this.#leadingFrom = start;
    this.#lastEnd = end;
  }

  /** Ends the object. */
  finish(): void {
    if (this.#leadingFrom !== -1) this.#addRemoval(this.#leadingFrom, this.#lastEnd);
  }

  #addRemoval(start: number, end: number): void {
    this.#edits.push({ start, end, text: '' });
  }
}

const REASONING_PARTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/**
 * Returns the JSON of a content array without its reasoning parts. If only text is left, returns a string, as
 * clients of this dialect expect. If nothing was removed, returns the original array.
 */
export function stripReasoningParts(arrayText: string): string {
  const value: unknown = JSON.parse(arrayText);
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  const left = parts.filter((part) => !(isJsonObject(part) && REASONING_PARTS.has(part.type)));
  const texts = left.map((part) => (isJsonObject(part) && part.type === 'text' ? part.text : undefined));
  if (texts.every((text) => typeof text === 'string')) return JSON.stringify(texts.join(''));
  return left.length === parts.length ? arrayText : JSON.stringify(left);
}
