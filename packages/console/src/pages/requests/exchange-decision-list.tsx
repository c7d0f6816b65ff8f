import type { ExchangeDecision } from '@floe/contract/api/attempts';
import { formatCount } from '../../format/amounts.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { getExchangeDecisionStatus, type RequestFailure } from './exchange-decision-status.ts';
import { requestDetailText } from './request-detail-text.ts';

/**
 * Lists the decision of each routing step with its reason, in order. The route simulator shows the same list.
 */
export function ExchangeDecisionList({
  decisions,
  failure,
}: {
  readonly decisions: readonly ExchangeDecision[];
  /** The error that the request ended with. Null if it succeeded. */
  readonly failure: RequestFailure | null;
}) {
  if (decisions.length === 0) return <p className="text-ui text-ink-2">{requestDetailText.decisions.none}</p>;
  return (
    <ol className="grid gap-2.5 text-ui">
      {decisions.map((decision, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps can repeat, and their order never changes.
        <li key={index} className="grid grid-cols-[auto_6rem_1fr] items-start gap-x-2.5 gap-y-0.5">
          <span className="mt-0.5">
            <StatusIcon state={getExchangeDecisionStatus(decision, failure)} />
          </span>
          <span className="font-medium capitalize">{decision.step.replaceAll('_', ' ')}</span>
          <span className="min-w-0 break-words text-ink-2">
            <span className="text-ink">{decision.outcome.replaceAll('_', ' ')}</span>
            {decision.reason && ` · ${groupCounts(decision.reason)}`}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Groups the digits of the counts in a reason such as `agents-rpm: 7 of 6000 requests`. */
function groupCounts(reason: string): string {
  return reason.replace(/(?<![.\d$])\d{4,}(?= of |(?: concurrent)? requests\b| tokens\b)/g, (digits) =>
    formatCount(Number(digits)),
  );
}
