import type { policyDryRunResult } from '@floe/contract/api/policies';
import type * as z from 'zod';
import { formatCount, formatPercent } from '../../format/amounts.ts';
import { pluralize } from '../../format/words.ts';
import type { PolicyForm } from './policy-form.ts';

export type DryRunResult = z.output<typeof policyDryRunResult>;

/** `1,204 requests of 12 keys would have been refused.` What the rule would have done, in numbers. Pure. */
export function effectSentence(result: DryRunResult, action: PolicyForm['action']): string {
  const { evaluated: checked, matched, denied, redacted: rewritten, key_count } = result;
  if (checked === 0) return 'No body was kept in this time that the rule could be tried on.';
  if (matched === 0) return `None of ${formatCount(checked)} kept requests would have matched.`;
  const affected = action === 'deny' ? denied : action === 'redact' ? rewritten : matched;
  const whose = `${pluralize(affected, 'request')} of ${pluralize(key_count, 'key')}`;
  return `${whose} would have been ${DONE[action]}.`;
}

const DONE = {
  deny: 'refused',
  redact: 'sent on without what was found',
  flag: 'flagged',
  allow: 'let through, whatever the rules below say',
} as const;

/** `402,188 checked · 1,204 match (0.3%) · 12 keys · 88 not checkable`. Pure. */
export function countsLine(result: DryRunResult): string {
  const { evaluated: checked, matched, key_count, skipped, not_evaluated: unjudged, has_more: more } = result;
  const parts = [
    `${formatCount(checked)} checked`,
    `${formatCount(matched)} match${checked === 0 ? '' : ` (${formatPercent(matched / checked)})`}`,
    pluralize(key_count, 'key'),
    ...(skipped > 0 ? [`${formatCount(skipped)} not checkable`] : []),
    ...(unjudged > 0 ? [`${formatCount(unjudged)} the rule could not be decided for`] : []),
    ...(more ? ['the newest only: there are more'] : []),
  ];
  return parts.join(' · ');
}

/** `31% · 126,004 of 402,188`. Pure. */
export function progressText(done: number, total: number | null): string {
  if (total === null || total === 0) return 'Counting what was kept…';
  return `${Math.floor((done / total) * 100)}% · ${formatCount(done)} of ${formatCount(total)}`;
}
