import type { policyDryRunJobResult } from '@floe/contract/api/policies';
import type * as z from 'zod';
import { formatCount, formatPercent } from '../../format/amounts.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import type { PolicyFormValues } from './policy-form.ts';
import { policiesText } from './text.ts';

/** The result of evaluating a policy against stored requests. */
export type PolicyDryRunSummary = z.output<typeof policyDryRunJobResult>;

/** Describes what the policy would have done, as in `1,204 requests from 12 keys would have been denied.` */
export function describeDryRunEffect(
  result: PolicyDryRunSummary,
  action: PolicyFormValues['action'],
): string {
  const { evaluated, matched, denied, redacted, key_count } = result;
  if (evaluated === 0) return policiesText.effect.noBodies;
  if (matched === 0) return policiesText.effect.noMatch(formatCount(evaluated));
  const affected = action === 'deny' ? denied : action === 'redact' ? redacted : matched;
  const { request, key, actions } = policiesText.effect;
  return policiesText.effect.sentence(
    formatCountWithNoun(affected, request),
    formatCountWithNoun(key_count, key),
    actions[action],
  );
}

/**
 * Lists the counts, as in `402,188 checked · 1,204 matched (0.30%) · 12 keys`.
 */
export function formatDryRunCounts(result: PolicyDryRunSummary): string {
  const { evaluated, matched, key_count, skipped, not_evaluated: undecided, has_more: more } = result;
  const { redacted_when_stored: hidden } = result;
  const parts = [
    policiesText.effect.checked(formatCount(evaluated)),
    evaluated === 0
      ? policiesText.effect.matched(formatCount(matched))
      : policiesText.effect.matchedShare(formatCount(matched), formatPercent(matched / evaluated)),
    formatCountWithNoun(key_count, policiesText.effect.key),
    ...(skipped > 0 ? [policiesText.effect.notCheckable(formatCount(skipped))] : []),
    ...(undecided > 0 ? [policiesText.effect.undecided(formatCount(undecided))] : []),
    ...(hidden > 0 ? [policiesText.effect.redactedWhenStored(formatCount(hidden))] : []),
    ...(more ? [policiesText.effect.hasMore] : []),
  ];
  return parts.join(' · ');
}

/** Describes the progress, as in `31% · 126,004 of 402,188`. */
export function formatDryRunProgress(done: number, total: number | null): string {
  if (total === null || total === 0) return policiesText.dryRun.counting;
  return policiesText.dryRun.progressText(
    Math.floor((done / total) * 100),
    formatCount(done),
    formatCount(total),
  );
}
