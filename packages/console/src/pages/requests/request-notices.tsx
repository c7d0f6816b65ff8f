import type { DecisionEntry, RequestDetail } from '@floe/contract/api/analytics';
import { OrgLink } from '../../app/org-link.tsx';
import { formatExactMoney } from '../../format/amounts.ts';
import { StatusIcon } from '../../ui/status.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { EndingNotice } from './ending-notice.tsx';

const PLACES = {
  limit: { to: '/management/limits', words: 'Open the limit' },
  budget: { to: '/management/budgets', words: 'Open the budget' },
} as const;

/** What a request says above its parts: how it ended early, why it was refused, what the cache spared. */
export function RequestNotices({ request }: { readonly request: RequestDetail }) {
  return (
    <>
      <EndingNotice request={request} />
      <RefusalNotice request={request} />
      <SavedNotice request={request} />
    </>
  );
}

/** Why a limit or budget refused the request, with the way to it and, second by second, what the client was told to wait. */
function RefusalNotice({ request }: { readonly request: RequestDetail }) {
  const told = request.decisions.find(({ rule }) => rule !== undefined);
  if (!told?.rule) return null;
  const { to, words } = PLACES[told.rule.kind];
  return (
    <section
      aria-label="Why it was refused"
      className="grid gap-1 rounded-card border border-blocked-line bg-blocked-tint px-4 py-3 text-ui"
    >
      <p className="flex items-start gap-2">
        <span className="mt-0.5">
          <StatusIcon state="blocked" />
        </span>
        <span className="min-w-0 break-words">
          {told.because}{' '}
          <OrgLink to={to} search={{ open: told.rule.id }} className="text-accent-ink underlined">
            {words}
          </OrgLink>
        </span>
      </p>
      <Wait request={request} told={told} />
    </section>
  );
}

function Wait({ request, told }: { readonly request: RequestDetail; readonly told: DecisionEntry }) {
  const now = useNow();
  if (told.retry_after_ms === undefined) return null;
  const until = Date.parse(request.created_at) + request.latency_ms + told.retry_after_ms;
  const left = Math.ceil((until - now.getTime()) / 1000);
  return (
    <p className="pl-6 text-ink-2 figures">
      Retry-After was {Math.ceil(told.retry_after_ms / 1000)} s:{' '}
      {left > 0 ? `${left} s are left.` : 'that time is over.'}
    </p>
  );
}

/** What an answer from the cache would have cost. */
function SavedNotice({ request: { state, saved_nano_usd } }: { readonly request: RequestDetail }) {
  if (state !== 'cached') return null;
  return (
    <p className="flex items-center gap-2 rounded-card border border-cached-line bg-cached-tint px-4 py-3 text-ui">
      <StatusIcon state="cached" />
      {saved_nano_usd === null
        ? 'Answered from the cache. Nobody knows what it would have cost: its model has no price.'
        : `Answered from the cache: $0 instead of ${formatExactMoney(saved_nano_usd)}.`}
    </p>
  );
}
