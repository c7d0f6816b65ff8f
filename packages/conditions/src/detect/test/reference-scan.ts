import {
  isDigit,
  isLetter,
  isLetterOrDigit,
  isTokenCharacter,
  readCharacterCode,
} from '../character-codes.ts';
import { normalizeForDetection } from '../normalize-text.ts';
import {
  type DigitRun,
  findCardNumberEnd,
  findEmailAround,
  findIbanEnd,
  findNorthAmericanPhoneNumberEnd,
  findPhoneNumberEnd,
  findSsnEnd,
  readDigitRun,
} from '../personal-data.ts';
import type { RewrittenText } from '../rewritten-text.ts';
import {
  findAssignedAwsSecretKey,
  findJwtEnd,
  findPrivateKeyEnd,
  findUrlPassword,
  hasKnownKeyFormat,
} from '../secrets.ts';
import type { Finding, FindingKind, SecretDetector } from '../sensitive-data-scan.ts';
import { findSeparatedCardNumberEnd } from '../separated-card-number.ts';

/**
 * A simple reference implementation of the scan that checks every position against every rule. The
 * real scan must find the same.
 */
export class ReferenceScan {
  readonly findings: Finding[] = [];
  readonly #text: string;
  readonly #wanted: ReadonlySet<FindingKind>;
  readonly #normalized: RewrittenText | null;
  /** What is before here is found or known to hold nothing. */
  #done = 0;

  constructor(text: string, wanted: ReadonlySet<FindingKind>) {
    this.#normalized = normalizeForDetection(text);
    this.#text = this.#normalized?.finish() ?? text;
    this.#wanted = wanted;
    let at = 0;
    while (at < this.#text.length) at = this.#scanAt(at);
  }

  /** Looks for what begins at `at`; returns where to look next. */
  #scanAt(at: number): number {
    const text = this.#text;
    const code = readCharacterCode(text, at);
    if (isLetter(code)) return this.#word(at);
    if (isDigit(code)) return this.#digits(at);
    switch (code) {
      case 0x40:
        return this.#email(at);
      case 0x2b:
      case 0x28:
        return this.#phone(at);
      case 0x2d:
        return this.#wants('secret') && this.#addSecret('private_key', at, findPrivateKeyEnd(text, at))
          ? this.#done
          : at + 1;
      case 0x3a: {
        const password = this.#wants('secret') ? findUrlPassword(text, at) : null;
        if (password) this.#addSecret('url_password', password[0], password[1]);
        return at + 1;
      }
      default:
        return at + 1;
    }
  }

  #wants(kind: FindingKind): boolean {
    return this.#wanted.has(kind);
  }

  #addSecret(detector: SecretDetector, start: number, end: number): boolean {
    if (!this.#addFinding('secret', start, end)) return false;
    const last = this.findings.pop();
    if (last) this.findings.push({ ...last, detector });
    return true;
  }

  /** False, with nothing noted, when `end` is -1 or what begins here was found as something else. */
  #addFinding(kind: FindingKind, start: number, end: number): boolean {
    if (end < 0 || start < this.#done) return false;
    this.#done = end;
    this.findings.push({
      kind,
      start: this.#normalized?.originalStart(start) ?? start,
      end: this.#normalized?.originalEnd(end) ?? end,
    });
    return true;
  }

  #word(at: number): number {
    const text = this.#text;
    let end = at + 1;
    while (isTokenCharacter(readCharacterCode(text, end))) end += 1;
    if (this.#wants('secret')) {
      if (hasKnownKeyFormat(text, at, end)) this.#addSecret('api_key', at, end);
      else this.#addSecret('jwt', at, findJwtEnd(text, at, end));
      const assigned = findAssignedAwsSecretKey(text, at, end);
      if (assigned) this.#addSecret('aws_secret_key', assigned[0], assigned[1]);
    }
    if (this.#wants('iban')) this.#addFinding('iban', at, findIbanEnd(text, at));
    return Math.max(end, this.#done);
  }

  /** From a run of digits that no letter touches, everything that is made of digits. */
  #digits(at: number): number {
    const text = this.#text;
    const run = readDigitRun(text, at);
    if (!isLetterOrDigit(readCharacterCode(text, run.end)) && readCharacterCode(text, run.end) !== 0x5f)
      for (let first = 0; first < run.groups.length; first += 1) this.#group(run, first);
    let end = Math.max(run.end, this.#done);
    // `123abc` is one token; nothing begins within it.
    while (isLetterOrDigit(readCharacterCode(text, end)) || readCharacterCode(text, end) === 0x5f) end += 1;
    return end;
  }

  #group(run: DigitRun, first: number): void {
    const text = this.#text;
    const start = run.groups[first]?.[0] ?? 0;
    if (this.#wants('credit_card')) {
      if (this.#addFinding('credit_card', start, findCardNumberEnd(text, run, first))) return;
      if (this.#addFinding('credit_card', start, findSeparatedCardNumberEnd(text, start))) return;
    }
    if (run.separators === '') return;
    if (this.#wants('us_ssn') && this.#addFinding('us_ssn', start, findSsnEnd(text, run, first))) return;
    if (this.#wants('phone'))
      this.#addFinding('phone', start, findNorthAmericanPhoneNumberEnd(text, run, first));
  }

  #email(at: number): number {
    const around = this.#wants('email') ? findEmailAround(this.#text, at) : null;
    if (around === null) return at + 1;
    this.#replaceWithin(around[0]);
    this.#addFinding('email', around[0], around[1]);
    return Math.max(at + 1, this.#done);
  }

  /** What was found within the part of an address before its `@` is part of the address, unless it is a secret. */
  #replaceWithin(start: number): void {
    const from = this.#normalized?.originalStart(start) ?? start;
    for (;;) {
      const last = this.findings.at(-1);
      if (last === undefined || last.start < from || last.kind === 'secret') return;
      this.findings.pop();
      this.#done = start;
    }
  }

  #phone(at: number): number {
    if (!this.#wants('phone') || isLetterOrDigit(readCharacterCode(this.#text, at - 1))) return at + 1;
    return this.#addFinding('phone', at, findPhoneNumberEnd(this.#text, at)) ? this.#done : at + 1;
  }
}
