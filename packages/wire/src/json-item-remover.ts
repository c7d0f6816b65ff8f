import { JsonCursor } from './json-cursor.ts';
import type { ByteEdit, ByteSpan } from './json-edits.ts';
import type { JsonMemberNameLookup } from './json-member-name-lookup.ts';

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

/** Returns the positions of an array's elements; undefined if the value is not an array. */
export function scanElementsAt(body: Uint8Array, span: ByteSpan): ByteSpan[] | undefined {
  const cursor = new JsonCursor(body, span.start, span.end);
  if (!cursor.enterArray()) return undefined;
  const found: ByteSpan[] = [];
  while (cursor.nextElement()) {
    const start = cursor.at;
    cursor.skip();
    found.push({ start, end: cursor.at });
  }
  return found;
}

/** Returns the edits that remove the members with one of the names for whose value `isRemoved` returns true. */
export function createMemberRemovals(
  body: Uint8Array,
  object: ByteSpan,
  names: JsonMemberNameLookup<string>,
  isRemoved: (value: ByteSpan) => boolean,
): ByteEdit[] {
  const removals: ByteEdit[] = [];
  const remover = new JsonItemRemover(removals);
  const cursor = new JsonCursor(body, object.start, object.end);
  cursor.enterObject();
  while (cursor.nextMember()) {
    const keyStart = cursor.keyStart - 1;
    const isNamed = cursor.key(names) !== undefined;
    const start = cursor.at;
    cursor.skip();
    const end = cursor.at;
    if (isNamed && isRemoved({ start, end })) remover.remove(keyStart, end);
    else remover.retain(keyStart, end);
  }
  remover.finish();
  return removals;
}
