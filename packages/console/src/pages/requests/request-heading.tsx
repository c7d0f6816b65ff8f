import type { RequestDetail } from '@floe/contract/api/analytics';
import { ArrowRight } from 'lucide-react';
import { StatusBadge } from '../../ui/status.tsx';
import { requestDetailText } from './request-detail-text.ts';
import { getOutcomeDisplay, getRequestModels } from './request-rows.ts';

/** Shows the outcome of a request, the requested model, and the model that served it. */
export function RequestHeading({ request }: { readonly request: RequestDetail }) {
  const { state, status, reason } = getOutcomeDisplay(request);
  const { asked, served } = getRequestModels(request);
  return (
    <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
      <StatusBadge state={state}>
        {reason ? `${status} ${reason}` : status === '200' ? requestDetailText.page.ok : status}
      </StatusBadge>
      <h2 className="flex min-w-0 flex-wrap items-center gap-1.5 text-body font-semibold break-all">
        {asked}
        {served && (
          <>
            <ArrowRight
              size={14}
              className="text-ink-3"
              role="img"
              aria-label={requestDetailText.page.servedBy}
            />
            {served}
          </>
        )}
      </h2>
    </div>
  );
}
