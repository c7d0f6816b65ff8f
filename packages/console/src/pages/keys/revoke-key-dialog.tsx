import { useQuery } from '@tanstack/react-query';
import { useApiMutation } from '../../data/api-mutation.ts';
import { getCurrentTime } from '../../data/server-clock.ts';
import { formatMoney } from '../../format/amounts.ts';
import { formatClockTime, formatRelativeTime, getBrowserTimeZone } from '../../format/times.ts';
import { formatCountWithNoun } from '../../format/words.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import {
  buildKeyQuery,
  buildKeyTotalsQuery,
  type KeyResource,
  PLATFORM_KEY_QUERY_KEYS,
  revokeKey,
} from './key-data.ts';
import { isRecentlyUsed } from './key-status.ts';
import { keysText } from './text.ts';

const REFETCH_MS = 1_000;

/**
 * Renders a dialog that revokes a key. If the key was used in the last 24 hours, the user must type its name.
 */
export function RevokeKeyDialog({
  row,
  onClose,
}: {
  readonly row: KeyResource;
  readonly onClose: () => void;
}) {
  const now = useNow();
  // The key may have been used since the page was rendered. The server reports a use about one second late.
  const { data: fresh, isFetchedAfterMount } = useQuery({
    ...buildKeyQuery(row.id),
    staleTime: 0,
    refetchInterval: REFETCH_MS,
  });
  const key = fresh?.body ?? row;
  const figures = useQuery(buildKeyTotalsQuery(row.id)).data;
  const revoke = useApiMutation(() => revokeKey(row.id), {
    touches: PLATFORM_KEY_QUERY_KEYS,
    done: () => {
      showToast(keysText.revoke.done(row.name, formatClockTime(getCurrentTime(), getBrowserTimeZone())));
      onClose();
    },
  });
  const used = key.last_used_at ? formatRelativeTime(new Date(key.last_used_at), now) : null;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => revoke.run(undefined)}
      title={keysText.revoke.title(row.name)}
      verb={keysText.revoke.verb}
      running={revoke.running || !isFetchedAfterMount}
      error={revoke.error}
      {...(isRecentlyUsed(key, now) ? { typed: row.name } : {})}
    >
      {used ? keysText.revoke.used(used) : keysText.revoke.neverUsed}
      {figures &&
        figures.requests > 0 &&
        keysText.revoke.usage(
          formatCountWithNoun(figures.requests, 'request'),
          formatMoney(figures.cost_nano_usd),
        )}
      {keysText.revoke.effect}
    </ConfirmDialog>
  );
}
