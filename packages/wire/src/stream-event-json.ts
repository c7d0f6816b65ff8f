import { Buffer } from 'node:buffer';
import type { Json } from '@floe/contract/json';
import { enforceMaxJsonComplexity } from './enforce-max-json-complexity.ts';
import { MAX_REQUEST_JSON_COMPLEXITY } from './json-complexity.ts';
import { tryParseExactJson, tryParseJson } from './json-narrowing.ts';

/** Shorter text cannot exceed the maximum complexity: `-0,` has the highest complexity for its length, 31. */
const UNCOUNTED_LENGTH = 90_000;

/**
 * Parses an event of a stream. Numbers keep their original notation only if the event contains one of
 * `members`. All other events are parsed with `JSON.parse`, which is faster. Returns undefined if the text is not JSON,
 * or if it is too complex.
 * @example
 * JSON.stringify(parseStreamEvent('{"input":1.50}', ['"input"'])); // '{"input":1.50}'
 * JSON.stringify(parseStreamEvent('{"index":1.50}', ['"input"'])); // '{"index":1.5}'
 */
export function parseStreamEvent(text: string, members: readonly string[]): Json | undefined {
  for (const member of members) if (text.includes(member)) return parseExactStreamEvent(text);
  return tryParseJson(text);
}

/**
 * Parses an event of a stream. Numbers keep their original notation. Returns undefined if the text is not JSON, or if it
 * is too complex.
 * @example
 * JSON.stringify(parseExactStreamEvent('{"input":1.50}')); // '{"input":1.50}'
 */
export function parseExactStreamEvent(text: string): Json | undefined {
  return isTooComplex(text) ? undefined : tryParseExactJson(text);
}

/** Returns true also for invalid or too deeply nested JSON, because its complexity is unknown. */
function isTooComplex(text: string): boolean {
  if (text.length < UNCOUNTED_LENGTH) return false;
  try {
    enforceMaxJsonComplexity(Buffer.from(text), MAX_REQUEST_JSON_COMPLEXITY);
    return false;
  } catch {
    return true;
  }
}
