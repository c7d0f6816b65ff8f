/**
 * Compiles a pattern in which `*` stands for any characters, `/` included, and everything else for
 * itself. Matching is linear: each literal piece is searched once, left to right, with no backtracking.
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  const pieces = pattern.split('*');
  const head = pieces[0] ?? '';
  const tail = pieces.at(-1) ?? '';
  if (pieces.length === 1) return (text) => text === pattern;
  const middle = pieces.slice(1, -1).filter((piece) => piece !== '');
  return (text) => {
    if (text.length < head.length + tail.length || !text.startsWith(head) || !text.endsWith(tail))
      return false;
    let at = head.length;
    const end = text.length - tail.length;
    for (const piece of middle) {
      const found = text.indexOf(piece, at);
      if (found === -1 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}

/** One matcher for a list of patterns; an exact entry costs one set look-up. */
export function compilePatterns(patterns: readonly string[]): (text: string) => boolean {
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const open = patterns.filter((pattern) => pattern.includes('*')).map(compilePattern);
  return (text) => exact.has(text) || open.some((matches) => matches(text));
}
