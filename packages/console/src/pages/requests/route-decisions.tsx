import type { ExchangeDecision } from '@floe/contract/api/attempts';
import { type DisplayStatus, StatusIcon } from '../../ui/status.tsx';
import { requestDetailText } from './request-detail-text.ts';

/**
 * Lists the decision of each routing step with its reason, in order. The route simulator shows the same list.
 */
export function RouteDecisions({ decisions }: { readonly decisions: readonly ExchangeDecision[] }) {
  if (decisions.length === 0) return <p className="text-ui text-ink-2">{requestDetailText.decisions.none}</p>;
  return (
    <ol className="grid gap-2.5 text-ui">
      {decisions.map(({ step, outcome, reason }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps can repeat, and their order never changes.
        <li key={index} className="grid grid-cols-[auto_6rem_1fr] items-start gap-x-2.5 gap-y-0.5">
          <span className="mt-0.5">
            <StatusIcon state={stateOf(outcome)} />
          </span>
          <span className="font-medium capitalize">{step.replaceAll('_', ' ')}</span>
          <span className="min-w-0 break-words text-ink-2">
            <span className="text-ink">{outcome.replaceAll('_', ' ')}</span>
            {reason && ` · ${reason}`}
          </span>
        </li>
      ))}
    </ol>
  );
}

function stateOf(outcome: string): DisplayStatus {
  if (/den|refus|block|exceed|exhaust/.test(outcome)) return 'blocked';
  if (/fail|error|broke/.test(outcome)) return 'failing';
  if (/skip|cool|open|dropp|retr|aside|moved|unpriced/.test(outcome)) return 'warning';
  if (/\b(off|none|not_used|bypass)\b/.test(outcome)) return 'paused';
  return 'healthy';
}
