import { decodeBase64Text, isBase64Blob, isWrappedBase64 } from './base64-blobs.ts';
import type { CleanTextSet, WritableCleanTextSet } from './clean-text-set.ts';
import {
  closeLastJsonString,
  findJsonNumberEnd,
  findJsonStringEnd,
  isJsonMemberName,
  isJsonObjectOrArray,
  startsLikeJson,
} from './json-tokens.ts';
import { ScanMeter } from './scan-meter.ts';
import { type Finding, type FindingKind, SensitiveDataScan } from './sensitive-data-scan.ts';

export type { CleanTextSet, WritableCleanTextSet } from './clean-text-set.ts';

/** The number of findings by kind. */
export type FindingCounts = Map<FindingKind, number>;

/** Scanning a shorter string is faster than a lookup. */
const MIN_REMEMBERED_CHARS = 512;
/** Maximum nesting of JSON in strings, such as tool arguments. Deeper JSON is scanned as plain text. */
const MAX_NESTED_JSON = 3;
const MAX_PASSES = 4;
const QUOTE = 0x22;
/** Minimum digits of a card number. Cards are the only findings that occur as JSON numbers. */
const NUMBER_DIGITS = 13;

/**
 * Counts findings in the strings of a JSON text, including JSON that is nested in strings. Skips member names
 * and blobs such as images and signatures (long base64 values).
 * @param json well-formed JSON
 * @example
 * countFindingsInJson('{"to":"ana@example.com"}', new Set(['email'])); // new Map([['email', 1]])
 */
export function countFindingsInJson(
  json: string,
  wanted: ReadonlySet<FindingKind>,
  cleanTexts?: WritableCleanTextSet,
): FindingCounts {
  const found: FindingCounts = new Map();
  new Redactor(wanted, found, { known: cleanTexts, added: cleanTexts }).json(json, 0);
  return found;
}

/**
 * Counts findings in a string. The string can be JSON.
 * @throws ScanLimitExceededError if there is a meter with a limit
 * @example
 * countFindingsInText('mail to ana@example.com', new Set(['email'])); // new Map([['email', 1]])
 */
export function countFindingsInText(
  text: string,
  wanted: ReadonlySet<FindingKind>,
  meter?: ScanMeter,
): FindingCounts {
  const found: FindingCounts = new Map();
  new Redactor(wanted, found, { meter }).text(text, 0);
  return found;
}

/** JSON text in which findings have been replaced. */
export interface RedactedJson {
  /** Well-formed, and equal to the input except for the replaced values. */
  readonly json: string;
  readonly counts: FindingCounts;
}

/** Settings of `redactJson`. */
export interface RedactJsonOptions {
  /** Strings without findings, which are not scanned. */
  readonly cleanTexts?: CleanTextSet;
  /** Limits the characters that are read. Default: no limit. */
  readonly meter?: ScanMeter | undefined;
}

/**
 * Replaces every finding that `countFindingsInJson` counts. The replacement is `[redacted:<kind>]`.
 * @throws ScanLimitExceededError if there is a meter with a limit
 * @example
 * redactJson('{"to":"ana@example.com"}', new Set(['email'])).json; // '{"to":"[redacted:email]"}'
 */
export function redactJson(
  json: string,
  wanted: ReadonlySet<FindingKind>,
  { cleanTexts, meter }: RedactJsonOptions = {},
): RedactedJson {
  const found: FindingCounts = new Map();
  return { json: new Redactor(wanted, found, { known: cleanTexts, meter }).json(json, 0), counts: found };
}

/** The number of findings in a JSON text, the strings with findings, and the text with the findings replaced. */
export interface JsonScanResult extends RedactedJson {
  /** Each string with findings, and their kinds in the order of the text. */
  readonly stringsWithFindings: ReadonlyMap<string, readonly FindingKind[]>;
}

/** Settings of `scanJson`. */
export interface JsonScanOptions extends RedactJsonOptions {
  /** Strings without findings, which are not scanned again. The scan adds the clean strings that it finds. */
  readonly cleanTexts?: WritableCleanTextSet;
}

