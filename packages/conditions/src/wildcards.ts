/** Returns whether a string matches at least one pattern. */
export type WildcardMatcher = (text: string) => boolean;

/**
 * Compiles patterns in which `*` matches any characters. Everything else is literal and case-insensitive,
 * because many file systems and shells do not distinguish `RM` from `rm`. Takes one pass per pattern, without
 * backtracking.
 * @example
 * const matches = compileWildcards(['rm *', 'gpt-5']);
 * matches('RM -rf /tmp'); // true
 * matches('gpt-5-mini'); // false
 */
export function compileWildcards(patterns: readonly string[]): WildcardMatcher {
  const exact = new Set<string>();
  const pieces: (readonly string[])[] = [];
  for (const pattern of patterns) {
    const lower = pattern.toLowerCase();
    if (lower.includes('*')) pieces.push(lower.split('*'));
    else exact.add(lower);
  }
  return (text) => {
    const lower = text.toLowerCase();
    return exact.has(lower) || pieces.some((between) => matchesPieces(between, lower));
  };
}

function matchesPieces(pieces: readonly string[], text: string): boolean {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length && text.endsWith(last);
}
