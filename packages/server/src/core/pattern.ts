export type Matcher = (text: string) => boolean;

/**
 * Compiles allowlist patterns of model ids into one test. `*` matches any run of characters, `/`
 * included; everything else is literal and case-sensitive. No patterns match nothing.
 *
 * The match is greedy from the left without backtracking, which is enough for `*` alone: one pass over
 * the id per pattern, whatever either of them contains.
 */
export function compilePatterns(patterns: readonly string[]): Matcher {
  const exact = new Set<string>();
  const globs: (readonly string[])[] = [];
  for (const pattern of patterns) {
    if (pattern.includes('*')) globs.push(pattern.split('*'));
    else exact.add(pattern);
  }
  return (text) => exact.has(text) || globs.some((pieces) => matchesGlob(pieces, text));
}

/** `pieces` are the literals around the stars: `a*b` is `['a', 'b']`, `*` is `['', '']`. */
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
