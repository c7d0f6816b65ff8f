import { Buffer, isUtf8 } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { decodeUtf8Range } from './json-bytes.ts';
import { JsonCursor } from './json-cursor.ts';
import { JsonSyntaxError } from './json-syntax-error.ts';
import { NameTable } from './name-table.ts';

/** A range of bytes; `end` is exclusive. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** Replaces the bytes from `start` to `end` (exclusive) with `text` in UTF-8. */
export interface ByteEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The members of a body, and whether its numbers survive `JSON.parse`. */
export class ScannedMembers extends Map<string, ByteSpan> {
  /** A number stands in it that JavaScript would not write back as it is. */
  hasInexact = false;
}

/** Members most request bodies have; any other name is decoded. */
const COMMON_MEMBERS = new NameTable([
  'model',
  'messages',
  'input',
  'stream',
  'stream_options',
  'tools',
  'tool_choice',
  'temperature',
  'top_p',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'reasoning',
  'reasoning_effort',
  'instructions',
  'store',
  'include',
  'system',
  'thinking',
  'metadata',
  'user',
  'prompt_cache_key',
  'parallel_tool_calls',
]);

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;

/**
 * Validates a whole request body as JSON (RFC 8259) and returns where the value of each top-level
 * member stands. It accepts what `JSON.parse` accepts, save what two parsers could read differently:
 * duplicate or escape-spelled top-level keys, invalid UTF-8, a byte order mark, over 512 levels.
 *
 * @throws {Fault} `invalid_json` with offset, line and column; `invalid_request` when the root is not
 * an object or a top-level key is doubled or escaped (`param` names it).
 * @example
 * scanObject(Buffer.from('{"model":"gpt-5"}')).get('model'); // { start: 9, end: 16 }
 */
export function scanObject(body: Uint8Array): ScannedMembers {
  if (body.length === 0)
    throw new Fault('invalid_json', 'The request body is empty; it must be a JSON object.');
  if (!isUtf8(body)) throw invalidJsonFault(body, 'it is not valid UTF-8', firstInvalidByte(body));
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf)
    throw invalidJsonFault(body, 'it starts with a byte order mark', 0);
  try {
    return scanMembers(body);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw invalidJsonFault(body, error.message, error.offset);
    throw error;
  }
}

function scanMembers(body: Uint8Array): ScannedMembers {
  const cursor = new JsonCursor(body);
  const found = new ScannedMembers();
  let refusal: Fault | undefined;
  if (!cursor.enterObject()) {
    cursor.skip();
    refusal = new Fault('invalid_request', 'The request body must be a JSON object.');
  } else {
    while (cursor.nextMember()) {
      const start = cursor.at;
      const key = readMemberName(body, cursor.keyStart, cursor.keyEnd);
      if (cursor.keyEscaped) refusal ??= rejectedKeyFault(key, 'must be written without escape sequences');
      else if (found.has(key)) refusal ??= rejectedKeyFault(key, 'must occur only once');
      // Go's encoding/json, which some upstreams use, takes member names in any case.
      else if (key.length === 5 && key !== 'model' && key.toLowerCase() === 'model')
        refusal ??= rejectedKeyFault(key, 'must be spelled "model"');
      cursor.skip();
      found.set(key, { start, end: cursor.at });
    }
  }
  cursor.expectEnd();
  if (refusal !== undefined) throw refusal;
  found.hasInexact = cursor.sawInexact;
  return found;
}

/**
 * Spans of the members of a nested object, as `scanObject` gives them for the root. The text must be
 * JSON that a scan has accepted; of a repeated key the last one counts, as in `JSON.parse`.
 * Undefined when the value is not an object.
 *
 * @example
 * const body = Buffer.from('{"reasoning":{"effort":"low"}}');
 * const span = scanObject(body).get('reasoning');
 * readStringAt(body, scanMembersAt(body, span).get('effort')); // 'low'
 */
export function scanMembersAt(body: Uint8Array, span: ByteSpan): ReadonlyMap<string, ByteSpan> | undefined {
  const cursor = new JsonCursor(body, span.start, span.end);
  if (!cursor.enterObject()) return undefined;
  const found = new Map<string, ByteSpan>();
  while (cursor.nextMember()) {
    const start = cursor.at;
    const spelled = readMemberName(body, cursor.keyStart, cursor.keyEnd);
    const key = cursor.keyEscaped ? String(JSON.parse(`"${spelled}"`)) : spelled;
    cursor.skip();
    found.set(key, { start, end: cursor.at });
  }
  return found;
}

/**
 * The decoded string at `span`; undefined when the value there is not a string.
 *
 * @example
 * const body = Buffer.from('{"model":"gpt-5"}');
 * readStringAt(body, scanObject(body).get('model')); // 'gpt-5'
 */
export function readStringAt(body: Uint8Array, span: ByteSpan): string | undefined {
  if (body[span.start] !== QUOTE) return undefined;
  for (let at = span.start + 1; at < span.end; at++)
    if (body[at] === 0x5c) {
      const value: unknown = JSON.parse(decodeUtf8Range(body, span.start, span.end));
      return typeof value === 'string' ? value : undefined;
    }
  return decodeUtf8Range(body, span.start + 1, span.end - 1);
}

/**
 * The boolean at `span`; undefined when the value there is not one.
 *
 * @example
 * const body = Buffer.from('{"stream":true}');
 * readBooleanAt(body, scanObject(body).get('stream')); // true
 */
