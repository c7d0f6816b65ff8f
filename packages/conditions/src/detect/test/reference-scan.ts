import {
  isDigit,
  isLetter,
  isLetterOrDigit,
  isTokenCharacter,
  readCharacterCode,
} from '../character-codes.ts';
import {
  type Finding,
  type FindingKind,
  mergeFindingsOfSameKind,
  mergeOverlappingFindings,
  type SecretDetector,
} from '../findings.ts';
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
import { findSeparatedCardNumberEnd } from '../separated-card-number.ts';

/**
 * A simple reference implementation of the scan that checks every position against every rule. The
 * real scan must find the same.
 */
export class ReferenceScan {
  readonly findings: readonly Finding[];
  readonly #found: Finding[] = [];
  readonly #text: string;
  readonly #wanted: ReadonlySet<FindingKind>;
  readonly #normalized: RewrittenText | null;
  /** The end of the last finding of each detector. */
  readonly #ends = new Map<string, number>();

  constructor(text: string, wanted: ReadonlySet<FindingKind>) {
    this.#normalized = normalizeForDetection(text);
    this.#text = this.#normalized?.finish() ?? text;
    this.#wanted = wanted;
    let at = 0;
    while (at < this.#text.length) at = this.#scanAt(at);
    this.findings = mergeOverlappingFindings(mergeFindingsOfSameKind(this.#found));
  }

  /** Looks for what begins at `at`; returns where to look next. */
  #scanAt(at: number): number {
    const text = this.#text;
    const code = readCharacterCode(text, at);
    if (isLetter(code)) return this.#word(at);
    if (isDigit(code)) return this.#digits(at);
    const around = code === 0x40 ? findEmailAround(text, at) : null;
    if (around) this.#add('email', around[0], around[1]);
    if ((code === 0x2b || code === 0x28) && !isLetterOrDigit(readCharacterCode(text, at - 1)))
      this.#add('phone', at, findPhoneNumberEnd(text, at));
    if (code === 0x2d) this.#add('secret', at, findPrivateKeyEnd(text, at), 'private_key');
    const password = code === 0x3a ? findUrlPassword(text, at) : null;
    if (password) this.#add('secret', password[0], password[1], 'url_password');
    return at + 1;
  }

  /** False, with nothing noted, if `end` is -1 or the detector has found what is here. */
  #add(kind: FindingKind, start: number, end: number, detector?: SecretDetector): boolean {
    const name = detector ?? kind;
    if (end < 0 || !this.#wanted.has(kind) || start < (this.#ends.get(name) ?? 0)) return false;
    this.#ends.set(name, end);
    this.#found.push({
      kind,
      start: this.#normalized?.originalStart(start) ?? start,
      end: this.#normalized?.originalEnd(end) ?? end,
      ...(detector && { detector }),
    });
    return true;
  }

  #word(at: number): number {
    const text = this.#text;
    let end = at + 1;
    while (isTokenCharacter(readCharacterCode(text, end))) end += 1;
    if (hasKnownKeyFormat(text, at, end)) this.#add('secret', at, end, 'api_key');
    else this.#add('secret', at, findJwtEnd(text, at, end), 'jwt');
    const assigned = findAssignedAwsSecretKey(text, at, end);
    if (assigned) this.#add('secret', assigned[0], assigned[1], 'aws_secret_key');
    this.#add('iban', at, findIbanEnd(text, at));
    return end;
  }

  /** From a run of digits that no letter touches, everything that is made of digits. */
  #digits(at: number): number {
    const text = this.#text;
    const run = readDigitRun(text, at);
    if (!isLetterOrDigit(readCharacterCode(text, run.end)) && readCharacterCode(text, run.end) !== 0x5f)
      for (let first = 0; first < run.groups.length; first += 1) this.#group(run, first);
    let { end } = run;
    // `123abc` is one token; nothing begins within it.
    while (isLetterOrDigit(readCharacterCode(text, end)) || readCharacterCode(text, end) === 0x5f) end += 1;
    return end;
  }

  #group(run: DigitRun, first: number): void {
    const text = this.#text;
    const start = run.groups[first]?.[0] ?? 0;
    if (!this.#add('credit_card', start, findCardNumberEnd(text, run, first)))
      this.#add('credit_card', start, findSeparatedCardNumberEnd(text, start));
    if (run.separators === '') return;
    this.#add('us_ssn', start, findSsnEnd(text, run, first));
    this.#add('phone', start, findNorthAmericanPhoneNumberEnd(text, run, first));
  }
}
