import { useQuery } from '@tanstack/react-query';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { shortenId } from '../../format/amounts.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import { RequestActions } from './request-actions.tsx';
import { buildRequestQuery } from './request-data.ts';
import { requestDetailText } from './request-detail-text.ts';
import { getApiLabel } from './request-details.ts';
import { getRequestErrorTitle } from './request-error-title.ts';
import { RequestHeading } from './request-heading.tsx';
import { RequestStats } from './request-stats.tsx';
import { RequestTabs } from './request-tabs.tsx';

/** Shows one request: its outcome, its routing decisions and its cost. */
export function RequestPage() {
  const id = usePathParam('id');
  const { data, error, refetch } = useQuery(buildRequestQuery(id));
  return (
    <PageFrame
      title={requestDetailText.page.title(shortenId(id))}
      crumbs={[{ label: requestDetailText.page.crumb, to: '/requests' }]}
      padded={false}
      actions={
        <>
          <CopyButton text={id} label={requestDetailText.page.copyId} />
          {data && <RequestActions request={data} />}
        </>
      }
    >
      {error && !data ? (
        <ErrorState what={getRequestErrorTitle(id, error)} error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <>
          <div className="grid gap-3 px-4 pb-4 md:px-6">
            <RequestHeading request={data} />
            <p className="text-ui text-ink-2">
              {formatFullDateTime(new Date(data.created_at), getBrowserTimeZone(), true)} ·{' '}
              <RelativeTimeText at={data.created_at} /> · {getApiLabel(data.surface)}
              {data.stream && ` · ${requestDetailText.page.stream}`}
            </p>
            <RequestStats request={data} />
          </div>
          <RequestTabs request={data} />
        </>
      ) : (
        <Skeleton className="m-6 h-64" />
      )}
    </PageFrame>
  );
}
