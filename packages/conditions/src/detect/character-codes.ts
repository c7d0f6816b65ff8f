/** What the detectors ask of a character code; -1 stands for the edge of the text. */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

export function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

export function isLetterOrDigit(code: number): boolean {
  return isDigit(code) || isLetter(code);
}

/** Letters, digits, `_` and `-`: what keys and tokens are written in. */
export function isTokenCharacter(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x5f || code === 0x2d;
}

/** By ASCII code: 1 for `isTokenCharacter`. A look-up is cheaper than the comparisons for a whole text. */
const TOKEN_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) => (isTokenCharacter(code) ? 1 : 0));

/** The end of the run of token characters that begins at `start`. */
export function findTokenEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 128 || TOKEN_CHARACTERS[code] === 0) break;
  }
  characterReadCounter.reads += at - start + 1;
  return at;
}

/** By ASCII code: 1 where something that is looked for may begin or turn: letters, digits, `@`, `+`, `(`, `-`, `:`. */
const STARTING_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) =>
  isLetterOrDigit(code) || '@+(-:'.includes(String.fromCharCode(code)) ? 1 : 0,
);

/** The next position at or after `start` where something may begin; the length of the text when there is none. */
export function findStart(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 128 && STARTING_CHARACTERS[code] === 1) break;
  }
  characterReadCounter.reads += at - start + 1;
  return at;
}

/** Characters read so far in this process: the measure of how much work a text makes (`scan.test.ts`). */
export const characterReadCounter = { reads: 0 };

/** The code at `at`; -1 outside of the text. Every look at a text goes through here, so that work can be counted. */
export function readCharacterCode(text: string, at: number): number {
  characterReadCounter.reads += 1;
  return at >= 0 && at < text.length ? text.charCodeAt(at) : -1;
}
