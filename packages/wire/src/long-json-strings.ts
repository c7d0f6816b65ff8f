import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import type { ScannedJsonMembers } from './json-edits.ts';

/** In shorter bodies, and in those with fewer long strings, `JSON.stringify` without a callback is faster. */
const MIN_LONG_BYTES = 4 * 1024;
const MIN_LONG_FRACTION = 0.75;
/** A string of 512 bytes has at least this many UTF-16 code units, because an escape sequence has 6 bytes. */
const MIN_LONG_LENGTH = 85;
/** Limits the comparisons. Further strings of this length are written without their original bytes. */
const MAX_STRINGS_OF_ONE_LENGTH = 8;
/** Clients do not know it, so no string of a body contains it. */
const MARKER = `long-string-${randomUUID()}-`;

/** The long strings of a parsed body, and the bytes from which they were parsed, with their quotes. */
export class LongJsonStrings {
  /** By length, because a map by text would compute the hash of each text, which takes longer than comparisons. */
  readonly #byLength = new Map<number, { readonly text: string; readonly bytes: Uint8Array }[]>();

  get isEmpty(): boolean {
    return this.#byLength.size === 0;
  }

  add(text: string, bytes: Uint8Array): void {
    const others = this.#byLength.get(text.length);
    if (others === undefined) this.#byLength.set(text.length, [{ text, bytes }]);
    else if (others.length < MAX_STRINGS_OF_ONE_LENGTH && this.findBytes(text) === undefined)
      others.push({ text, bytes });
  }

  /** Returns the bytes of an equal string. */
  findBytes(text: string): Uint8Array | undefined {
    return this.#byLength.get(text.length)?.find((each) => each.text === text)?.bytes;
  }
}

/**
 * Finds the bytes of the long strings of a body that has been scanned and parsed. Returns none for a body that is
 * short or consists mostly of other values.
 * @param parsed the parsed body, which must not have contained duplicate members
 * @example
 * const text = 'x'.repeat(5_000);
 * const body = Buffer.from(`{"prompt":"${text}"}`);
 * findLongJsonStrings(body, scanJsonObject(body), { prompt: text }).findBytes(text)?.length; // 5002
 */
export function findLongJsonStrings(
  body: Uint8Array,
  { longStrings }: Pick<ScannedJsonMembers, 'longStrings'>,
  parsed: JsonObject,
): LongJsonStrings {
  const found = new LongJsonStrings();
  const longBytes = longStrings.reduce((sum, { start, end }) => sum + end - start, 0);
  if (longBytes < MIN_LONG_BYTES || longBytes < MIN_LONG_FRACTION * body.length) return found;
  let index = 0;
  let next = 0;
  const isInOrder = visitStrings(parsed, (text, isName) => {
    const span = longStrings[next];
    if (span?.index === index) {
      next += 1;
      if (!isName) found.add(text, body.subarray(span.start, span.end));
    }
    index += 1;
  });
  return isInOrder ? found : new LongJsonStrings();
}

/**
 * Visits the names and strings of a value in the order of its text. Returns false if JavaScript may have changed the
 * order: it moves members whose names are integers to the front.
 */
function visitStrings(value: Json | undefined, visit: (text: string, isName: boolean) => void): boolean {
  if (typeof value === 'string') visit(value, false);
  else if (Array.isArray(value)) return value.every((entry) => visitStrings(entry, visit));
  else if (isJsonObject(value))
    for (const name in value) {
      const first = name.charCodeAt(0);
      if (first >= 0x30 && first <= 0x39) return false;
      visit(name, true);
      if (!visitStrings(value[name], visit)) return false;
    }
  return true;
}

/**
 * Returns the JSON of a value, as `JSON.stringify` does, with the original bytes of unchanged long strings. A translated
 * body of 300 KB takes 0.15 ms instead of 0.6 ms, and its long strings keep their escape sequences.
 * @example
 * stringifyWithLongStrings({ model: 'm' }, new LongJsonStrings()).toString(); // '{"model":"m"}'
 */
export function stringifyWithLongStrings(value: Json, longStrings: LongJsonStrings): Buffer {
  if (longStrings.isEmpty) return Buffer.from(JSON.stringify(value));
  const copied: Uint8Array[] = [];
  const text = JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member !== 'string' || member.length < MIN_LONG_LENGTH) return member;
    const bytes = longStrings.findBytes(member);
    return bytes === undefined ? member : `${MARKER}${copied.push(bytes) - 1}`;
  });
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const [index, bytes] of copied.entries()) {
    const marker = `"${MARKER}${index}"`;
    const at = text.indexOf(marker, from);
    pieces.push(Buffer.from(text.slice(from, at)), bytes);
    from = at + marker.length;
  }
  return Buffer.concat([...pieces, Buffer.from(text.slice(from))]);
}
