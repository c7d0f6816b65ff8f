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
  /** The kinds of other findings in the same characters, for example one in the text as written and one in the text with decoded escape sequences. */
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
 * Combines findings. Replaces overlapping findings with one finding that covers all of them and has all their kinds. It is a
 * secret if one of them is.
 */
export function mergeFindings(some: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  if (others.length === 0) return some;
  const merged: Finding[] = [];
  for (const finding of [...some, ...others].sort((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last === undefined || last.end <= finding.start) merged.push(finding);
    else {
      const kept = finding.kind === 'secret' && last.kind !== 'secret' ? finding : last;
      const kinds = new Set([last.kind, ...(last.otherKinds ?? []), finding.kind]);
      kinds.delete(kept.kind);
      merged[merged.length - 1] = {
        ...kept,
        start: last.start,
        end: Math.max(last.end, finding.end),
        ...(kinds.size > 0 && { otherKinds: [...kinds] }),
      };
    }
  }
  return merged;
}

/** Adds the findings of a second list that do not overlap with those of the first. Both lists are in order. */
export function mergeNonOverlappingFindings(
  findings: readonly Finding[],
  others: readonly Finding[],
): readonly Finding[] {
  let next = 0;
  const separate = others.filter(({ start, end }) => {
    while ((findings[next]?.end ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    return (findings[next]?.start ?? Number.POSITIVE_INFINITY) >= end;
  });
  return mergeFindings(findings, separate);
}
