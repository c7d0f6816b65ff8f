import { useQuery } from '@tanstack/react-query';
import { count } from '../../format/amounts.ts';
import { browserZone, shortTime } from '../../format/moments.ts';
import { Notice, Skeleton } from '../../ui/feedback.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { chainQuery } from './audit-data.ts';

/** Whether the log still is what was written. */
export function ChainState() {
  const { data: chain, error, dataUpdatedAt } = useQuery(chainQuery);
  if (error) return <Notice>The chain could not be checked: {error.message}</Notice>;
  if (!chain) return <Skeleton className="h-5 w-72" />;
  if (!chain.intact)
    return (
      <Notice state="failing">
        The chain is broken at entry {chain.broken_at}: it was changed, or one before it is missing. Compare
        with an export from before, and with a backup of the database.
      </Notice>
    );
  return (
    <p className="flex flex-wrap items-center gap-2 text-ui text-ink-2">
      <StateIcon state="healthy" size={14} />
      Chain intact, {count(chain.entries)} entries, checked{' '}
      {shortTime(new Date(dataUpdatedAt), browserZone())}
    </p>
  );
}
