import { isDigit, isLetter, isLetterOrDigit, readCharacterCode } from './character-codes.ts';
import { endsUrlPassword } from './secrets.ts';

const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;

/** A sequence of digits in groups, such as `4111 1111 1111 1111`. */
export interface DigitRun {
  /** Start and end of each group. */
  readonly groups: readonly (readonly [start: number, end: number])[];
  /** The characters between the groups: one space, dash or dot each. */
  readonly separators: string;
  readonly end: number;
}

/** No number that a detector finds has more groups. The remaining digits are read as another run. */
const MAX_DIGIT_GROUPS = 12;

/** Minimum digits of a number in a run: those of a US social security number. */
const MIN_DIGITS = 9;

/**
 * Returns the end of the digit run that starts at `start` if the run is too short to contain any of the
 * numbers that detectors find. Otherwise, returns -1.
 */
export function findShortDigitRunEnd(text: string, start: number): number {
  let digits = 0;
  for (let at = start; ; at += 1) {
    const code = readCharacterCode(text, at);
    if (isDigit(code)) {
      digits += 1;
      if (digits === MIN_DIGITS) return -1;
    } else if (
      !(code === SPACE || code === DASH || code === DOT) ||
      !isDigit(readCharacterCode(text, at + 1))
    )
      return at;
  }
}

/** Reads the digit run that starts at `start`. */
export function readDigitRun(text: string, start: number): DigitRun {
  const groups: [number, number][] = [];
  let separators = '';
  let at = start;
  for (;;) {
    const from = at;
    while (isDigit(readCharacterCode(text, at))) at += 1;
    groups.push([from, at]);
    const between = readCharacterCode(text, at);
    const goesOn =
      (between === SPACE || between === DASH || between === DOT) && isDigit(readCharacterCode(text, at + 1));
    if (!goesOn || groups.length === MAX_DIGIT_GROUPS) return { groups, separators, end: at };
    separators += text.charAt(at);
    at += 1;
  }
}

const MIN_CARD_DIGITS = 13;

/**
 * Returns whether the digits can be a card number: the prefix and the length are valid (ISO/IEC 7812 and the
 * ranges of the card networks), the check digit is correct, and the digits are not all the same.
 */
export function isCardNumber(digits: string): boolean {
  const { length } = digits;
  const two = Number(digits.slice(0, 2));
  const four = Number(digits.slice(0, 4));
  const fits =
    (digits.startsWith('4') && (length === 13 || length === 16 || length === 19)) ||
    (((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) && length === 16) ||
    ((two === 34 || two === 37) && length === 15) ||
    ((two === 36 || two === 38 || two === 30) && length === 14) ||
    ((four === 6011 || two === 65 || two === 64 || two === 62 || two === 35) && length >= 16 && length <= 19);
  return fits && hasValidLuhnCheckDigit(digits) && !isRepeatedDigit(digits);
}

/** Returns whether the check digit of a card number is correct (ISO/IEC 7812-1, annex B). */
export function hasValidLuhnCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, double = false; at >= 0; at -= 1, double = !double) {
    const digit = digits.charCodeAt(at) - 0x30;
    sum += double ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
  }
  return sum % 10 === 0;
}

function isRepeatedDigit(digits: string): boolean {
  for (let at = 1; at < digits.length; at += 1) if (digits[at] !== digits[0]) return false;
  return true;
}

/** Returns the end of the longest card number that starts with group `first`, or -1. */
export function findCardNumberEnd(text: string, { groups, separators }: DigitRun, first: number): number {
  let digits = 0;
  let found = -1;
  for (let at = first; at < groups.length; at += 1) {
    const width = widthOf(groups, at);
    digits += width;
    if (digits > 19 || separators[at - 1] === '.') break;
    const end = groups[at]?.[1] ?? 0;
    // Groups of card numbers have four to six digits, except the last one.
    if (
      digits >= MIN_CARD_DIGITS &&
      isCardNumber(joinGroups(text, groups, first, at)) &&
      !isDecimal(text, end)
    )
      found = end;
    if (width < 4 || width > 6) break;
  }
  return found;
}

/** The number of digits of a group; 0 if there is no such group. */
function widthOf(groups: DigitRun['groups'], at: number): number {
  const group = groups[at];
  return group === undefined ? 0 : group[1] - group[0];
}

/** Returns the digits of the groups from `first` to `last`. */
function joinGroups(text: string, groups: DigitRun['groups'], first: number, last: number): string {
  let digits = '';
  for (let at = first; at <= last; at += 1) digits += text.slice(...(groups[at] ?? [0, 0]));
  return digits;
}

/** Returns whether three groups have 3, `second` and `third` digits. Most numbers are rejected here. */
function hasWidths(groups: DigitRun['groups'], first: number, second: number, third: number): boolean {
  return (
    widthOf(groups, first) === 3 &&
    widthOf(groups, first + 1) === second &&
    widthOf(groups, first + 2) === third
  );
}

function readGroups(
  text: string,
  groups: DigitRun['groups'],
  first: number,
): readonly [area: string, second: string, third: string] {
  const read = (at: number) => text.slice(...(groups[at] ?? [0, 0]));
  return [read(first), read(first + 1), read(first + 2)];
}

function isDecimal(text: string, end: number): boolean {
  return readCharacterCode(text, end) === DOT && isDigit(readCharacterCode(text, end + 1));
}

/**
 * Returns the end of the US social security number that starts with group `first`, or -1 if there is none.
 * Rejects numbers that were never assigned: area 000, 666 and 900 to 999, group 00, and serial 0000.
 */
