import { useQuery } from '@tanstack/react-query';
import { browserZone, formatShortTime } from '../../format/times.ts';
import { pluralize } from '../../format/words.ts';
import { Notice } from '../../ui/feedback.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { chainQuery } from './audit-data.ts';

/** Whether the log still is what was written: the server walks all of it, after it has told what the page shows. */
export function AuditChainStatus({ after }: { readonly after: boolean }) {
  const { data: chain, error, dataUpdatedAt } = useQuery({ ...chainQuery, enabled: after });
  if (error) return <Notice>The chain could not be checked: {error.message}</Notice>;
  if (!chain) return <p className="text-ui text-ink-3">Checking that no entry was changed…</p>;
  if (!chain.valid)
    return (
      <Notice state="failing">
        The chain is broken at entry {chain.broken_at}: it was changed, or one before it is missing. Compare
        with an export from before, and with a backup of the database.
      </Notice>
    );
  return (
    <p className="flex flex-wrap items-center gap-2 text-ui text-ink-2">
      <StatusIcon state="healthy" size={14} />
      Chain intact, {pluralize(chain.entries, 'entry', 'entries')}, checked{' '}
      {formatShortTime(new Date(dataUpdatedAt), browserZone())}
    </p>
  );
}
