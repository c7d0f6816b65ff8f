import { type ByteSpan, readNumberAt } from '@floe/wire/json-edits';

/** The fields that limit the number of output tokens, in all dialects. */
export const MAX_OUTPUT_TOKENS_FIELDS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/**
 * Returns the largest value of the fields that limit the number of output tokens, rounded up; 0 if none of them
 * is set. Returns undefined if `read` does so for one of the fields. A request can contain several of these
 * fields, and providers differ in which one they apply. Reservations and policies therefore use the largest.
 */
export function findLargestMaxOutputTokens(read: (name: string) => number | undefined): number | undefined {
  let largest = 0;
  for (const name of MAX_OUTPUT_TOKENS_FIELDS) {
    const value = read(name);
    if (value === undefined) return undefined;
    largest = Math.max(largest, value);
  }
  return Math.ceil(largest);
}

/** No model generates a longer output. */
const MAX_OUTPUT_TOKENS = 10_000_000;

/**
 * Returns the largest maximum number of output tokens that a request sets, at most 10 million; null if it sets none.
 */
export function findRequestedMaxOutputTokens({
  body,
  members,
}: {
  readonly body: Buffer;
  readonly members: ReadonlyMap<string, ByteSpan>;
}): number | null {
  const largest = findLargestMaxOutputTokens((name) => {
    const span = members.get(name);
    return Math.min((span && readNumberAt(body, span)) ?? 0, MAX_OUTPUT_TOKENS);
  });
  return largest || null;
}
