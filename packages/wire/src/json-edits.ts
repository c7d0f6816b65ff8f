import { Buffer } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import { resolveInspectedMemberName } from './inspected-members.ts';
import { containsBackslash, decodeUtf8Range } from './json-bytes.ts';
import { JsonComplexityCounter } from './json-complexity.ts';
import { JsonCursor } from './json-cursor.ts';
import { JsonMemberNameLookup } from './json-member-name-lookup.ts';
import { rejectEncoding, rejectedKeyFault, toScanFault } from './json-scan-faults.ts';
import type { LongStringSpan } from './json-string-scanner.ts';

/** A range of bytes. `end` is exclusive. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** An edit that replaces the bytes from `start` to `end` (exclusive) with `text` in UTF-8. */
export interface ByteEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The positions of a body's members, and whether `JSON.parse` preserves the body's numbers. */
export class ScannedJsonMembers extends Map<string, ByteSpan> {
  /** Positions of the strings and names of at least 512 bytes at any depth, in order and with their quotes. */
  longStrings: readonly LongStringSpan[] = [];
  /** Whether there is a number that JavaScript would write differently. */
  hasInexact = false;
  /** Number of members at any depth. Duplicate members count several times. */
  memberCount = 0;
  /** Whether a member at any depth has one of the names that the scan looked for. True if it looked for none. */
  hasName = true;
}

