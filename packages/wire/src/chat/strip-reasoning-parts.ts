import { isJsonObject } from '@floe/contract/json';

const REASONING_PARTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/**
 * Returns the JSON of a content array without its reasoning parts. If only text is left, returns a string, as
 * clients of this dialect expect. Otherwise, if nothing was removed, returns the original array.
 */
export function stripReasoningParts(arrayText: string): string {
  const value: unknown = JSON.parse(arrayText);
  const parts: readonly unknown[] = Array.isArray(value) ? value : [];
  const left = parts.filter((part) => !(isJsonObject(part) && REASONING_PARTS.has(part.type)));
  const texts = left.map((part) => (isJsonObject(part) && part.type === 'text' ? part.text : undefined));
  if (texts.every((text) => typeof text === 'string')) return JSON.stringify(texts.join(''));
  return left.length === parts.length ? arrayText : JSON.stringify(left);
}
