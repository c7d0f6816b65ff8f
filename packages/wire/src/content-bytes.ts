import { Buffer } from 'node:buffer';
import { decodeUtf8Range } from './json-bytes.ts';
import { JsonCursor } from './json-cursor.ts';
import type { ByteSpan } from './json-edits.ts';
import { JsonSyntaxError } from './json-syntax-error.ts';
import { NameTable } from './name-table.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
/** Longer strings are searched for a backslash by Node, shorter ones here. */
const SHORT_BYTES = 64;

/** Members of an answer under which generated content stands, in every dialect. */
const ROOT_MEMBERS = new NameTable([
  'type',
  'choices',
  'output',
  'content',
  'delta',
  'content_block',
  'response',
]);
const RESPONSE_MEMBERS = new NameTable(['output']);
const CONTENT_MEMBERS = new NameTable([
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
/** Hosts repeat the same reasoning under several of these names. */
const REASONING_MEMBERS: ReadonlySet<string> = new Set([
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking',
  'thinking_blocks',
]);

/** UTF-8 bytes of generated content in one JSON text of an answer. */
export interface ContentBytes {
  /** Of a piece of a stream: adds to what came before. */
  readonly added: number;
  /** Of an answer as a whole, which may repeat what pieces brought. */
  readonly whole: number;
}

/**
 * Counts the content in a whole JSON answer, or in the data of one stream event, of the Chat, Responses or Messages
 * dialect: text, reasoning, refusals, tool names and arguments, as UTF-8 without JSON escapes. Ids, signatures,
 * annotations and base64 data do not count. A text that is not JSON counts by its length.
 *
 * @example
 * const body = Buffer.from('{"choices":[{"message":{"content":"Zoë"}}]}');
 * countContentBytes(body); // { added: 4, whole: 0 }
 */
export function countContentBytes(bytes: Buffer, start = 0, end: number = bytes.length): ContentBytes {
  try {
    return countRoot(bytes, new JsonCursor(bytes, start, end));
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { added: end - start, whole: 0 };
  }
}

/**
 * Content in the JSON value at `span`, which stands under one of the dialects' content members.
 *
 * @example
 * const body = Buffer.from('{"content":[{"type":"text","text":"Hello"}]}');
 * countContentBytesAt(body, { start: 11, end: body.length - 1 }); // 5
 */
export function countContentBytesAt(bytes: Buffer, span: ByteSpan): number {
  const first = bytes[span.start];
  if (first === QUOTE) return countStringBytes(bytes, span);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return 0;
  return countValue(bytes, new JsonCursor(bytes, span.start, span.end));
}

/**
 * UTF-8 bytes of the text that the JSON string at `span`, quotes included, stands for.
 *
 * @example
 * countStringBytes(Buffer.from('"Zo\\u00eb"'), { start: 0, end: 10 }); // 4
 */
export function countStringBytes(bytes: Buffer, { start, end }: ByteSpan): number {
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

/** Of one UTF-16 code unit; a surrogate is half of four bytes. */
function unitBytes(unit: number): number {
  if (unit < 0x80) return 1;
  if (unit < 0x800 || (unit >= 0xd800 && unit < 0xe000)) return 2;
  return 3;
}

function countRoot(bytes: Buffer, cursor: JsonCursor): ContentBytes {
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
  // Of this dialect's events only deltas are new; the others announce or repeat. Audio is base64.
  const isNew = type.endsWith('.delta') && !type.endsWith('audio.delta');
  return { added: isNew ? delta : 0, whole };
}

const NO_CONTENT: ContentBytes = { added: 0, whole: 0 };

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
  if (cursor.peek() === QUOTE) return countStringBytes(bytes, skipValue(cursor));
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

/** Arguments come as text in some dialects and as JSON in others: their JSON text counts, without white space. */
function countArguments(bytes: Buffer, cursor: JsonCursor): number {
  if (cursor.peek() === QUOTE) return countStringBytes(bytes, skipValue(cursor));
  const { start, end } = skipValue(cursor);
  if (bytes[start] !== OPEN_BRACE && bytes[start] !== OPEN_BRACKET) return 0;
  const text = decodeUtf8Range(bytes, start, end);
  const compact = JSON.stringify(JSON.parse(text));
  // An empty object announces arguments that follow in pieces.
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
