import { decodeUtf8Range } from './json-bytes.ts';
import { JsonCursor } from './json-cursor.ts';

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const QUOTE = 0x22;

/**
 * Returns a JSON object in a canonical form: members sorted, no white space, strings without
 * unnecessary escapes. Bodies with equal results have the same meaning for every parser. Numbers are
 * unchanged, because parsers may treat 1 and 1.0, or 2^60 and 2^60+1, differently. Returns null if a
 * nested object has a duplicate member, because parsers disagree about which one counts.
 * @param without top-level members to omit
 * @throws JsonSyntaxError if `body` is not a JSON object
 * @example
 * canonicalizeJsonObject(Buffer.from('{ "b": 1.0, "a": "x", "user": "u" }'), new Set(['user'])); // '{"a":"x","b":1.0}'
 */
export function canonicalizeJsonObject(body: Uint8Array, without: ReadonlySet<string>): string | null {
  const cursor = new JsonCursor(body);
  return canonicalizeObject(body, cursor, without);
}

const NO_EXCLUSIONS: ReadonlySet<string> = new Set();

function canonicalizeValue(body: Uint8Array, cursor: JsonCursor): string | null {
  const first = cursor.peek();
  if (first === OPEN_BRACE) return canonicalizeObject(body, cursor, NO_EXCLUSIONS);
  if (first === OPEN_BRACKET) return canonicalizeArray(body, cursor);
  const start = cursor.at;
  cursor.skip();
  const text = decodeUtf8Range(body, start, cursor.at);
  return first === QUOTE ? JSON.stringify(JSON.parse(text)) : text;
}

function canonicalizeObject(
  body: Uint8Array,
  cursor: JsonCursor,
  without: ReadonlySet<string>,
): string | null {
  const members = new Map<string, string>();
  cursor.enterObject();
  while (cursor.nextMember()) {
    const name = String(JSON.parse(decodeUtf8Range(body, cursor.keyStart - 1, cursor.keyEnd + 1)));
    const value = canonicalizeValue(body, cursor);
    if (value === null || members.has(name)) return null;
    members.set(name, value);
  }
  const names = [...members.keys()].filter((name) => !without.has(name)).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${members.get(name)}`).join(',')}}`;
}

function canonicalizeArray(body: Uint8Array, cursor: JsonCursor): string | null {
  const elements: string[] = [];
  cursor.enterArray();
  while (cursor.nextElement()) {
    const value = canonicalizeValue(body, cursor);
    if (value === null) return null;
    elements.push(value);
  }
  return `[${elements.join(',')}]`;
}