/**
 * Counts, locates and replaces findings in a single scan. The counts and the redacted text are the same as
 * those of `redactJson`.
 * @throws ScanLimitExceededError if there is a meter with a limit
 * @example
 * scanJson('{"to":"ana@example.com"}', new Set(['email'])).counts; // new Map([['email', 1]])
 */
export function scanJson(
  json: string,
  wanted: ReadonlySet<FindingKind>,
  { cleanTexts, meter }: JsonScanOptions = {},
): JsonScanResult {
  const found: FindingCounts = new Map();
  const strings = new Map<string, readonly FindingKind[]>();
  const memory = { known: cleanTexts, added: cleanTexts, strings, meter };
  const redacted = new Redactor(wanted, found, memory).json(json, 0);
  return { json: redacted, counts: found, stringsWithFindings: strings };
}

/**
 * Replaces every finding in a string with `[redacted:<kind>]`. The string can be JSON.
 * @example
 * redactText('mail to ana@example.com', new Set(['email'])).text; // 'mail to [redacted:email]'
 */
export function redactText(
  text: string,
  wanted: ReadonlySet<FindingKind>,
): { text: string; found: FindingCounts } {
  const found: FindingCounts = new Map();
  const walk = new Redactor(wanted, found);
  if (isJsonObjectOrArray(text)) return { text: walk.json(text, 0), found };
  return { text: walk.text(walk.truncatedJson(text, 0), MAX_NESTED_JSON), found };
}

interface RedactorMemory {
  readonly known?: CleanTextSet | undefined;
  readonly added?: WritableCleanTextSet | undefined;
  readonly strings?: Map<string, readonly FindingKind[]>;
  readonly meter?: ScanMeter | undefined;
}

class Redactor {
  readonly #wanted: ReadonlySet<FindingKind>;
  #found: FindingCounts;
  readonly #memory: RedactorMemory;
  /** The findings of the current string of the body. */
  readonly #own: FindingCounts = new Map();
  /** Whether the text is truncated, so that JSON in its last string is truncated, too. */
  #isTruncated = false;
  readonly #meter: ScanMeter;

  constructor(wanted: ReadonlySet<FindingKind>, found: FindingCounts, memory: RedactorMemory = {}) {
    this.#wanted = wanted;
    this.#found = found;
    this.#memory = memory;
    this.#meter = memory.meter ?? new ScanMeter();
  }

  /** Returns the JSON text without the findings. */
  json(json: string, depth: number): string {
    let out = '';
    let copied = 0;
    let at = 0;
    // Numbers of the root object are parameters, such as a seed.
    let level = 0;
    while (at < json.length) {
      const code = json.charCodeAt(at);
      const start = at;
      if (code === QUOTE) at = findJsonStringEnd(json, at);
      else if ((code >= 0x30 && code <= 0x39) || code === 0x2d) at = findJsonNumberEnd(json, at);
      else {
        if (code === 0x7b || code === 0x5b) level += 1;
        else if (code === 0x7d || code === 0x5d) level -= 1;
        at += 1;
        continue;
      }
      const token = json.slice(start, at);
      const redacted =
        code === QUOTE ? this.#string(json, token, at, depth) : this.#number(token, level + depth);
      if (redacted === token) continue;
      out += json.slice(copied, start) + redacted;
      copied = at;
    }
    return copied === 0 ? json : out + json.slice(copied);
  }

