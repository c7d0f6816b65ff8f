/** A function that returns whether a model id matches a pattern. */
export type ModelPatternMatcher = (text: string) => boolean;

/**
 * Returns a function that returns whether a model id matches any of the allowlist patterns. `*` matches any
 * characters, including `/`. Everything else is literal and case-sensitive. An empty list matches nothing.
 * Matching is greedy from the left without backtracking, which is sufficient for `*`. It takes one pass over
 * the id per pattern.
 */
export function compileModelPatterns(patterns: readonly string[]): ModelPatternMatcher {
  const exact = new Set<string>();
  const globs: (readonly string[])[] = [];
  for (const pattern of patterns) {
    if (pattern.includes('*')) globs.push(pattern.split('*'));
    else exact.add(pattern);
  }
  return (text) => exact.has(text) || globs.some((pieces) => matchesGlob(pieces, text));
}

/**
 * Returns whether a text matches a pattern. `pieces` are the literals between the wildcards: `a*b` is `['a',
 * 'b']`, and `*` is `['', '']`.
 */
function matchesGlob(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (!text.startsWith(first)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (let i = 1; i < pieces.length - 1; i++) {
    const piece = pieces[i] ?? '';
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= end && text.endsWith(last);
}
