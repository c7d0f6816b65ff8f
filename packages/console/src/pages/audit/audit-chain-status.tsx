import { useQuery } from '@tanstack/react-query';
import { browserZone, formatShortTime } from '../../format/times.ts';
import { Notice } from '../../ui/feedback.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { chainQuery } from './audit-data.ts';
import { text } from './text.ts';

/** Whether an entry of the log was changed. The server is asked after the page has loaded. */
export function AuditChainStatus({ after }: { readonly after: boolean }) {
  const { data: chain, error, dataUpdatedAt } = useQuery({ ...chainQuery, enabled: after });
  if (error) return <Notice>{text.chain.checkFailed(error.message)}</Notice>;
  if (!chain) return <p className="text-ui text-ink-3">{text.chain.checking}</p>;
  if (!chain.valid) return <Notice state="failing">{text.chain.broken(chain.broken_at)}</Notice>;
  return (
    <p className="flex flex-wrap items-center gap-2 text-ui text-ink-2">
      <StatusIcon state="healthy" size={14} />
      {text.chain.intact(chain.entries, formatShortTime(new Date(dataUpdatedAt), browserZone()))}
    </p>
  );
}
