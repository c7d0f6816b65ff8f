import { Fault } from '@floe/contract/faults';
import { decodeUtf8Range } from './json-bytes.ts';
import { JsonCursor } from './json-cursor.ts';
import type { ByteSpan } from './json-edits.ts';

/**
 * Returns the positions of the members of a nested object, as `scanJsonObject` does for the root.
 * `body` must be valid JSON. If a key is duplicated, the last one counts, as in `JSON.parse`. Returns
 * undefined if the value is not an object.
 * @example
 * const body = Buffer.from('{"reasoning":{"effort":"low"}}');
 * const span = scanJsonObject(body).get('reasoning');
 * readStringAt(body, scanObjectAt(body, span).get('effort')); // 'low'
 */
export function scanObjectAt(body: Uint8Array, span: ByteSpan): ReadonlyMap<string, ByteSpan> | undefined {
  return scanNestedMembers(body, span, () => undefined);
}

/**
 * Returns the positions of the members of a nested object, as `scanObjectAt` does, of which Floe and the provider must
 * read the same value.
 * @throws Fault `invalid_request` if a key occurs twice
 * @example
 * const body = Buffer.from('{"metadata":{"user_id":"u"}}');
 * scanUnambiguousObjectAt(body, scanJsonObject(body).get('metadata')).size; // 1
 */
export function scanUnambiguousObjectAt(
  body: Uint8Array,
  span: ByteSpan,
): ReadonlyMap<string, ByteSpan> | undefined {
  return scanNestedMembers(body, span, (key) => {
    throw createDuplicateMemberFault(key);
  });
}

function scanNestedMembers(
  body: Uint8Array,
  span: ByteSpan,
  onDuplicate: (key: string) => void,
): ReadonlyMap<string, ByteSpan> | undefined {
  const cursor = new JsonCursor(body, span.start, span.end);
  if (!cursor.enterObject()) return undefined;
  const found = new Map<string, ByteSpan>();
  while (cursor.nextMember()) {
    const start = cursor.at;
    const spelled = decodeUtf8Range(body, cursor.keyStart, cursor.keyEnd);
    const key = cursor.keyEscaped ? String(JSON.parse(`"${spelled}"`)) : spelled;
    if (found.has(key)) onDuplicate(key);
    cursor.skip();
    found.set(key, { start, end: cursor.at });
  }
  return found;
}

/**
 * Creates the error for a nested object that contains a field twice.
 * @example
 * createDuplicateMemberFault('content').code; // 'invalid_request'
 */
export function createDuplicateMemberFault(key: string): Fault {
  const name = key.slice(0, 64);
  return new Fault('invalid_request', `The field "${name}" must occur only once in an object.`, {
    param: name,
  });
}
