const BACKSLASH = 0x5c;
const CHARACTER_CODE = /u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})/iy;
const MAX_CHARACTER_CODE = 0x10ffff;

/** A text with decoded escape sequences. */
export interface UnescapedText {
  readonly text: string;
  /** Returns the offset in the original text of a character in `text`, or of the end of `text`. */
  originalOffset(at: number): number;
}

/**
 * Decodes the escape sequences of JSON, JavaScript and Python in a text that may contain strings of them, such as
 * `Result: {"log":"a\nb"}`. Does not decode octal codes, `\U` and `\N`. Backslashes of nested strings count as one.
 * Returns null if the text contains no escape sequences.
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
      starts.push(decoded.length, decoded.length + sequence.character.length);
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

/**
 * Reads the part of an escape sequence after its backslashes. Letters for control characters count as `n`. Returns null
 * if there is none.
 */
function readEscape(
  text: string,
  at: number,
): { readonly character: string; readonly length: number } | null {
  const letter = text.charAt(at);
  if (letter === 'u' || letter === 'x') {
    CHARACTER_CODE.lastIndex = at;
    const [sequence = '', long, unit, byte] = CHARACTER_CODE.exec(text) ?? [];
    const code = Number.parseInt(long ?? unit ?? byte ?? '', 16);
    return code <= MAX_CHARACTER_CODE
      ? { character: String.fromCodePoint(code), length: sequence.length }
      : null;
  }
  if (letter !== '' && 'abefnrtv0'.includes(letter)) return { character: '\n', length: 1 };
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
