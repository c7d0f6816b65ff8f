import {
  findCandidateStart,
  findTokenEnd,
  isDigit,
  isLetter,
  isLetterOrDigit,
  readCharacterCode,
  type ScannedFindingKinds,
} from './character-codes.ts';
import { decodeEscapeSequences } from './escape-sequences.ts';
import {
  addSeparateFindings,
  type Finding,
  type FindingKind,
  mergeFindingsOfSameKind,
  mergeOverlappingFindings,
  restoreOriginalOffsets,
  type SecretDetector,
} from './findings.ts';
import { normalizeForDetection } from './normalize-text.ts';
import {
  type DigitRun,
  findCardNumberEnd,
  findEmailAround,
  findIbanEnd,
  findNorthAmericanPhoneNumberEnd,
  findPhoneNumberEnd,
  findShortDigitRunEnd,
  findSsnEnd,
  readDigitRun,
} from './personal-data.ts';
import type { RewrittenText } from './rewritten-text.ts';
import { ScanMeter } from './scan-meter.ts';
import {
  findAssignedAwsSecretKey,
  findJwtEnd,
  findPrivateKeyEnd,
  findUrlPassword,
  hasKnownKeyFormat,
  MIN_API_KEY_CHARS,
} from './secrets.ts';
import { findSeparatedCardNumberEnd } from './separated-card-number.ts';
import { ESCAPE, replaceTerminalSequences } from './terminal-sequences.ts';

export { characterReadCounter } from './character-codes.ts';
export type { Finding, FindingKind, SecretDetector } from './findings.ts';

/**
 * Finds secrets and personal data of the requested kinds, even if escape sequences or terminal sequences
 * encode or interrupt them. Finds the same values of a kind, whatever other kinds are requested. Findings are ordered
 * by position and do not overlap, because overlapping ones are merged. The scan takes linear time for any text: one
 * pass, and a fixed number of further passes if the text contains such sequences.
 */
export class SensitiveDataScan {
  readonly findings: readonly Finding[];

  /**
   * @param meter counts every pass
   * @throws ScanLimitExceededError
   */
  constructor(text: string, wanted: ReadonlySet<FindingKind>, meter = new ScanMeter()) {
    let findings = scanTerminalText(text, wanted, meter);
    const unescaped = decodeEscapeSequences(text);
    if (unescaped !== null) {
      meter.charge(unescaped.replacedParts);
      const decoded = scanTerminalText(unescaped.finish(), wanted, meter);
      findings = [...findings, ...restoreOriginalOffsets(decoded, unescaped)];
    }
    this.findings = mergeOverlappingFindings(mergeFindingsOfSameKind(findings));
  }
}

/**
 * Finds sensitive data in a text that may contain terminal sequences. A sequence may separate two values or be within a
 * value, so the text is scanned with a separator and with nothing in place of the sequences. The text as it is matters
 * only where an escape character is not the start of a sequence.
 */
function scanTerminalText(
  text: string,
  wanted: ReadonlySet<FindingKind>,
  meter: ScanMeter,
): readonly Finding[] {
  const { findings } = new TextScan(text, wanted, meter);
  if (!text.includes(ESCAPE)) return findings;
  const [separated = [], joined = []] = ['\n', ''].map((replacement) => {
    const plain = replaceTerminalSequences(text, replacement);
    meter.charge(plain.replacedParts);
    return restoreOriginalOffsets(new TextScan(plain.finish(), wanted, meter).findings, plain);
  });
  return addSeparateFindings([...separated, ...joined], findings);
}

/**
 * Finds sensitive data in a text as it is. Each detector checks all positions, so findings of different detectors can
 * overlap.
 */
class TextScan {
  readonly findings: Finding[] = [];
  /** The normalized text. */
  readonly #text: string;
  readonly #wantsSecrets: boolean;
  readonly #wantsIbans: boolean;
  readonly #wantsEmails: boolean;
  readonly #wantsPhones: boolean;
  readonly #wantsCards: boolean;
  readonly #wantsSsns: boolean;
  readonly #normalized: RewrittenText | null;
  /** The end of the last finding of each kind, or of each detector of secrets. Null if nothing has been found. */
  #ends: Map<FindingKind | SecretDetector, number> | null = null;

  constructor(text: string, wanted: ReadonlySet<FindingKind>, meter: ScanMeter) {
    meter.charge(text.length);
    this.#normalized = normalizeForDetection(text);
    meter.charge(this.#normalized?.replacedParts ?? 0);
    this.#text = this.#normalized?.finish() ?? text;
    this.#wantsSecrets = wanted.has('secret');
    this.#wantsIbans = wanted.has('iban');
    this.#wantsEmails = wanted.has('email');
    this.#wantsPhones = wanted.has('phone');
    this.#wantsCards = wanted.has('credit_card');
    this.#wantsSsns = wanted.has('us_ssn');
    this.#scan();
  }

  #scan(): void {
    const text = this.#text;
    const filter: ScannedFindingKinds = {
      secrets: this.#wantsSecrets,
      ibans: this.#wantsIbans,
      emails: this.#wantsEmails,
      phones: this.#wantsPhones,
    };
    for (let at = 0; ; ) {
      at = findCandidateStart(text, at, filter);
      if (at >= text.length) return;
      at = this.#scanAt(at);
    }
  }

