import { type ByteSpan, readNumberAt } from '@floe/wire/json-edits';

const OUTPUT_CAPS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/**
 * Returns the largest output maximum in a request; null if it has none. A request can contain several, and
 * providers differ in which one they apply, so that reservations and policies use the largest.
 */
export function findRequestedMaxOutputTokens({
  body,
  members,
}: {
  readonly body: Buffer;
  readonly members: ReadonlyMap<string, ByteSpan>;
}): number | null {
  const caps = OUTPUT_CAPS.map((name) => {
    const span = members.get(name);
    return (span && readNumberAt(body, span)) ?? 0;
  });
  const largest = Math.max(...caps.filter(Number.isFinite), 0);
  return largest > 0 ? Math.ceil(largest) : null;
}