/** Common members of request bodies. Other names are decoded. */
const COMMON_MEMBERS = new JsonMemberNameLookup([
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

/** The APIs of all providers define fewer than 100. A larger map takes microseconds per member. */
const MAX_TOP_LEVEL_MEMBERS = 1_000;
const TOO_MANY_MEMBERS = 'The request body has more than 1,000 top-level fields. Send fewer fields.';

const QUOTE = 0x22;
const OPEN_BRACE = 0x7b;

/**
 * Validates a request body as JSON (RFC 8259) and returns the position of the value of each top-level member.
 * Accepts what `JSON.parse` accepts, except input that other parsers may read differently: duplicate or escaped
 * top-level keys, keys that differ from an inspected member only in their case, invalid UTF-8, a byte order mark, and
 * more than 512 levels. `names` are the names of nested members to look for (`hasName`).
 * @throws Fault `invalid_json` with offset, line and column; `request_too_large` if its
 * complexity exceeds `maxComplexity` or it has more than 1,000 top-level members; `invalid_request` if the root is not
 * an object, or if a top-level key occurs twice or is escaped (`param` names it)
 * @example
 * scanJsonObject(Buffer.from('{"model":"gpt-5"}')).get('model'); // { start: 9, end: 16 }
 */
export function scanJsonObject(
  body: Uint8Array,
  maxComplexity: number | null = null,
  names: JsonMemberNameLookup<string> | null = null,
): ScannedJsonMembers {
  const cursor = createBodyCursor(body, maxComplexity, names);
  try {
    const found = new MembersInProgress();
    if (found.enter(cursor))
      while (cursor.nextMember()) {
        const start = cursor.at;
        const key = found.readKey(body, cursor);
        cursor.skip();
        found.addValue(key, start, cursor.at);
      }
    return found.end(cursor);
  } catch (error) {
    throw toScanFault(error, body, maxComplexity);
  }
}

/**
 * Starts a scan like `scanJsonObject`.
 * @throws Fault `invalid_json` if the body is empty or its encoding is not permitted
 * @example
 * createBodyCursor(Buffer.from('{"model":"gpt-5"}'), null, null).enterObject(); // true
 */
export function createBodyCursor(
  body: Uint8Array,
  maxComplexity: number | null,
  names: JsonMemberNameLookup<string> | null,
): JsonCursor {
  rejectEncoding(body);
  const cursor = new JsonCursor(body);
  cursor.names = names;
  cursor.longStrings = [];
  if (maxComplexity !== null) cursor.complexity = new JsonComplexityCounter(maxComplexity);
  return cursor;
}

/**
 * The members that a scan has found so far. An invalid member is reported at the end, because a syntax error precedes
 * it.
 */
export class MembersInProgress extends ScannedJsonMembers {
  #refusal: Fault | null = null;

  /** Enters the root object. If the root is not an object, skips it and returns false. */
  enter(cursor: JsonCursor): boolean {
    if (cursor.enterObject()) return true;
    cursor.skip();
    this.#refusal = new Fault('invalid_request', 'The request body must be a JSON object.');
    return false;
  }

  /** Returns the name of the member at the cursor. The caller then skips its value. */
  readKey(body: Uint8Array, cursor: JsonCursor): string {
    const common = COMMON_MEMBERS.find(body, cursor.keyStart, cursor.keyEnd);
    const key = common ?? decodeUtf8Range(body, cursor.keyStart, cursor.keyEnd);
    const inspected = common === undefined ? resolveInspectedMemberName(key) : key;
    if (cursor.keyEscaped)
      this.#refusal ??= rejectedKeyFault(key, 'must be written without escape sequences');
    else if (this.has(key)) this.#refusal ??= rejectedKeyFault(key, 'must occur only once');
    else if (inspected !== key) this.#refusal ??= rejectedKeyFault(key, `must be spelled "${inspected}"`);
    return key;
  }

  /** @throws Fault `request_too_large` for too many members */
  addValue(key: string, start: number, end: number): void {
    this.set(key, { start, end });
    if (this.size > MAX_TOP_LEVEL_MEMBERS) throw new Fault('request_too_large', TOO_MANY_MEMBERS);
  }

  /** Ends the scan. @throws Fault for a member that is not permitted */
  end(cursor: JsonCursor): ScannedJsonMembers {
    cursor.expectEnd();
    if (this.#refusal !== null) throw this.#refusal;
    this.hasInexact = cursor.sawInexact;
    this.longStrings = cursor.longStrings ?? [];
    this.memberCount = cursor.memberCount;
    this.hasName = cursor.names === null || cursor.sawName;
    return this;
  }
}

/**
 * Returns the decoded string at `span`; undefined if the value is not a string.
 * @example
 * const body = Buffer.from('{"model":"gpt-5"}');
 * readStringAt(body, scanJsonObject(body).get('model')); // 'gpt-5'
 */
export function readStringAt(body: Uint8Array, span: ByteSpan): string | undefined {
  if (body[span.start] !== QUOTE) return undefined;
  if (!containsBackslash(body, span.start, span.end))
    return decodeUtf8Range(body, span.start + 1, span.end - 1);
  const value: unknown = JSON.parse(decodeUtf8Range(body, span.start, span.end));
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns the boolean at `span`; undefined if the value is not a boolean.
 * @example
 * const body = Buffer.from('{"stream":true}');
 * readBooleanAt(body, scanJsonObject(body).get('stream')); // true
 */
export function readBooleanAt(body: Uint8Array, span: ByteSpan): boolean | undefined {
  const first = body[span.start];
  if (first === 0x74) return true;
  return first === 0x66 ? false : undefined;
}

/**
 * Returns the number at `span`, as `JSON.parse` reads it; undefined if the value is not a number.
 * @example
 * const body = Buffer.from('{"n":2}');
 * readNumberAt(body, scanJsonObject(body).get('n')); // 2
 */
export function readNumberAt(body: Uint8Array, span: ByteSpan): number | undefined {
  const first = body[span.start] ?? 0;
  const isDigit = first >= 0x30 && first <= 0x39;
  if (isDigit && span.end - span.start === 1) return first - 0x30;
  return isDigit || first === 0x2d ? Number(decodeUtf8Range(body, span.start, span.end)) : undefined;
}

/**
 * A body's bytes with the positions of the members of one object (`scanJsonObject`, `scanObjectAt`).
 */
export interface ScannedJsonBody {
  readonly body: Uint8Array;
  readonly members: ReadonlyMap<string, ByteSpan>;
}

/**
 * Returns the edit that sets member `key` to `valueText` (JSON). An absent member is inserted after the
 * opening brace of `object`, by default the root. Several insertions into one object can be combined only if
 * it already has members.
 * @example
 * const body = Buffer.from('{"model":"gpt-5"}');
 * const edit = createJsonMemberEdit({ body, members: scanJsonObject(body) }, 'model', '"gpt-5-mini"');
 * applyByteEdits(body, [edit]).toString(); // '{"model":"gpt-5-mini"}'
 */
export function createJsonMemberEdit(
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
 * Returns a body with members removed (`null`) or set (JSON text). Other values keep their bytes and order;
 * white space between members is removed.
 * @example
 * const body = Buffer.from('{"model":"gpt-5","user":"u"}');
 * const changes = new Map([['user', null], ['stream', 'true']]);
 * editJsonMembers(body, scanJsonObject(body), changes).toString(); // '{"model":"gpt-5","stream":true}'
 */
export function editJsonMembers(
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
 * Returns a copy of `body` with the edits applied. All other bytes are unchanged. Edits must be sorted by
 * `start` and must not overlap.
 * @example
 * applyByteEdits(Buffer.from('[1,2]'), [{ start: 1, end: 2, text: '9' }]).toString(); // '[9,2]'
 */
export function applyByteEdits(body: Buffer, edits: readonly ByteEdit[]): Buffer {
  let length = body.length;
  let reached = 0;
  for (const edit of edits) {
    if (edit.start < reached || edit.end < edit.start || edit.end > body.length)
      throw new Error('applyByteEdits: edits must be sorted, non-overlapping and inside the body');
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
