import { decodeUtf8Range } from './json-bytes.ts';
import { JsonCursor } from './json-cursor.ts';
import type { ByteSpan } from './json-edits.ts';

/**
 * Returns the first member name that occurs twice in one object, at any depth, after resolving
 * escapes. Parsers disagree about which of the two members counts. Returns null if no name occurs
 * twice. The bytes must be valid JSON.
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

function memberName(body: Uint8Array, { keyStart, keyEnd, keyEscaped }: JsonCursor): string {
  const spelled = decodeUtf8Range(body, keyStart, keyEnd);
  return keyEscaped ? String(JSON.parse(`"${spelled}"`)) : spelled;
}
