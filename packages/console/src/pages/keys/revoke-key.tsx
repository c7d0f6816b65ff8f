import { useQuery } from '@tanstack/react-query';
import { useApiMutation } from '../../data/api-mutation.ts';
import { formatCount, formatMoney } from '../../format/amounts.ts';
import { browserZone, formatClockTime, formatRelativeTime } from '../../format/times.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { KEY_TOUCHES, type Key, keyFiguresQuery, keyQuery, revokeKey } from './key-data.ts';
import { isInUse } from './key-state.ts';

const LOOK_AGAIN_MS = 1_000;

/** Ends a key for good. One that was used a moment ago wants its name typed. */
export function RevokeKey({ row, onClose }: { readonly row: Key; readonly onClose: () => void }) {
  const now = useNow();
  // Whether it is in use may have changed since the page was drawn, and a first use is told a second late.
  const { data: fresh, isFetchedAfterMount } = useQuery({
    ...keyQuery(row.id),
    staleTime: 0,
    refetchInterval: LOOK_AGAIN_MS,
  });
  const key = fresh?.body ?? row;
  const figures = useQuery(keyFiguresQuery(row.id)).data;
  const revoke = useApiMutation(() => revokeKey(row.id), {
    touches: KEY_TOUCHES,
    done: () => {
      showToast(`Revoked. Refused everywhere since ${formatClockTime(new Date(), browserZone())}.`);
      onClose();
    },
  });
  const used = key.last_used_at ? formatRelativeTime(new Date(key.last_used_at), now) : null;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => revoke.run(undefined)}
      title={`Revoke key ${row.name}`}
      verb="Revoke key"
      running={revoke.running || !isFetchedAfterMount}
      error={revoke.error}
      {...(isInUse(key, now) ? { typed: row.name } : {})}
    >
      {used ? `It was last used ${used}` : 'It was never used'}
      {figures &&
        figures.requests > 0 &&
        `: ${formatCount(figures.requests)} requests for ${formatMoney(figures.cost_nano_usd)} in the last 30 days`}
      . Every request with it is refused within two seconds, for good; its history stays.
    </ConfirmDialog>
  );
}
