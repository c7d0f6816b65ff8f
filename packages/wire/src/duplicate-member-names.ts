import { isJsonObject, type Json } from '@floe/contract/json';
import { decodeUtf8Range } from './json-bytes.ts';
import { JsonCursor } from './json-cursor.ts';
import type { ByteSpan } from './json-edits.ts';

/**
 * Returns the first member name that occurs twice in the same object, at any depth. Names are compared without
 * JSON escapes. Returns null if there is none. Parsers disagree about which of the two members counts. The bytes
 * must be valid JSON.
 * @example
 * findDuplicateMemberName(Buffer.from('{"a":{"b":1,"\\u0062":2}}')); // 'b'
 * findDuplicateMemberName(Buffer.from('{"a":1,"b":2}')); // null
 */
export function findDuplicateMemberName(
  body: Uint8Array,
  span: ByteSpan = { start: 0, end: body.length },
): string | null {
  return findDuplicate(body, new JsonCursor(body, span.start, span.end));
}

/**
 * Returns whether the text of a JSON value contained duplicate members, which `JSON.parse` drops.
 * @param memberCount Number of members in the text, at any depth (`JsonCursor.memberCount`).
 * @example
 * hasDuplicateMembers(JSON.parse('{"a":{"b":1,"b":2}}'), 3); // true
 * hasDuplicateMembers(JSON.parse('{"a":{"b":1,"c":2}}'), 3); // false
 */
export function hasDuplicateMembers(value: Json, memberCount: number): boolean {
  return countMembers(value) !== memberCount;
}

function countMembers(value: Json | undefined): number {
  let count = 0;
  if (Array.isArray(value)) for (const entry of value) count += countMembers(entry);
  else if (isJsonObject(value))
    for (const name in value) {
      count += 1;
      const inner = value[name];
      if (typeof inner === 'object') count += countMembers(inner);
    }
  return count;
}

function findDuplicate(body: Uint8Array, cursor: JsonCursor): string | null {
  if (cursor.enterObject()) {
    const names = new Set<string>();
    while (cursor.nextMember()) {
      const name = memberName(body, cursor);
      if (names.has(name)) return name;
      names.add(name);
      const inner = findDuplicate(body, cursor);
      if (inner !== null) return inner;
    }
    return null;
  }
  if (!cursor.enterArray()) cursor.skip();
  else
    while (cursor.nextElement()) {
      const inner = findDuplicate(body, cursor);
      if (inner !== null) return inner;
    }
  return null;
}

/**
 * Parses JSON like `JSON.parse`, but also keeps members that `JSON.parse` drops because a later member has the
 * same name. The names of these members get a number. The bytes must be valid JSON.
 * @example
 * parseJsonWithDuplicateMembers(Buffer.from('{"a":1,"a":2}')); // { 'a (1)': 1, a: 2 }
 */
export function parseJsonWithDuplicateMembers(body: Uint8Array): Json {
  return parseValue(body, new JsonCursor(body));
}

function parseValue(body: Uint8Array, cursor: JsonCursor): Json {
  if (cursor.enterObject()) {
    const members: [string, Json][] = [];
    const last = new Map<string, number>();
    while (cursor.nextMember()) {
      const name = memberName(body, cursor);
      last.set(name, members.length);
      members.push([name, parseValue(body, cursor)]);
    }
    return Object.fromEntries(
      members.map(([name, value], at) => [
        last.get(name) === at ? name : toUnusedName(`${name} (${at + 1})`, last),
        value,
      ]),
    );
  }
  if (cursor.enterArray()) {
    const elements: Json[] = [];
    while (cursor.nextElement()) elements.push(parseValue(body, cursor));
    return elements;
  }
  cursor.peek();
  const start = cursor.at;
  cursor.skip();
  return JSON.parse(decodeUtf8Range(body, start, cursor.at));
}

/** Each suffix contains the member's position, so only names in the text can be equal to the result. */
function toUnusedName(wanted: string, used: ReadonlyMap<string, number>): string {
  let name = wanted;
  while (used.has(name)) name += '*';
  return name;
}

function memberName(body: Uint8Array, { keyStart, keyEnd, keyEscaped }: JsonCursor): string {
  const spelled = decodeUtf8Range(body, keyStart, keyEnd);
  return keyEscaped ? String(JSON.parse(`"${spelled}"`)) : spelled;
}
