import type { Buffer } from 'node:buffer';
import { JsonCursor } from './json-cursor.ts';
import type { ByteSpan } from './json-edits.ts';

const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const MINUS = 0x2d;
const SPACE = 0x20;
const COLON = 0x3a;
const VECTOR_KEY = '"embedding"';
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Returns the number of inputs in the member `input` of an embeddings request, or in the member `prompt` of text
 * completions, without parsing it. A list of token ids is one input. `body` must be valid JSON.
 * @example
 * countEmbeddingsInputs(Buffer.from('["one","two"]'), { start: 0, end: 13 }); // 2
 */
export function countEmbeddingsInputs(body: Uint8Array, span: ByteSpan): number {
  if (body[span.start] !== OPEN_BRACKET) return 1;
  let count = 0;
  const cursor = new JsonCursor(body, span.start, span.end);
  cursor.enterArray();
  while (cursor.nextElement()) {
    if (isNumberStart(body[cursor.at])) return 1;
    count += 1;
    cursor.skip();
  }
  return count;
}

/**
 * Returns whether an input is or contains a list of token ids, which only the model's tokenizer can convert to text.
 * `body` must be valid JSON.
 * @example
 * containsTokenIds(Buffer.from('["one",[5,7]]'), { start: 0, end: 13 }); // true
 */
export function containsTokenIds(body: Uint8Array, span: ByteSpan): boolean {
  return hasNumbers(body, new JsonCursor(body, span.start, span.end), 2);
}

function hasNumbers(body: Uint8Array, cursor: JsonCursor, levels: number): boolean {
  cursor.peek();
  if (levels === 0 || body[cursor.at] !== OPEN_BRACKET) {
    cursor.skip();
    return false;
  }
  cursor.enterArray();
  while (cursor.nextElement())
    if (isNumberStart(body[cursor.at]) || hasNumbers(body, cursor, levels - 1)) return true;
  return false;
}

/**
 * Returns the number of vectors in the member `data` of an embeddings response, without parsing it.
 * `body` must be valid JSON. `expected` is the number of inputs. The usual form of a response has
 * this many keys `embedding`, which a search finds much faster than a scan. In any other form, each
 * object counts as a vector, because some providers have vectors under other keys.
 * @example
 * countEmbeddingsVectors(Buffer.from('[{"embedding":[1]}]'), { start: 0, end: 19 }, 1); // 1
 */
export function countEmbeddingsVectors(body: Buffer, span: ByteSpan, expected: number): number {
  if (body[span.start] !== OPEN_BRACKET) return 0;
  const keys = countVectorKeys(body.subarray(span.start, span.end));
  return keys === expected && keys > 0 ? keys : countObjects(body, span);
}

function countVectorKeys(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(VECTOR_KEY); at >= 0; at = bytes.indexOf(VECTOR_KEY, at + 1)) {
    let next = at + VECTOR_KEY.length;
    while ((bytes[next] ?? COLON) <= SPACE) next += 1;
    if (bytes[next] === COLON) count += 1;
  }
  return count;
}

function countObjects(body: Uint8Array, span: ByteSpan): number {
  let count = 0;
  const cursor = new JsonCursor(body, span.start, span.end);
  cursor.enterArray();
  while (cursor.nextElement()) {
    if (body[cursor.at] === OPEN_BRACE) count += 1;
    cursor.skip();
  }
  return count;
}

function isNumberStart(byte = 0): boolean {
  return byte === MINUS || (byte >= ZERO && byte <= NINE);
}