export function readBooleanAt(body: Uint8Array, span: ByteSpan): boolean | undefined {
  const first = body[span.start];
  if (first === 0x74) return true;
  return first === 0x66 ? false : undefined;
}

/**
 * The number at `span`, as `JSON.parse` reads it; undefined when the value there is not one.
 *
 * @example
 * const body = Buffer.from('{"n":2}');
 * readNumberAt(body, scanObject(body).get('n')); // 2
 */
export function readNumberAt(body: Uint8Array, span: ByteSpan): number | undefined {
  const first = body[span.start] ?? 0;
  const isDigit = first >= 0x30 && first <= 0x39;
  if (isDigit && span.end - span.start === 1) return first - 0x30;
  return isDigit || first === 0x2d ? Number(decodeUtf8Range(body, span.start, span.end)) : undefined;
}

/** Bytes with the members of one object in them (`scanObject`, `scanMembersAt`). */
export interface ScannedJsonBody {
  readonly body: Uint8Array;
  readonly members: ReadonlyMap<string, ByteSpan>;
}

/**
 * The edit that gives member `key` the value `value` (JSON). An absent member is inserted right
 * after the opening brace of `object`, the root unless given. Several inserts into one object may be
 * combined only when it has members already.
 *
 * @example
 * const body = Buffer.from('{"model":"gpt-5"}');
 * const edit = editMember({ body, members: scanObject(body) }, 'model', '"gpt-5-mini"');
 * applyByteEdits(body, [edit]).toString(); // '{"model":"gpt-5-mini"}'
 */
export function editMember(
  { body, members }: ScannedJsonBody,
  key: string,
  valueText: string,
  object?: ByteSpan,
): ByteEdit {
  const present = members.get(key);
  if (present !== undefined) return { start: present.start, end: present.end, text: valueText };
  const brace = object?.start ?? body.indexOf(OPEN_BRACE);
  const text = `${JSON.stringify(key)}:${valueText}${members.size === 0 ? '' : ','}`;
  return { start: brace + 1, end: brace + 1, text };
}

/**
 * A body with members taken out (`null`) or set (JSON text). Values that stay keep their bytes and their order;
 * white space between members does not stay.
 *
 * @example
 * const body = Buffer.from('{"model":"gpt-5","user":"u"}');
 * const changes = new Map([['user', null], ['stream', 'true']]);
 * replaceMembers(body, scanObject(body), changes).toString(); // '{"model":"gpt-5","stream":true}'
 */
export function replaceMembers(
  body: Buffer,
  members: ReadonlyMap<string, ByteSpan>,
  changes: ReadonlyMap<string, string | null>,
): Buffer {
  const pieces: (string | Buffer)[] = [];
  const add = (key: string, value: string | Buffer) =>
    pieces.push(`${pieces.length === 0 ? '{' : ','}${JSON.stringify(key)}:`, value);
  for (const [key, { start, end }] of members) {
    const change = changes.get(key);
    if (change !== null) add(key, change ?? body.subarray(start, end));
  }
  for (const [key, text] of changes) if (text !== null && !members.has(key)) add(key, text);
  pieces.push(pieces.length === 0 ? '{}' : '}');
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/**
 * A copy of `body` with the edits applied; every other byte is kept. One allocation.
 * Edits must be sorted by `start` and must not overlap.
 *
 * @example
 * applyByteEdits(Buffer.from('[1,2]'), [{ start: 1, end: 2, text: '9' }]).toString(); // '[9,2]'
 */
export function applyByteEdits(body: Buffer, edits: readonly ByteEdit[]): Buffer {
  let length = body.length;
  let reached = 0;
  for (const edit of edits) {
    if (edit.start < reached || edit.end < edit.start || edit.end > body.length)
      throw new Error('splice: edits must be sorted, non-overlapping and inside the body');
    reached = edit.end;
    length += Buffer.byteLength(edit.text) - (edit.end - edit.start);
  }
  const out = Buffer.allocUnsafe(length);
  let from = 0;
  let to = 0;
  for (const edit of edits) {
    to += body.copy(out, to, from, edit.start);
    to += out.write(edit.text, to);
    from = edit.end;
  }
  body.copy(out, to, from);
  return out;
}

function readMemberName(body: Uint8Array, start: number, end: number): string {
  return COMMON_MEMBERS.find(body, start, end) ?? decodeUtf8Range(body, start, end);
}

function rejectedKeyFault(key: string, why: string): Fault {
  return new Fault('invalid_request', `The top-level field "${key.slice(0, 64)}" ${why}.`, {
    param: key.slice(0, 64),
  });
}

function invalidJsonFault(body: Uint8Array, problem: string, offset: number): Fault {
  let line = 1;
  let lineStart = 0;
  for (let next = body.indexOf(0x0a); next !== -1 && next < offset; next = body.indexOf(0x0a, lineStart)) {
    line += 1;
    lineStart = next + 1;
  }
  const column = decodeUtf8Range(body, lineStart, offset).length + 1;
  return new Fault(
    'invalid_json',
    `The request body is not valid JSON: ${problem} (byte ${offset}, line ${line}, column ${column}).`,
  );
}

/** Re-encoding replaces what is invalid, so the first difference is where validity ends. */
function firstInvalidByte(body: Uint8Array): number {
  const repaired = Buffer.from(decodeUtf8Range(body, 0, body.length));
  let at = 0;
  while (at < body.length && body[at] === repaired[at]) at += 1;
  return at;
}
