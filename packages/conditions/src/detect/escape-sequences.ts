const BACKSLASH = 0x5c;
const HEX_CODE = /^[0-9a-fA-F]{4}$/;

/** A text with decoded escape sequences. */
export interface UnescapedText {
  readonly text: string;
  /** Returns the offset in the original text of a character in `text`, or of the end of `text`. */
  originalOffset(at: number): number;
}

/**
 * Decodes the escape sequences of JSON and most programming languages in a text that may contain strings of them, such as
 * `Result: {"log":"a\nb"}`. Backslashes of nested strings count as one. Returns null if the text contains no escape
 * sequences.
 */
export function decodeEscapeSequences(text: string): UnescapedText | null {
  let decoded = '';
  /** The position of each escape sequence and of the text after it, in the decoded and in the original text. */
  const starts = [0];
  const originals = [0];
  let copied = 0;
  for (let start = text.indexOf('\\'); start !== -1; ) {
    let at = start + 1;
    while (text.charCodeAt(at) === BACKSLASH) at += 1;
    const sequence = readEscape(text, at);
    if (sequence !== null) {
      decoded += text.slice(copied, start);
      starts.push(decoded.length, decoded.length + 1);
      decoded += sequence.character;
      copied = at + sequence.length;
      originals.push(start, copied);
    }
    start = text.indexOf('\\', at);
  }
  if (copied === 0) return null;
  return {
    text: decoded + text.slice(copied),
    originalOffset(at) {
      const part = findLastAtMost(starts, at);
      return (originals[part] ?? 0) + at - (starts[part] ?? 0);
    },
  };
}

/** Reads the part of an escape sequence after its backslashes. Returns null if there is none. */
function readEscape(
  text: string,
  at: number,
): { readonly character: string; readonly length: number } | null {
  const letter = text.charAt(at);
  if (letter === 'u') {
    const code = text.slice(at + 1, at + 5);
    return HEX_CODE.test(code)
      ? { character: String.fromCharCode(Number.parseInt(code, 16)), length: 5 }
      : null;
  }
  if (letter !== '' && 'bfnrt'.includes(letter)) return { character: '\n', length: 1 };
  return letter !== '' && '"\'/'.includes(letter) ? { character: letter, length: 1 } : null;
}

/** Returns the index of the last entry of an ascending list that is at most `value`. */
function findLastAtMost(list: readonly number[], value: number): number {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((list[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
