import { isObject } from '@floe/contract/json';
import type { ByteEdit } from '../json-edits.ts';

/**
 * Collects the edits that cut members out of one object together with their commas. Call `keep` or
 * `cut` for every member in order, then `end`.
 */
export class MemberRemover {
  /** Whether a member was kept. */
  hasRetained = false;
  readonly #edits: ByteEdit[];
  #leadingFrom = -1;
  #lastEnd = 0;

  constructor(edits: ByteEdit[]) {
    this.#edits = edits;
  }

  /** A member that stays, from its key's opening quote to its value's end. */
  retain(start: number, end: number): void {
    if (this.#leadingFrom !== -1) this.#addRemoval(this.#leadingFrom, start);
    this.#leadingFrom = -1;
    this.hasRetained = true;
    this.#lastEnd = end;
  }

  /** A member that goes: with the comma before it, or, at the start, with the one after it. */
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
 * JSON text of a content array without its reasoning parts: a plain string when only text is left, as
 * clients of this dialect expect; otherwise the array of what is left, in its own bytes when that is all of it.
 */
export function stripReasoningParts(arrayText: string): string {
  const value: unknown = JSON.parse(arrayText);
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  const left = parts.filter((part) => !(isObject(part) && REASONING_PARTS.has(part.type)));
  const texts = left.map((part) => (isObject(part) && part.type === 'text' ? part.text : undefined));
  if (texts.every((text) => typeof text === 'string')) return JSON.stringify(texts.join(''));
  return left.length === parts.length ? arrayText : JSON.stringify(left);
}