  /** Checks for a finding at `at`. Returns the next position to check. */
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
        if (this.#wantsSecrets) this.#addSecret('private_key', at, findPrivateKeyEnd(text, at));
        return at + 1;
      case 0x3a: {
        const password = this.#wantsSecrets ? findUrlPassword(text, at) : null;
        if (password) this.#addSecret('url_password', password[0], password[1]);
        return at + 1;
      }
      default:
        return at + 1;
    }
  }

  /** Returns false, and adds nothing, if `end` is -1 or the position is within another finding of the same detector. */
  #addFinding(kind: FindingKind, start: number, end: number, detector?: SecretDetector): boolean {
    if (end < 0 || this.#isWithinFinding(detector ?? kind, start)) return false;
    this.#ends ??= new Map();
    this.#ends.set(detector ?? kind, end);
    this.findings.push({
      kind,
      start: this.#normalized?.originalStart(start) ?? start,
      end: this.#normalized?.originalEnd(end) ?? end,
      ...(detector && { detector }),
    });
    return true;
  }

  #addSecret(detector: SecretDetector, start: number, end: number): void {
    this.#addFinding('secret', start, end, detector);
  }

  #isWithinFinding(name: FindingKind | SecretDetector, at: number): boolean {
    return this.#ends !== null && at < (this.#ends.get(name) ?? 0);
  }

  #word(at: number): number {
    const text = this.#text;
    const end = findTokenEnd(text, at + 1);
    if (this.#wantsSecrets) {
      if (end - at >= MIN_API_KEY_CHARS && hasKnownKeyFormat(text, at, end))
        this.#addSecret('api_key', at, end);
      else if (text.charCodeAt(at) === 0x65) this.#addSecret('jwt', at, findJwtEnd(text, at, end));
      const assigned = findAssignedAwsSecretKey(text, at, end);
      if (assigned) this.#addSecret('aws_secret_key', assigned[0], assigned[1]);
    }
    if (this.#wantsIbans) this.#addFinding('iban', at, findIbanEnd(text, at));
    return end;
  }

  /** Checks a run of digits that is not adjacent to a letter for all numbers. */
  #digits(at: number): number {
    const text = this.#text;
    let end = findShortDigitRunEnd(text, at);
    if (end !== -1) this.#spreadCards(at, end);
    else {
      const run = readDigitRun(text, at);
      if (!isLetterOrDigit(readCharacterCode(text, run.end)) && readCharacterCode(text, run.end) !== 0x5f)
        for (let first = 0; first < run.groups.length; first += 1) this.#group(run, first);
      end = run.end;
    }
    // `123abc` is a single token, so nothing starts within it.
    while (isLetterOrDigit(readCharacterCode(text, end)) || readCharacterCode(text, end) === 0x5f) end += 1;
    return end;
  }

  /** Checks the groups of a short digit run for a card that continues after the run. */
  #spreadCards(start: number, end: number): void {
    const text = this.#text;
    const next = readCharacterCode(text, end);
    if (!this.#wantsCards || end - start < 4 || isLetterOrDigit(next) || next === 0x5f) return;
    for (let at = start; at < end; at += 1)
      if (at === start || !isDigit(readCharacterCode(text, at - 1))) this.#separatedCard(at);
  }

  #separatedCard(start: number): void {
    if (this.#isWithinFinding('credit_card', start)) return;
    this.#addFinding('credit_card', start, findSeparatedCardNumberEnd(this.#text, start));
  }

  #group(run: DigitRun, first: number): void {
    const text = this.#text;
    const start = run.groups[first]?.[0] ?? 0;
    if (this.#wantsCards && !this.#addFinding('credit_card', start, findCardNumberEnd(text, run, first)))
      this.#separatedCard(start);
    if (run.separators === '') return;
    if (this.#wantsSsns) this.#addFinding('us_ssn', start, findSsnEnd(text, run, first));
    if (this.#wantsPhones)
      this.#addFinding('phone', start, findNorthAmericanPhoneNumberEnd(text, run, first));
  }

  #email(at: number): number {
    const around = this.#wantsEmails ? findEmailAround(this.#text, at) : null;
    if (around !== null) this.#addFinding('email', around[0], around[1]);
    return at + 1;
  }

  #phone(at: number): number {
    if (this.#wantsPhones && !isLetterOrDigit(readCharacterCode(this.#text, at - 1)))
      this.#addFinding('phone', at, findPhoneNumberEnd(this.#text, at));
    return at + 1;
  }
}

/**
 * Returns a number of findings of a kind as text.
 * @example
 * formatFindingCount('email', 2); // '2 emails'
 */
export function formatFindingCount(kind: FindingKind, count: number): string {
  return `${count} ${kind}${count === 1 ? '' : 's'}`;
}
