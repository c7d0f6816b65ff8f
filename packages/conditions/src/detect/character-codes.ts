/**
 * Returns whether a character code is an ASCII digit. Returns false for -1, which is the code outside a text.
 */
export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Returns whether a character code is an ASCII letter. */
export function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Returns whether a character code is an ASCII letter or digit. */
export function isLetterOrDigit(code: number): boolean {
  return isDigit(code) || isLetter(code);
}

/** Returns whether a character can be part of a key or token: letters, digits, `_` and `-`. */
export function isTokenCharacter(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x5f || code === 0x2d;
}

/** `isTokenCharacter` by ASCII code. A lookup is faster than comparisons for a whole text. */
const TOKEN_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) => (isTokenCharacter(code) ? 1 : 0));

/** Returns the end of the token characters that start at `start`. */
export function findTokenEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 128 || TOKEN_CHARACTERS[code] === 0) break;
  }
  characterReadCounter.reads += at - start + 1;
  return at;
}

/** 1 for each ASCII code that requires a scan: letters, digits, `@`, `+`, `(`, `-`, `:`. */
const STARTING_CHARACTERS = Uint8Array.from({ length: 128 }, (_, code) =>
  isLetterOrDigit(code) || '@+(-:'.includes(String.fromCharCode(code)) ? 1 : 0,
);

/**
 * Returns the next position at or after `start` where a finding may begin. Returns the length of the text if
 * there is none.
 */
export function findCandidateStart(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 128 && STARTING_CHARACTERS[code] === 1) break;
  }
  characterReadCounter.reads += at - start + 1;
  return at;
}

/**
 * Counts the characters that this process has read. Tests use it to measure work (`scan.test.ts`).
 */
export const characterReadCounter = { reads: 0 };

/**
 * Returns the character code at `at`; -1 outside the text. Scans must read texts only with this
 * function, so that all reads are counted.
 */
export function readCharacterCode(text: string, at: number): number {
  characterReadCounter.reads += 1;
  return at >= 0 && at < text.length ? text.charCodeAt(at) : -1;
}