  /**
   * Returns the start of a JSON text without the findings in its strings. An escape sequence such as `\n` hides
   * what follows it from a scan of the whole text. Returns any other text unchanged.
   */
  truncatedJson(text: string, depth: number): string {
    if (!startsLikeJson(text)) return text;
    this.#isTruncated = true;
    const before = [...this.#found];
    const closed = closeLastJsonString(text);
    try {
      const redacted = this.json(closed ?? text, depth);
      return closed === null ? redacted : redacted.slice(0, -1);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      this.#found.clear();
      for (const [kind, count] of before) this.#found.set(kind, count);
      return text;
    }
  }

  /** Returns a string without the findings. */
  text(text: string, depth: number): string {
    const isBlob = isBase64Blob(text);
    const isWrapped = !isBlob && isWrappedBase64(text);
    const encoded = isBlob || isWrapped || text.startsWith('data:') ? this.#base64(text, depth) : null;
    if (encoded !== null) return isWrapped ? this.#clean(encoded) : encoded;
    if (isBlob) return text;
    if (depth >= MAX_NESTED_JSON) return this.#clean(text);
    if (isJsonObjectOrArray(text)) return this.#clean(this.json(text, depth + 1));
    return this.#clean(this.#isTruncated ? this.truncatedJson(text, depth + 1) : text);
  }

  /** Returns base64 data without the findings in its text. Returns null if it contains no text. */
  #base64(data: string, depth: number): string | null {
    this.#meter.charge(data.length);
    const decoded = depth <= MAX_NESTED_JSON ? decodeBase64Text(data) : null;
    if (decoded === null) return null;
    const prefix = this.#clean(decoded.prefix);
    const redacted = this.text(decoded.text, depth + 1);
    if (redacted === decoded.text) return prefix + data.slice(decoded.prefix.length);
    return prefix + decoded.encode(redacted);
  }

  /** Removing a finding can reveal another one next to it, so the text is scanned twice. */
  #clean(text: string): string {
    let clean = text;
    for (let looks = 0; looks < MAX_PASSES; looks += 1) {
      const { findings } = new SensitiveDataScan(clean, this.#wanted, this.#meter);
      if (findings.length === 0) break;
      clean = this.#without(clean, findings);
    }
    return clean;
  }

  #string(json: string, token: string, end: number, depth: number): string {
    // Shorter than any finding.
    if (token.length < 8 || isJsonMemberName(json, end)) return token;
    const { known, added } = this.#memory;
    const isRemembered = depth === 0 && token.length >= MIN_REMEMBERED_CHARS;
    const key = isRemembered ? known?.keyOf(token) : undefined;
    if (key !== undefined && known?.has(key)) return token;
    if (depth === 0) this.#meter.requireRemaining(token.length);
    // A part of another string is slower to read than a string of its own.
    const isPlain = token.length < MIN_REMEMBERED_CHARS && !token.includes('\\');
    const text = isPlain ? token.slice(1, -1) : String(JSON.parse(token));
    const redacted = depth === 0 ? this.#wholeString(text) : this.text(text, depth);
    if (redacted !== text) return JSON.stringify(redacted);
    if (key !== undefined) added?.add(key);
    return token;
  }

  /** Scans a string of the body, and notes which kinds it contains. */
  #wholeString(text: string): string {
    const { strings } = this.#memory;
    if (strings === undefined) return this.text(text, 0);
    const total = this.#found;
    const own = this.#own;
    this.#found = own;
    const redacted = this.text(text, 0);
    this.#found = total;
    if (own.size === 0) return redacted;
    strings.set(text, [...own.keys()]);
    for (const [kind, count] of own) total.set(kind, (total.get(kind) ?? 0) + count);
    own.clear();
    return redacted;
  }

  #number(token: string, level: number): string {
    if (token.length < NUMBER_DIGITS || level < 2) return token;
    const { findings } = new SensitiveDataScan(token, this.#wanted, this.#meter);
    return findings.length === 0 ? token : JSON.stringify(this.#without(token, findings));
  }

  #without(text: string, findings: readonly Finding[]): string {
    let out = '';
    let from = 0;
    for (const { kind, otherKinds = [], start, end } of findings) {
      for (const each of [kind, ...otherKinds]) this.#found.set(each, (this.#found.get(each) ?? 0) + 1);
      out += `${text.slice(from, start)}[redacted:${kind}]`;
      from = end;
    }
    return out + text.slice(from);
  }
}
