import { Buffer } from 'node:buffer';
import { decodeUtf8Range } from './json-bytes.ts';
import { JsonCursor } from './json-cursor.ts';
import type { ByteSpan } from './json-edits.ts';
import { JsonMemberNameLookup } from './json-member-name-lookup.ts';
import { JsonSyntaxError } from './json-syntax-error.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** Node searches longer strings for a backslash faster than this code. */
const SHORT_BYTES = 64;

/** Members of a response that contain generated content, for every dialect. */
const ROOT_MEMBERS = new JsonMemberNameLookup([
  'type',
  'choices',
  'output',
  'content',
  'delta',
  'content_block',
  'response',
]);
const RESPONSE_MEMBERS = new JsonMemberNameLookup(['output']);
const CONTENT_MEMBERS = new JsonMemberNameLookup([
  'content',
  'text',
  'refusal',
  'tool_calls',
  'function_call',
  'function',
  'custom',
  'name',
  'arguments',
  'input',
  'partial_json',
  'audio',
  'transcript',
  'message',
  'delta',
  'summary',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
]);
/** Providers repeat the same reasoning in several of these members. */
const REASONING_MEMBERS: ReadonlySet<string> = new Set([
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
]);

/** The number of UTF-8 bytes of generated content in one JSON text of a response. */
export interface ContentByteCounts {
  /** Content of a stream event, in addition to earlier events. */
  readonly added: number;
  /** Content of a complete response, which may repeat earlier events. */
  readonly whole: number;
}

/**
 * Counts the bytes of content in a complete JSON response or in the data of one stream event, for Chat,
 * Responses and Messages. Content is text, reasoning, refusals, tool names and arguments, in UTF-8
 * without JSON escapes. Ids, signatures, annotations and base64 data do not count. If the bytes are
 * not JSON, all of them count.
 * @example
 * const body = Buffer.from('{"choices":[{"message":{"content":"Zoë"}}]}');
 * countContentBytes(body); // { added: 4, whole: 0 }
 */
export function countContentBytes(bytes: Buffer, start = 0, end: number = bytes.length): ContentByteCounts {
  try {
    return countRoot(bytes, new JsonCursor(bytes, start, end));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { added: end - start, whole: 0 };
  }
}

/**
 * Counts the bytes of content in the JSON value at `span`. The value must belong to a content member, such
 * as `content`.
 * @example
 * const body = Buffer.from('{"content":[{"type":"text","text":"Hello"}]}');
 * countContentBytesAt(body, { start: 11, end: body.length - 1 }); // 5
 */
export function countContentBytesAt(bytes: Buffer, span: ByteSpan): number {
  const first = bytes[span.start];
  if (first === QUOTE) return countJsonStringBytes(bytes, span);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return 0;
  return countValue(bytes, new JsonCursor(bytes, span.start, span.end));
}

/**
 * Returns the number of UTF-8 bytes in the decoded JSON string at `span`, which includes the quotes.
 * @example
 * countJsonStringBytes(Buffer.from('"Zo\\u00eb"'), { start: 0, end: 10 }); // 4
 */
export function countJsonStringBytes(bytes: Buffer, { start, end }: ByteSpan): number {
  const plain = end - start - 2;
  if (plain > SHORT_BYTES && !bytes.subarray(start, end).includes(BACKSLASH)) return plain;
  let count = 0;
  for (let at = start + 1; at < end - 1; at += 1) {
    count += 1;
    if (bytes[at] !== BACKSLASH) continue;
    at += 1;
    if (bytes[at] !== LETTER_U) continue;
    count += unitBytes(Number.parseInt(bytes.toString('latin1', at + 1, at + 5), 16)) - 1;
    at += 4;
  }
  return count;
}

/** Returns the UTF-8 bytes of a UTF-16 code unit. A surrogate is half of a four-byte character. */
function unitBytes(unit: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x800 || (unit >= 0xd800 && unit < 0xe000)) return 2;
  return 3;
}

function countRoot(bytes: Buffer, cursor: JsonCursor): ContentByteCounts {
  if (!cursor.enterObject()) {
    cursor.skip();
    return NO_CONTENT;
  }
  let type = '';
  let delta = 0;
  let added = 0;
  let whole = 0;
  while (cursor.nextMember()) {
    const name = cursor.key(ROOT_MEMBERS);
    if (name === undefined) cursor.skip();
    else if (name === 'type') type = stringAt(bytes, cursor);
    else if (name === 'delta') delta = countValue(bytes, cursor);
    else if (name === 'response') whole += countResponse(bytes, cursor);
    else added += countValue(bytes, cursor);
  }
  if (!type.startsWith('response.')) return { added: added + delta, whole };
  // In this dialect only delta events have new content; others announce or repeat it. Audio is base64.
  const isNew = type.endsWith('.delta') && !type.endsWith('audio.delta');
  return { added: isNew ? delta : 0, whole };
}

const NO_CONTENT: ContentByteCounts = { added: 0, whole: 0 };

function countResponse(bytes: Buffer, cursor: JsonCursor): number {
  let sum = 0;
  if (!cursor.enterObject()) cursor.skip();
  else
    while (cursor.nextMember()) {
      if (cursor.key(RESPONSE_MEMBERS) === undefined) cursor.skip();
      else sum += countValue(bytes, cursor);
    }
  return sum;
}

function countValue(bytes: Buffer, cursor: JsonCursor): number {
  if (cursor.peek() === QUOTE) return countJsonStringBytes(bytes, skipValue(cursor));
  let sum = 0;
  if (cursor.enterArray()) while (cursor.nextElement()) sum += countValue(bytes, cursor);
  else if (cursor.enterObject()) {
    let reasoning = 0;
    while (cursor.nextMember()) {
      const name = cursor.key(CONTENT_MEMBERS);
      if (name === undefined) cursor.skip();
      else if (REASONING_MEMBERS.has(name)) reasoning = Math.max(reasoning, countValue(bytes, cursor));
      else if (name === 'input' || name === 'arguments') sum += countArguments(bytes, cursor);
      else sum += countValue(bytes, cursor);
    }
    sum += reasoning;
  } else cursor.skip();
  return sum;
}

/** Arguments are text or JSON, depending on the dialect. JSON counts without white space. */
function countArguments(bytes: Buffer, cursor: JsonCursor): number {
  if (cursor.peek() === QUOTE) return countJsonStringBytes(bytes, skipValue(cursor));
  const { start, end } = skipValue(cursor);
  if (bytes[start] !== OPEN_BRACE && bytes[start] !== OPEN_BRACKET) return 0;
  const text = decodeUtf8Range(bytes, start, end);
  const compact = JSON.stringify(JSON.parse(text));
  // An empty object announces arguments that follow in fragments.
  return compact.length > 2 ? Buffer.byteLength(compact) : 0;
}

function stringAt(bytes: Buffer, cursor: JsonCursor): string {
  const isString = cursor.peek() === QUOTE;
  const { start, end } = skipValue(cursor);
  return isString ? decodeUtf8Range(bytes, start + 1, end - 1) : '';
}

function skipValue(cursor: JsonCursor): ByteSpan {
  cursor.peek();
  const start = cursor.at;
  cursor.skip();
  return { start, end: cursor.at };
}
