import type { Buffer } from 'node:buffer';
import type { Json, JsonObject } from '@floe/contract/json';
import { JsonCursor } from '@floe/wire/json-cursor';
import { JsonSyntaxError } from '@floe/wire/json-syntax-error';

/** Values up to this size are parsed. Ids, usage, and the calls of hosted tools are smaller. */
const MAX_VALUE_BYTES = 64 * 1024;
/** Maximum size of all parsed values together. It limits the time to parse them. */
const MAX_PARSED_BYTES = 1024 * 1024;
const OPEN_BRACKET = 0x5b;

/**
 * Reads the small values of a JSON object that has too many values to be parsed: its members, and the elements of
 * arrays in it. Omits all other values. Takes linear time, and keeps little memory. If the text is not valid JSON, or
 * nested deeper than 512 levels, reads the values before the error.
 */
export function readSmallValues(body: Buffer): JsonObject {
  const reader = new SmallValueReader(body);
  return reader.read();
}

class SmallValueReader {
  readonly #body: Buffer;
  readonly #cursor: JsonCursor;
  /** The arrays that are too large to be parsed whole. */
  readonly #arrays: { readonly name: string; readonly start: number; readonly end: number }[] = [];
  #parsedBytes = 0;

  constructor(body: Buffer) {
    this.#body = body;
    this.#cursor = new JsonCursor(body);
  }

  read(): JsonObject {
    const members = new Map<string, Json>();
    ignoreSyntaxErrors(() => this.#readMembers(members));
    for (const { name, start, end } of this.#arrays)
      members.set(name, this.#readElements(new JsonCursor(this.#body, start, end)));
    return Object.fromEntries(members);
  }

  #readMembers(members: Map<string, Json>): void {
    const cursor = this.#cursor;
    if (!cursor.enterObject()) return;
    while (cursor.nextMember()) {
      const name = this.#parse(cursor.keyStart - 1, cursor.keyEnd + 1);
      const start = cursor.at;
      cursor.skip();
      const value = this.#parse(start, cursor.at);
      if (typeof name !== 'string') continue;
      if (value !== undefined) members.set(name, value);
      else if (this.#body[start] === OPEN_BRACKET) this.#arrays.push({ name, start, end: cursor.at });
    }
  }

  #readElements(cursor: JsonCursor): Json[] {
    const elements: Json[] = [];
    if (!cursor.enterArray()) return elements;
    while (this.#parsedBytes < MAX_PARSED_BYTES && cursor.nextElement()) {
      const start = cursor.at;
      cursor.skip();
      const element = this.#parse(start, cursor.at);
      if (element !== undefined) elements.push(element);
    }
    return elements;
  }

  /** Parses a small value. Returns undefined for any other value. */
  #parse(start: number, end: number): Json | undefined {
    const size = end - start;
    if (size > MAX_VALUE_BYTES || this.#parsedBytes + size > MAX_PARSED_BYTES) return undefined;
    this.#parsedBytes += size;
    return JSON.parse(this.#body.toString('utf8', start, end));
  }
}

function ignoreSyntaxErrors(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
}
