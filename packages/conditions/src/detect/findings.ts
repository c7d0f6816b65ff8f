import type { RewrittenText } from './rewritten-text.ts';

/** The kinds of sensitive data. */
export type FindingKind = 'secret' | 'email' | 'phone' | 'credit_card' | 'iban' | 'us_ssn';

/** The detectors of secrets. Each detector finds one type of secret. */
export type SecretDetector = 'api_key' | 'jwt' | 'private_key' | 'url_password' | 'aws_secret_key';

/** Sensitive data in a string. `start` and `end` are offsets in the original string. */
export interface Finding {
  readonly kind: FindingKind;
  readonly start: number;
  readonly end: number;
  /** Set for secrets only. */
  readonly detector?: SecretDetector;
  /**
   * The kinds of other findings in the same characters, such as an email address in a private key. One entry for each
   * finding.
   */
  readonly otherKinds?: readonly FindingKind[];
}

/** Converts the offsets of findings in a rewritten text to offsets in the original text. */
export function restoreOriginalOffsets(
  findings: readonly Finding[],
  rewritten: RewrittenText,
): readonly Finding[] {
  return findings.map((finding) => ({
    ...finding,
    start: rewritten.originalStart(finding.start),
    end: rewritten.originalEnd(finding.end),
  }));
}

/**
 * Replaces overlapping findings of the same kind with one finding that covers them. Findings of different kinds do not
 * affect each other. Returns the findings in order.
 */
export function mergeFindingsOfSameKind(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length < 2) return findings;
  const merged: Finding[] = [];
  const lastOfKind = new Map<FindingKind, number>();
  for (const finding of [...findings].sort((one, other) => one.start - other.start)) {
    const at = lastOfKind.get(finding.kind) ?? -1;
    const last = merged[at];
    if (last !== undefined && last.end > finding.start)
      merged[at] = { ...last, end: Math.max(last.end, finding.end) };
    else lastOfKind.set(finding.kind, merged.push(finding) - 1);
  }
  return merged;
}

/**
 * Replaces overlapping findings with one finding that covers all of them. It is a secret if one of them is. Otherwise,
 * it has the kind of the longest. The kinds of the others are its `otherKinds`.
 * @param findings in order
 */
export function mergeOverlappingFindings(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length < 2) return findings;
  const merged: Finding[] = [];
  for (const finding of findings) {
    const last = merged.at(-1);
    if (last === undefined || last.end <= finding.start) merged.push(finding);
    else merged[merged.length - 1] = coverBoth(last, finding);
  }
  return merged;
}

function coverBoth(last: Finding, next: Finding): Finding {
  const isLonger = next.end - next.start > last.end - last.start;
  const isKept = last.kind !== 'secret' && (next.kind === 'secret' || isLonger);
  const [kept, other] = isKept ? [next, last] : [last, next];
  return {
    ...kept,
    start: last.start,
    end: Math.max(last.end, next.end),
    otherKinds: [...(last.otherKinds ?? []), other.kind],
  };
}

/** Adds the findings of a second list that do not overlap with findings of the same kind in the first. */
export function addSeparateFindings(
  findings: readonly Finding[],
  others: readonly Finding[],
): readonly Finding[] {
  const merged = mergeFindingsOfSameKind(findings);
  const nextOfKind = new Map<FindingKind, number>();
  const separate = mergeFindingsOfSameKind(others).filter(({ kind, start, end }) => {
    let next = nextOfKind.get(kind) ?? 0;
    while (next < merged.length && (merged[next]?.kind !== kind || (merged[next]?.end ?? 0) <= start))
      next += 1;
    nextOfKind.set(kind, next);
    return (merged[next]?.start ?? Number.POSITIVE_INFINITY) >= end;
  });
  return [...merged, ...separate];
}