export function findSsnEnd(text: string, { groups, separators }: DigitRun, first: number): number {
  if (!hasWidths(groups, first, 2, 4)) return -1;
  const [one, two] = [separators[first], separators[first + 1]];
  if (one !== two || one === '.') return -1;
  const [area, group, serial] = readGroups(text, groups, first);
  const isGiven = area !== '000' && area !== '666' && area < '900' && group !== '00' && serial !== '0000';
  return isGiven ? (groups[first + 2]?.[1] ?? -1) : -1;
}

/**
 * Returns the end of a phone number such as `212-555-0147`, which has groups of three, three and four digits
 * (North American Numbering Plan), or -1.
 */
export function findNorthAmericanPhoneNumberEnd(
  text: string,
  { groups, separators }: DigitRun,
  first: number,
): number {
  if (!hasWidths(groups, first, 3, 4) || separators[first] !== separators[first + 1]) return -1;
  const [area, exchange] = readGroups(text, groups, first);
  return area >= '200' && exchange >= '200' ? (groups[first + 2]?.[1] ?? -1) : -1;
}

/**
 * Returns the end of a phone number such as `+49 30 1234567` (E.164, 8 to 15 digits) or `(212) 555-0147` that
 * starts at `start`, or -1.
 */
export function findPhoneNumberEnd(text: string, start: number): number {
  const isInternational = readCharacterCode(text, start) === 0x2b;
  if (isInternational && !isDigit(readCharacterCode(text, start + 1))) return -1;
  if (!isInternational && !/^\([2-9]\d\d\) ?[2-9]\d\d[-. ]\d{4}/.test(text.slice(start, start + 14)))
    return -1;
  let digits = 0;
  let end = -1;
  let at = start + 1;
  for (let gap = 0; at < text.length; at += 1) {
    const code = readCharacterCode(text, at);
    if (isDigit(code)) {
      const group = findDigitsEnd(text, at);
      // Digits that would exceed the maximum length belong to another number.
      if (digits + group - at > 15) break;
      digits += group - at;
      end = group;
      at = group - 1;
      gap = 0;
    } else if (code === SPACE || code === DASH || code === DOT || code === 0x28 || code === 0x29) {
      gap += 1;
      if (gap > 2) break;
    } else break;
  }
  if (isLetterOrDigit(readCharacterCode(text, end))) return -1;
  return digits >= (isInternational ? 8 : 10) && readCharacterCode(text, start + 1) !== 0x30 ? end : -1;
}

/** Returns the end of the digits that start at `start`, after at most 20 digits. Phone numbers have fewer. */
function findDigitsEnd(text: string, start: number): number {
  let at = start;
  while (at - start < 20 && isDigit(readCharacterCode(text, at))) at += 1;
  return at;
}

const LOCAL_PART = new Set([0x2e, 0x5f, 0x25, 0x2b, 0x2d]);

/**
 * Returns the start and end of the email address whose `@` is at the position `at`, or null if there is none.
 * Applies the length limits of RFC 5321.
 */
export function findEmailAround(text: string, at: number): readonly [start: number, end: number] | null {
  let start = at;
  while (
    at - start < 64 &&
    (isLetterOrDigit(readCharacterCode(text, start - 1)) ||
      LOCAL_PART.has(readCharacterCode(text, start - 1)))
  )
    start -= 1;
  while (start < at && readCharacterCode(text, start) === DOT) start += 1;
  let end = at + 1;
  while (
    end - at < 255 &&
    (isLetterOrDigit(readCharacterCode(text, end)) ||
      readCharacterCode(text, end) === DOT ||
      readCharacterCode(text, end) === DASH)
  )
    end += 1;
  while (end > at && !isLetterOrDigit(readCharacterCode(text, end - 1))) end -= 1;
  let dot = end - 1;
  while (dot > at && isLetter(readCharacterCode(text, dot))) dot -= 1;
  // The part after the last dot must have at least two letters and nothing else.
  if (start === at || dot <= at + 1 || readCharacterCode(text, dot) !== DOT) return null;
  if (end - dot <= 2 || isRepositoryAddress(text, start, at, end)) return null;
  // The password of an FTP server can be an email address: `ftp://anonymous:ana@example.com@host`.
  return readCharacterCode(text, end) !== 0x40 && endsUrlPassword(text, at) ? null : [start, end];
}

/** Returns whether the text is the address of a repository, such as `git@host.example:path`. */
function isRepositoryAddress(text: string, start: number, at: number, end: number): boolean {
  return text.slice(start, at) === 'git' && readCharacterCode(text, end) === 0x3a;
}

/** Length of an IBAN by country (ISO 13616 registry). */
const IBAN_LENGTHS = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 ' +
    'FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 ' +
    'LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 ' +
    'SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/**
 * Returns the end of an IBAN that starts at `start`, or -1. The IBAN may have a space after every four
 * characters.
 */
export function findIbanEnd(text: string, start: number): number {
  if (!isDigit(readCharacterCode(text, start + 2)) || !isDigit(readCharacterCode(text, start + 3))) return -1;
  const length = IBAN_LENGTHS.get(text.slice(start, start + 2).toUpperCase());
  if (length === undefined) return -1;
  let written = '';
  let at = start;
  while (written.length < length) {
    const code = readCharacterCode(text, at);
    if (isLetterOrDigit(code)) written += text.charAt(at);
    else if (code !== SPACE || written.length % 4 !== 0) return -1;
    at += 1;
  }
  return !isLetterOrDigit(readCharacterCode(text, at)) && hasValidIbanCheckDigits(written.toUpperCase())
    ? at
    : -1;
}

/** Returns whether the check digits of an IBAN are correct (ISO 7064, MOD 97-10). */
export function hasValidIbanCheckDigits(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
