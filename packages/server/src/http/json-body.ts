import { Fault } from '@floe/contract/faults';

/**
 * The maximum nesting depth of a body. Recursive code exhausts the stack at several thousand
 * levels.
 */
export const MAX_JSON_DEPTH = 100;

const UTF8 = new TextDecoder('utf-8', { fatal: true });
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = Buffer.from('"\\[]{}');

/**
 * Parses the body of an API request. An empty body counts as absent, because some clients label every request
 * as JSON.
 *
 * @throws Fault `invalid_json`; `invalid_request` for a body nested deeper than `MAX_JSON_DEPTH`
 */
export function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (isDeeperThan(body, MAX_JSON_DEPTH))
    throw new Fault('invalid_request', `The body must be nested at most ${MAX_JSON_DEPTH} levels deep.`);
  try {
    return JSON.parse(UTF8.decode(body));
  } catch (cause) {
    throw new Fault('invalid_json', 'The body must be valid JSON in UTF-8.', { cause });
  }
}

/** Scans the bytes once. Brackets in strings do not count. */
function isDeeperThan(json: Buffer, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (inString) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === OPEN_LIST || byte === OPEN_MAP) {
      depth += 1;
      if (depth > limit) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_MAP) depth -= 1;
  }
  return false;
}
