import type { RequestDetail } from '@floe/contract/api/analytics';
import { lazy, Suspense } from 'react';
import { Card } from '../../ui/cards.tsx';
import { Skeleton } from '../../ui/feedback.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { AttemptsTimeline } from './attempts-timeline.tsx';
import { CostCard } from './cost-card.tsx';
import { ExchangeDecisionList } from './exchange-decision-list.tsx';
import type { RequestFailure } from './exchange-decision-status.ts';
import { CallerCard, DroppedFieldsCard } from './request-cards.tsx';
import { requestDetailText } from './request-detail-text.ts';
import { RequestNotices } from './request-notices.tsx';
import { getOutcomeDisplay } from './request-rows.ts';
import { RequestStats } from './request-stats.tsx';

const RequestBodies = lazy(() =>
  import('./request-bodies.tsx').then(({ RequestBodies: Part }) => ({ default: Part })),
);

/** Shows all details of a request in tabs. If `narrow` is true, uses a single column, for the drawer. */
export function RequestTabs({
  request,
  narrow = false,
}: {
  readonly request: RequestDetail;
  readonly narrow?: boolean;
}) {
  const { attempts, decisions } = request;
  return (
    <Tabs
      label={requestDetailText.tabs.label}
      tabs={[
        {
          id: 'overview',
          label: requestDetailText.tabs.overview,
          content: <Overview request={request} narrow={narrow} />,
        },
        {
          id: 'decisions',
          label: requestDetailText.tabs.decisions,
          count: decisions.length,
          content: <ExchangeDecisionList decisions={decisions} failure={failureOf(request)} />,
        },
        {
          id: 'attempts',
          label: requestDetailText.tabs.attempts,
          count: attempts.length,
          content: <JsonView value={attempts} label={requestDetailText.tabs.attemptsJson} />,
        },
        {
          id: 'bodies',
          label: requestDetailText.tabs.bodies,
          content: (
            <Suspense fallback={<Skeleton className="h-40" />}>
              <RequestBodies id={request.id} />
            </Suspense>
          ),
        },
        {
          id: 'raw',
          label: requestDetailText.tabs.raw,
          content: <JsonView value={request} label={requestDetailText.tabs.requestJson} />,
        },
      ]}
    />
  );
}

function Overview({ request, narrow }: { readonly request: RequestDetail; readonly narrow: boolean }) {
  return (
    <div className="grid gap-4">
      <RequestNotices request={request} />
      {narrow && <RequestStats request={request} />}
      <div className={narrow ? 'grid gap-4' : 'grid items-start gap-4 xl:grid-cols-[2fr_1fr]'}>
        <div className="grid min-w-0 gap-4">
          <Card title={requestDetailText.tabs.attempts} aside={attemptsSummary(request)}>
            <AttemptsTimeline request={request} />
          </Card>
          <Card title={requestDetailText.tabs.whyThisRoute}>
            <ExchangeDecisionList decisions={request.decisions} failure={failureOf(request)} />
          </Card>
        </div>
        <div className="grid min-w-0 gap-4">
          <CostCard request={request} />
          <CallerCard request={request} />
          <DroppedFieldsCard dropped={request.dropped} />
        </div>
      </div>
    </div>
  );
}

function failureOf(request: RequestDetail): RequestFailure | null {
  const { error_code: code } = request;
  return code === null ? null : { code, state: getOutcomeDisplay(request).state };
}

function attemptsSummary({ attempts }: RequestDetail): string {
  const targets = new Set(attempts.map(({ provider, model }) => `${provider}/${model}`)).size;
  if (attempts.length === 0) return requestDetailText.tabs.noAttempts;
  return requestDetailText.tabs.attemptsOnTargets(attempts.length, targets);
}
