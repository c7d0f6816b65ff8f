import { RewrittenText } from './rewritten-text.ts';
import { ESCAPE } from './terminal-sequences.ts';

const BACKSLASH = 0x5c;
const CHARACTER_CODE = /u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2})/iy;
const MAX_CHARACTER_CODE = 0x10ffff;
/** Shell scripts write the start of a terminal sequence as `\033`. */
const OCTAL_ESCAPE = '033';

/**
 * Decodes the escape sequences of JSON, JavaScript, Python and shells in a text that may contain string literals of these languages, such
 * as `Result: {"log":"a\nb"}`. The only octal code that it decodes is `\033`. Does not decode `\U` or `\N`. Several backslashes of
 * nested strings count as one. Returns null if the text contains no escape sequences.
 */
export function decodeEscapeSequences(text: string): RewrittenText | null {
  const decoded = new RewrittenText(text);
  for (let start = text.indexOf('\\'); start !== -1; ) {
    let at = start + 1;
    while (text.charCodeAt(at) === BACKSLASH) at += 1;
    const sequence = readEscape(text, at);
    if (sequence !== null) decoded.replace(start, at + sequence.length, sequence.character);
    start = text.indexOf('\\', at);
  }
  return decoded.isUnchanged ? null : decoded;
}

/**
 * Reads the part of an escape sequence after its backslashes. Letters for control characters except `e` are decoded to a line feed. Returns null
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
  if (letter === 'e') return { character: ESCAPE, length: 1 };
  if (text.startsWith(OCTAL_ESCAPE, at)) return { character: ESCAPE, length: OCTAL_ESCAPE.length };
  if (letter !== '' && 'abfnrtv0'.includes(letter)) return { character: '\n', length: 1 };
  return letter !== '' && '"\'/'.includes(letter) ? { character: letter, length: 1 } : null;
}
