import type { RequestDetail } from '@floe/contract/api/analytics';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, ChevronUp, ListFilter, Maximize2, X } from 'lucide-react';
import { useShortcuts } from '../../app/shortcuts.ts';
import { useOrgNavigate } from '../../app/use-org-navigate.ts';
import { formatFullDateTime, getBrowserTimeZone } from '../../format/times.ts';
import { IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { RequestActions } from './request-actions.tsx';
import { buildRequestQuery } from './request-data.ts';
import { requestDetailText } from './request-detail-text.ts';
import { getRequestErrorTitle } from './request-error-title.ts';
import { RequestHeading } from './request-heading.tsx';
import { RequestTabs } from './request-tabs.tsx';

interface ToolbarActions {
  /** The position in the list, such as `2 of 312`. */
  readonly place: string | null;
  readonly onClose: () => void;
  readonly onPrevious: () => void;
  readonly onNext: () => void;
  readonly onFilter: (beside: HTMLElement) => void;
}

/** Shows a request in a drawer next to the list. */
export function RequestDrawer({ id, ...toolbar }: ToolbarActions & { readonly id: string }) {
  const { onClose } = toolbar;
  const { data, error, refetch } = useQuery(buildRequestQuery(id));
  const go = useOrgNavigate();
  const enlarge = () => go(`/requests/${id}`);
  useShortcuts([{ keys: 'o', does: requestDetailText.drawer.openPage, run: enlarge }]);
  return (
    <Drawer title={requestDetailText.drawer.title} about={id} onClose={onClose}>
      <div className="flex items-start gap-2 px-4 pt-3 max-sm:flex-col-reverse md:px-6">
        <div className="min-w-0 flex-1 max-sm:w-full">
          {data ? <RequestHeading request={data} /> : !error && <Skeleton className="h-7 w-64" />}
        </div>
        <Toolbar request={data} enlarge={enlarge} {...toolbar} />
      </div>
      <p className="flex flex-wrap items-center gap-x-2 px-4 pt-1 pb-2 text-ui text-ink-2 md:px-6">
        {data && formatFullDateTime(new Date(data.created_at), getBrowserTimeZone(), true)}
        <code className="font-mono text-code">{id}</code>
        <CopyButton text={id} label={requestDetailText.page.copyId} />
      </p>
      {error && !data ? (
        <ErrorState what={getRequestErrorTitle(id, error)} error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <RequestTabs request={data} narrow />
      ) : (
        <Skeleton className="m-6 h-40" />
      )}
    </Drawer>
  );
}

function Toolbar({
  request,
  enlarge,
  place,
  onClose,
  onPrevious,
  onNext,
  onFilter,
}: ToolbarActions & { readonly request: RequestDetail | undefined; readonly enlarge: () => void }) {
  return (
    <div className="flex items-center max-sm:self-end">
      {place && <span className="mr-1 text-small text-ink-3 figures max-sm:hidden">{place}</span>}
      <IconButton
        icon={ListFilter}
        label={requestDetailText.drawer.filter}
        keys="f"
        data-row-filters=""
        onClick={({ currentTarget }) => onFilter(currentTarget)}
      />
      {request && <RequestActions request={request} />}
      <IconButton icon={ChevronUp} label={requestDetailText.drawer.previous} keys="k" onClick={onPrevious} />
      <IconButton icon={ChevronDown} label={requestDetailText.drawer.next} keys="j" onClick={onNext} />
      <IconButton icon={Maximize2} label={requestDetailText.drawer.openPage} keys="o" onClick={enlarge} />
      <IconButton icon={X} label={requestDetailText.drawer.close} keys="Esc" onClick={onClose} />
    </div>
  );
}
