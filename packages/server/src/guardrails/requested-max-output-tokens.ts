import { type ByteSpan, readNumberAt } from '@floe/wire/json-edits';

const OUTPUT_CAPS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/**
 * Returns the largest maximum of output tokens in a request; null if it has none. A request can contain several of
 * these fields, and providers differ in which one they apply. Reservations and policies therefore use the largest.
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
