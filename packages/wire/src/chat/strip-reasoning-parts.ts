import { isJsonObject } from '@floe/contract/json';
import { isNonEmpty } from '../json-narrowing.ts';
import { parseExactStreamEvent } from '../stream-event-json.ts';

const REASONING_PARTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/**
 * Returns the JSON of a content array without its reasoning parts. If only text without other information is left,
 * returns a string, as clients of this dialect expect. Otherwise, if nothing was removed, returns the original array.
 */
export function stripReasoningParts(arrayText: string): string {
  // Text with too many values for exact parsing loses only the notation of its numbers.
  const value: unknown = parseExactStreamEvent(arrayText) ?? JSON.parse(arrayText);
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  const left = parts.filter((part) => !(isJsonObject(part) && REASONING_PARTS.has(part.type)));
  const texts = left.map(readPlainText);
  if (texts.every((text) => text !== undefined)) return JSON.stringify(texts.join(''));
  return left.length === parts.length ? arrayText : JSON.stringify(left);
}

/** Returns the text of a part whose other members are all empty; undefined for any other part. */
function readPlainText(part: unknown): string | undefined {
  if (!isJsonObject(part) || part.type !== 'text' || typeof part.text !== 'string') return undefined;
  const isPlain = Object.entries(part).every(
    ([name, value]) => name === 'type' || name === 'text' || !isNonEmpty(value),
  );
  return isPlain ? part.text : undefined;
}
