import type { RequestDetail } from '@floe/contract/api/analytics';
import type { ExchangeDecision } from '@floe/contract/api/attempts';
import { OrgLink } from '../../app/org-link.tsx';
import { formatExactMoney } from '../../format/amounts.ts';
import { useNow } from '../../ui/relative-time-text.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { InterruptionNotice } from './interruption-notice.tsx';
import { requestDetailText } from './request-detail-text.ts';

const RULE_PAGES = {
  limit: { to: '/management/limits', label: requestDetailText.notices.limit },
  budget: { to: '/management/budgets', label: requestDetailText.notices.budget },
} as const;

/** Shows why a request was interrupted or rejected, or what the cache saved. */
export function RequestNotices({ request }: { readonly request: RequestDetail }) {
  return (
    <>
      <InterruptionNotice request={request} />
      <RefusalNotice request={request} />
      <SavedNotice request={request} />
    </>
  );
}

/** Explains why a limit or budget rejected the request, with a link to it and a countdown of Retry-After. */
function RefusalNotice({ request }: { readonly request: RequestDetail }) {
  const decision = request.decisions.find(({ rule }) => rule !== undefined);
  if (!decision?.rule) return null;
  const { to, label } = RULE_PAGES[decision.rule.kind];
  return (
    <section
      aria-label={requestDetailText.notices.refusal}
      className="grid gap-1 rounded-card border border-blocked-line bg-blocked-tint px-4 py-3 text-ui"
    >
      <p className="flex items-start gap-2">
        <span className="mt-0.5">
          <StatusIcon state="blocked" />
        </span>
        <span className="min-w-0 break-words">
          {decision.reason}{' '}
          <OrgLink to={to} search={{ open: decision.rule.id }} className="text-accent-ink underlined">
            {label}
          </OrgLink>
        </span>
      </p>
      <RetryAfter request={request} decision={decision} />
    </section>
  );
}

function RetryAfter({
  request,
  decision,
}: {
  readonly request: RequestDetail;
  readonly decision: ExchangeDecision;
}) {
  const now = useNow();
  if (decision.retry_after_ms === undefined) return null;
  const until = Date.parse(request.created_at) + request.latency_ms + decision.retry_after_ms;
  const left = Math.ceil((until - now.getTime()) / 1000);
  return (
    <p className="pl-6 text-ink-2 figures">
      {requestDetailText.notices.retryAfter(Math.ceil(decision.retry_after_ms / 1000), left)}
    </p>
  );
}

/** Shows what a response from the cache saved. */
function SavedNotice({ request: { state, saved_nano_usd } }: { readonly request: RequestDetail }) {
  if (state !== 'cached') return null;
  return (
    <p className="flex items-center gap-2 rounded-card border border-cached-line bg-cached-tint px-4 py-3 text-ui">
      <StatusIcon state="cached" />
      {saved_nano_usd === null
        ? requestDetailText.notices.cachedNoPrice
        : saved_nano_usd === 0
          ? requestDetailText.notices.cachedFree
          : requestDetailText.notices.cachedSaving(formatExactMoney(saved_nano_usd))}
    </p>
  );
}
