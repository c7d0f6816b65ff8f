import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { type ApiPage, getJson } from '../../data/api-client.ts';
import { useRefetchOnEvent } from '../../data/use-refetch-on-event.ts';
import { useEventStreamState } from '../../data/use-server-events.ts';
import { formatClockTime, getBrowserTimeZone } from '../../format/times.ts';
import { Card } from '../../ui/cards.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { type ApprovalResource, RELAY_API_PATH } from './relay-data.ts';
import { relayText } from './text.ts';

/** Poll interval in milliseconds without an event stream. It is short because agents are waiting. */
const LOOK_MS = 2_000;
/**
 * Poll interval in milliseconds if the event stream is connected. The stream does not report expired
 * approvals.
 */
const OVER_MS = 10_000;

/** Lists the pending and the recently resolved approvals. The layout is designed for phones first. */
export function ApprovalsPage() {
  const live = useEventStreamState() === 'live';
  useRefetchOnEvent('approvals', ['relay', 'approvals']);
  const waiting = useQuery(approvalsQuery({ state: 'waiting', limit: 200 }, live ? OVER_MS : LOOK_MS));
  const recent = useQuery(approvalsQuery({ limit: 50 }, OVER_MS));
  const wanted = usePathParam('id');
  const cards = wantedFirst(waiting.data?.data ?? [], wanted);
  const answered = (recent.data?.data ?? []).filter(({ state }) => state !== 'waiting');
  return (
    <PageFrame
      title={
        cards.length === 0 ? relayText.approvals.title : relayText.approvals.titleWithCount(cards.length)
      }
    >
      <div className="mx-auto grid max-w-3xl grid-cols-1 gap-6">
        {waiting.error && !waiting.data ? (
          <ErrorState
            what={relayText.approvals.loadError}
            error={waiting.error}
            onRetry={() => void waiting.refetch()}
          />
        ) : waiting.isPending ? (
          <Skeleton className="h-48" />
        ) : cards.length === 0 ? (
          <EmptyState title={relayText.approvals.emptyTitle}>
            {relayText.approvals.empty} <code className="font-mono text-code">relay.approvals.enabled</code>{' '}
            {relayText.approvals.emptySetting}
          </EmptyState>
        ) : (
          <ul aria-label={relayText.approvals.pending} className="grid gap-4">
            {cards.map((approval) => (
              <li key={approval.id}>
                <ApprovalCard approval={approval} wanted={approval.id === wanted} />
              </li>
            ))}
          </ul>
        )}
        {answered.length > 0 && <AnsweredApprovals approvals={answered} />}
      </div>
    </PageFrame>
  );
}

/** Moves the approval in the URL to the top. */
function wantedFirst(approvals: readonly ApprovalResource[], wanted: string): readonly ApprovalResource[] {
  return [...approvals].sort((one, other) => Number(other.id === wanted) - Number(one.id === wanted));
}

function approvalsQuery(query: { readonly state?: string; readonly limit: number }, refetchInterval: number) {
  return {
    queryKey: ['relay', 'approvals', query.state ?? 'all'],
    queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
      getJson<ApiPage<ApprovalResource>>(`${RELAY_API_PATH}/approvals`, query, signal),
    refetchInterval,
  };
}

const APPROVAL_STATES = {
  waiting: { state: 'waiting', word: relayText.approvals.waiting },
  allowed: { state: 'healthy', word: relayText.approvals.allowed },
  denied: { state: 'blocked', word: relayText.approvals.denied },
  expired: { state: 'unknown', word: relayText.approvals.expired },
} as const;

function AnsweredApprovals({ approvals }: { readonly approvals: readonly ApprovalResource[] }) {
  return (
    <Card title={relayText.approvals.answered} aside={relayText.approvals.answeredRemark}>
      <ul className="divide-y divide-line">
        {approvals.map((approval) => (
          <li key={approval.id} className="grid grid-cols-1 gap-0.5 py-2 first:pt-0 last:pb-0">
            <span className="flex items-center gap-2 text-ui">
              <StatusIcon state={APPROVAL_STATES[approval.state].state} />
              <span className="whitespace-nowrap">{approvalOutcome(approval)}</span>
              <code className="min-w-0 flex-1 truncate font-mono text-code text-ink-2">
                {approval.input_summary}
              </code>
              <span className="text-small whitespace-nowrap text-ink-3">
                <RelativeTimeText at={approval.decided_at ?? approval.created_at} />
              </span>
            </span>
            {(approval.decided_by || approval.note) && (
              <span className="pl-6 text-small text-ink-2">
                {[approval.decided_by && relayText.approvals.by(approval.decided_by), approval.note]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function approvalOutcome({ state, scope, expires_at }: ApprovalResource): string {
  if (state !== 'allowed') return APPROVAL_STATES[state].word;
  return scope === 'session'
    ? relayText.approvals.allowedForSession(formatClockTime(new Date(expires_at), getBrowserTimeZone()))
    : relayText.approvals.allowedOnce;
}
