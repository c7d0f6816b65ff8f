import { Fault } from '@floe/contract/faults';

/**
 * The maximum nesting depth of a body. Recursive code exhausts the stack at several thousand
 * levels.
 */
export const MAX_JSON_DEPTH = 100;

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = Buffer.from('"\\[]{}');
const ZERO = 0x30;

/**
 * Parses the body of an API request. An empty body counts as absent, because some clients label every request
 * as JSON.
 * @param deepValues Whether lists and maps below the maximum depth make the body invalid, or are replaced with 0.
 * @throws Fault `invalid_json`; `invalid_request` for a body nested deeper than `MAX_JSON_DEPTH`
 */
export function parseJsonBody(body: Buffer, deepValues: 'reject' | 'cut' = 'reject'): unknown {
  if (body.length === 0) return undefined;
  const shallow = cutDeepValues(body, MAX_JSON_DEPTH);
  if (shallow !== body && deepValues === 'reject')
    throw new Fault('invalid_request', `The body must be nested at most ${MAX_JSON_DEPTH} levels deep.`);
  try {
    return JSON.parse(UTF8.decode(shallow));
  } catch (cause) {
    throw new Fault('invalid_json', 'The body must be valid JSON in UTF-8.', { cause });
  }
}

/**
 * Replaces the lists and maps below the maximum depth with 0. Returns the same buffer if there are none. Scans the bytes
 * once. Brackets in strings do not count.
 */
function cutDeepValues(json: Buffer, limit: number): Buffer {
  let depth = 0;
  let inString = false;
  let kept: Buffer | null = null;
  let length = 0;
  let from = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_LIST || byte === OPEN_MAP) {
      depth += 1;
      if (depth !== limit + 1) continue;
      kept ??= Buffer.allocUnsafe(json.length);
      length += json.copy(kept, length, from, at);
      kept[length++] = ZERO;
      from = json.length;
    } else if (byte === CLOSE_LIST || byte === CLOSE_MAP) {
      if (depth === limit + 1) from = at + 1;
      depth -= 1;
    }
  }
  if (kept === null) return json;
  length += json.copy(kept, length, from);
  return kept.subarray(0, length);
}
