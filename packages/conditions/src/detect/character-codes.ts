/**
 * Returns whether a character code is an ASCII digit. Returns false for -1, which is the code of a
 * position outside the string.
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

/** Returns the position after the last of the consecutive token characters that start at `start`. */
export function findTokenEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 128 || TOKEN_CHARACTERS[code] === 0) break;
  }
  characterReadCounter.reads += at - start + 1;
  return at;
}

/** The kinds of findings that a scan searches for. They determine which characters the scan can skip. */
export interface ScannedFindingKinds {
  readonly secrets: boolean;
  readonly ibans: boolean;
  readonly emails: boolean;
  readonly phones: boolean;
}

const [OTHER, LETTER, DIGIT, AT_SIGN, PHONE_START, DASH, COLON] = [0, 1, 2, 3, 4, 5, 6];

/** The class of each ASCII code. A finding begins at a character whose class is not `OTHER`. */
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  if (isLetter(code)) return LETTER;
  if (isDigit(code)) return DIGIT;
  return (
    { '@': AT_SIGN, '+': PHONE_START, '(': PHONE_START, '-': DASH, ':': COLON }[String.fromCharCode(code)] ??
    OTHER
  );
});

/** No shorter word is a key or the name of a secret. JSON Web Tokens are recognized by their start. */
const MIN_SECRET_WORD_CHARS = 17;

/**
 * Returns the first position at or after `start` where a finding may begin, or the length of the text if there
 * is none.
 */
export function findCandidateStart(
  text: string,
  start: number,
  { secrets, ibans, emails, phones }: ScannedFindingKinds,
): number {
  const { length } = text;
  let at = start;
  while (at < length) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? CLASSES[code] : OTHER;
    if (kind === LETTER) {
      let end = at + 1;
      for (; end < length; end += 1) {
        const next = text.charCodeAt(end);
        if (next >= 128 || TOKEN_CHARACTERS[next] === 0) break;
      }
      if (
        secrets &&
        (end - at >= MIN_SECRET_WORD_CHARS || (code === 0x65 && text.charCodeAt(at + 1) === 0x79))
      )
        break;
      if (ibans && end - at > 3 && isDigit(text.charCodeAt(at + 2))) break;
      at = end;
      continue;
    }
    if (kind === DIGIT) break;
    if (kind === DASH) {
      if (secrets && text.charCodeAt(at + 1) === 0x2d) break;
    } else if (kind === COLON) {
      if (secrets && text.charCodeAt(at + 1) === 0x2f) break;
    } else if (kind === AT_SIGN) {
      if (emails) break;
    } else if (kind === PHONE_START && phones) break;
    at += 1;
  }
  characterReadCounter.reads += at - start + 1;
  return at < length ? at : length;
}

/**
 * Counts the characters that scans in this process have read. Tests use the counter to measure the work of a
 * scan.
 */
export const characterReadCounter = { reads: 0 };

/**
 * Returns the UTF-16 code at the position `at`, or -1 if the position is outside the string. Counts the read in
 * `characterReadCounter`.
 */
export function readCharacterCode(text: string, at: number): number {
  characterReadCounter.reads += 1;
  return at >= 0 && at < text.length ? text.charCodeAt(at) : -1;
}
