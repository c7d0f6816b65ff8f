import type { RequestRow } from '@floe/contract/api/analytics';
import { joinClassNames } from '../../ui/class-names.ts';
import { getOutcomeDisplay } from './request-rows.ts';

/**
 * Shows the time to first token and the streaming time of a request as a bar. All visible rows use the same
 * scale.
 */
export function TimingBar({ row, longestMs }: { readonly row: RequestRow; readonly longestMs: number }) {
  const { latency_ms, first_token_ms } = row;
  const share = (ms: number) => `${Math.min(100, Math.max(1.5, (ms / longestMs) * 100))}%`;
  const failed = getOutcomeDisplay(row).state === 'failing';
  return (
    <span aria-hidden="true" className="flex h-1.5 w-16 overflow-hidden">
      <span
        style={{ width: share(first_token_ms ?? latency_ms) }}
        className={joinClassNames('rounded-l-full', failed ? 'bg-failing' : 'bg-series-1')}
      />
      {first_token_ms !== null && (
        <span
          style={{ width: share(latency_ms - first_token_ms) }}
          className={joinClassNames('rounded-r-full', failed ? 'bg-failing' : 'bg-series-3')}
        />
      )}
    </span>
  );
}
