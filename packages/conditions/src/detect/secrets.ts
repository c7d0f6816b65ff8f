import { isLetterOrDigit, isTokenCharacter, readCharacterCode } from './character-codes.ts';

/**
 * Prefixes of keys and the minimum number of characters that follow, from the documentation of providers and
 * public lists of secret scanners. Tokens consist of letters, digits, `_` and `-`.
 */
const KEY_PREFIXES: readonly (readonly [prefix: string, atLeast: number])[] = (
  ' eis_:32 sk-eis_:32 sk-proj-:32 sk-ant-:32 sk-svcacct-:32 sk-or-v1-:32 sk-:32 gsk_:32 xai-:40 pplx-:32 r8_:32 ' +
  'hf_:30 nvapi-:40 ghp_:36 gho_:36 ghu_:36 ghs_:36 ghr_:36 github_pat_:40 glpat-:20 gldt-:20 glrt-:20 ' +
  'xoxb-:20 xoxp-:20 xoxa-:20 xoxr-:20 xoxs-:20 xapp-:20 sk_live_:16 rk_live_:16 sk_test_:16 rk_test_:16 ' +
  'whsec_:24 npm_:36 pypi-:40 dop_v1_:60 lin_api_:32 shpat_:32 shpss_:32 dapi:32 PMAK-:40 hvs:0 ' +
  'AIza:35 AKIA:16 ASIA:16 ABIA:16 ACCA:16 AGE-SECRET-KEY-1:50 sntrys_:32 figd_:32 tfp_:32 rubygems_:40'
)
  .trim()
  .split(' ')
  .map((entry) => entry.split(':'))
  .filter(([, atLeast]) => atLeast !== '0')
  .map(([prefix = '', atLeast]) => [prefix, Number(atLeast)]);

/** The minimum length of a key with a known prefix, in characters and including the prefix. */
export const MIN_API_KEY_CHARS = Math.min(
  ...KEY_PREFIXES.map(([prefix, atLeast]) => prefix.length + atLeast),
);

const PREFIXES_BY_FIRST_CHARACTER = new Map<string, (readonly [string, number])[]>();
for (const entry of KEY_PREFIXES) {
  const first = entry[0].charAt(0);
  PREFIXES_BY_FIRST_CHARACTER.set(first, [...(PREFIXES_BY_FIRST_CHARACTER.get(first) ?? []), entry]);
}
/** The part after these prefixes has exactly this many capital letters and digits. */
const AWS_KEY_ID = /^(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}$/;

/** Returns whether the token from `start` to `end` has the prefix and length of a known kind of key. */
export function hasKnownKeyFormat(text: string, start: number, end: number): boolean {
  const candidates = PREFIXES_BY_FIRST_CHARACTER.get(text.charAt(start));
  if (candidates === undefined) return false;
  for (const [prefix, atLeast] of candidates) {
    if (!text.startsWith(prefix, start)) continue;
    const rest = end - start - prefix.length;
    if (rest < atLeast) continue;
    if (prefix.length === 4 && atLeast === 16) return AWS_KEY_ID.test(text.slice(start, end));
    return looksRandom(text, start + prefix.length, end);
  }
  return false;
}

/**
 * Returns whether a token mixes digits and letters as a key does. Words, `xxxx` and `your-key-here` do not.
 */
function looksRandom(text: string, start: number, end: number): boolean {
  let digits = 0;
  let changes = 0;
  for (let at = start; at < end; at += 1) {
    const code = readCharacterCode(text, at);
    if (code >= 0x30 && code <= 0x39) digits += 1;
    if (at > start && code !== readCharacterCode(text, at - 1)) changes += 1;
  }
  return digits > 0 && changes * 2 > end - start;
}

/**
 * Returns the end of the JSON Web Token (RFC 7519) that starts at `start`, or -1 if there is none. A token has
 * three base64url parts. The first two parts start like JSON objects.
 * @param firstEnd The end of the first part.
 */
export function findJwtEnd(text: string, start: number, firstEnd: number): number {
  if (!text.startsWith('eyJ', start) || readCharacterCode(text, firstEnd) !== 0x2e) return -1;
  if (!text.startsWith('eyJ', firstEnd + 1)) return -1;
  let at = firstEnd + 1;
  while (isTokenCharacter(readCharacterCode(text, at))) at += 1;
  if (readCharacterCode(text, at) !== 0x2e) return -1;
  at += 1;
  const signature = at;
  while (isTokenCharacter(readCharacterCode(text, at))) at += 1;
  return at - signature >= 16 ? at : -1;
}

