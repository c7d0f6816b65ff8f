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

/** Characters read so far in this process: the measure of how much work a text makes (`scan.test.ts`). */
export const characterReadCounter = { reads: 0 };

/** The code at `at`; -1 outside of the text. Every look at a text goes through here, so that work can be counted. */
export function readCharacterCode(text: string, at: number): number {
  characterReadCounter.reads += 1;
  return at >= 0 && at < text.length ? text.charCodeAt(at) : -1;
}
