/**
 * Splits typed text at commas and line breaks, and returns the trimmed, non-empty parts.
 * @param stored the entries before the change. An entry that the text still contains stays exactly as it is, also if it
 * contains commas.
 */
export function parseListInput(text: string, stored: readonly string[] = []): string[] {
  const known = new Map(stored.map((entry) => [toInputText(entry), entry]));
  // Each part is followed by the separator at which the text was split.
  const pieces = text.split(/([\n,])/);
  const found: string[] = [];
  let start = 0;
  while (start < pieces.length) {
    let end = known.size === 0 ? start + 1 : pieces.length;
    const join = () => toInputText(pieces.slice(start, end).join(''));
    while (end > start + 1 && !known.has(join())) end -= 2;
    const part = join();
    if (part !== '') found.push(known.get(part) ?? part);
    start = end + 1;
  }
  return found;
}

/** The text as an input field returns it, which removes line breaks, without the spaces around it. */
function toInputText(text: string): string {
  return text.replace(/[\r\n]/g, '').trim();
}