const PEM = '-----BEGIN ';
const PEM_BOUNDARY = '-----';
const PEM_HEAD_CHARS = 64;
/** A head of a key can be followed by lines such as `Proc-Type: 4,ENCRYPTED`. */
const PEM_HEAD =
  /^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?:[\s"'+,>|#]|\\[nr]){1,40}[A-Z][A-Za-z-]{1,30}: [^\r\n\\"']{0,99}){0,5}/;
const PEM_HEAD_AND_LINES_CHARS = 640;
const PEM_FOOT = /^[\s\S]{0,160}?-----END [A-Z0-9 ]{0,48}-----/;
const PEM_CHARS = 32 * 1024;
const MIN_PEM_RUN_CHARS = 16;
/** A line of this length is a line of a key even after the time and the source of a log entry. */
const FULL_PEM_RUN_CHARS = 40;
/** What can follow a name or an abbreviated text, but not a line of a key. */
const AFTER_NAME = /^(?:[._-][.\w]|:\d|\()/;
const MIXED = /^(?=.*\d)(?=.*[A-Z])(?=.*[a-z])/;
/**
 * Characters between the lines of a key, such as quotes, commas, line numbers and escape sequences, without
 * blanks.
 */
const MAX_PEM_GAP_CHARS = 12;
const MAX_LOG_PREFIX_CHARS = 64;
const MAX_GAP_WITH_BLANKS_CHARS = 160;

/**
 * Returns the end of a PEM private key (RFC 7468) that starts at `start`, or -1. The head alone is not a key: source
 * code and documents name it. For a truncated key, returns the end of the part that is present.
 */
export function findPrivateKeyEnd(text: string, start: number): number {
  if (!text.startsWith(PEM, start)) return -1;
  if (!text.slice(start, start + PEM_HEAD_CHARS).includes('PRIVATE KEY')) return -1;
  const head = PEM_HEAD.exec(text.slice(start, start + PEM_HEAD_AND_LINES_CHARS))?.[0];
  if (head === undefined) return -1;
  let end = -1;
  for (let at = start + head.length; at - start < PEM_CHARS; ) {
    const run = findPemRunStart(text, at, end === -1);
    if (run === -1) break;
    at = findBase64End(text, run, start + PEM_CHARS);
    end = at;
  }
  return end === -1 ? -1 : findPemFootEnd(text, end);
}

/** Returns the start of the next line of a key, or -1 if too much other text precedes it. */
function findPemRunStart(text: string, start: number, isFirst: boolean): number {
  let others = 0;
  for (let at = start; at - start <= MAX_GAP_WITH_BLANKS_CHARS && others <= MAX_LOG_PREFIX_CHARS; ) {
    const code = readCharacterCode(text, at);
    // The foot of the key, or the head of other data. Otherwise, each head would read all keys after it.
    if (code === -1 || text.startsWith(PEM_BOUNDARY, at)) return -1;
    const end = findBase64End(text, at, at + FULL_PEM_RUN_CHARS);
    const isLine =
      (end - at >= MIN_PEM_RUN_CHARS && others <= MAX_PEM_GAP_CHARS) ||
      (end - at === FULL_PEM_RUN_CHARS && MIXED.test(text.slice(at, end)));
    if (isLine && (!isFirst || isFirstPemLine(text, at, end))) return at;
    if (code > 0x20) others += Math.max(1, end - at);
    at = Math.max(at + 1, end);
  }
  return -1;
}

/** Returns whether a run can begin a key. A word, and a path such as `src/oauth2/PrivateKeys.java`, cannot. */
function isFirstPemLine(text: string, start: number, end: number): boolean {
  if (!MIXED.test(text.slice(start, end))) return false;
  const lineEnd = findBase64End(text, end, start + MAX_GAP_WITH_BLANKS_CHARS);
  return !AFTER_NAME.test(text.slice(lineEnd, lineEnd + 2));
}

function findBase64End(text: string, start: number, limit: number): number {
  let at = start;
  while (at < limit && isBase64Character(readCharacterCode(text, at))) at += 1;
  return at;
}

function isBase64Character(code: number): boolean {
  return isLetterOrDigit(code) || code === 0x2b || code === 0x2f || code === 0x3d;
}

/** Returns the end of the last, shorter line of a key and of the line after it, or `end` if there is none. */
function findPemFootEnd(text: string, end: number): number {
  const rest = text.slice(end, end + PEM_HEAD_CHARS + 160);
  const foot = PEM_FOOT.exec(rest)?.[0];
  if (foot !== undefined) return end + foot.length;
  // The last line of a truncated key can have any length.
  return /^[A-Za-z0-9+/=\s]*$/.test(rest) && rest.length < MIN_PEM_RUN_CHARS ? text.length : end;
}

const SCHEME_REST = '://';
const USERINFO_CHARS = 256;

/**
 * Returns the start and end of the password in a URL such as `scheme://user:password@host`, or null if there is
 * none.
 * @param colon The position of the `:` after the scheme.
 */
export function findUrlPassword(text: string, colon: number): readonly [start: number, end: number] | null {
  const span = findUrlPasswordSpan(text, colon);
  return span && !PLACEHOLDER.test(text.slice(...span)) ? span : null;
}

function findUrlPasswordSpan(text: string, colon: number): readonly [start: number, end: number] | null {
  if (!text.startsWith(SCHEME_REST, colon) || !isLetterOrDigit(readCharacterCode(text, colon - 1)))
    return null;
  let password = -1;
  for (let at = colon + SCHEME_REST.length; at - colon < USERINFO_CHARS; at += 1) {
    const code = readCharacterCode(text, at);
    if (code === 0x40) return password > 0 && at > password ? [password, at] : null;
    if (code === 0x3a && password === -1) password = at + 1;
    if (code <= 0x20 || URL_ENDS.has(code)) return null;
    if (password > 0 && LIST_MARKS.has(code) && PORT.test(text.slice(password, at))) return null;
  }
  return null;
}

/** Returns whether the `@` at `at` ends the password of a URL, so that `password@host` is not an email address. */
export function endsUrlPassword(text: string, at: number): boolean {
  const from = Math.max(0, at - USERINFO_CHARS);
  const colon = text.slice(from, at).lastIndexOf(SCHEME_REST);
  return colon !== -1 && findUrlPasswordSpan(text, from + colon)?.[1] === at;
}

/** Characters that are not allowed before the `@` of a URL. */
const URL_ENDS = toCodes('/"?#`<>{}\\');
/** Characters that follow a URL in a list. A password can contain them. */
const LIST_MARKS = toCodes("'),;]|");
const PORT = /^\d{2,5}$/;
/**
 * Placeholders such as `$PASSWORD`, `$dbPassword`, `$1`, `$env:TOKEN`, `$(cat file)`, `%s`, `%2$s`, `%(password)s`,
 * `%PASSWORD%`, `***` or `[redacted…]`, and the end of a string that code joins with another.
 */
const PLACEHOLDER =
  /^(?:[[*]|\${1,2}(?:\(|\d$|env:\w+$|[A-Z_][A-Z0-9_]*$|[A-Za-z_]+\d?$)|%(?:\d\$|\[\d\])?(?:[@dqsv]$|s[^A-Za-z0-9]|\(|[A-Za-z_]\w*%$)|'(?:\+|\.\$|\|\|))/;

function toCodes(characters: string): ReadonlySet<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)));
}

/** An assignment to a name whose value is always secret. The value has the length of an AWS secret key. */
const ASSIGNED =
  /^(?:aws_)?secret_access_key["']?\s{0,3}[:=]\s{0,3}["']?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/i;

/**
 * Returns the start and end of the value in an assignment such as `aws_secret_access_key = …`. Returns null if
 * the token from `start` to `end` is not the name of an AWS secret key.
 */
export function findAssignedAwsSecretKey(
  text: string,
  start: number,
  end: number,
): readonly [start: number, end: number] | null {
  // Its length distinguishes it from most other words.
  if (end - start !== 17 && end - start !== 21) return null;
  const found = ASSIGNED.exec(text.slice(start, start + 80));
  const value = found?.[1];
  if (found === null || value === undefined) return null;
  const to = start + found[0].length;
  return [to - value.length, to];
}
