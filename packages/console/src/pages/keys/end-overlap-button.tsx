import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useSignedInSession } from '../../data/session.ts';
import { formatRelativeTime } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useNow } from '../../ui/relative-time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { endKeyOverlap, type KeyResource, PLATFORM_KEY_QUERY_KEYS } from './key-data.ts';
import { canChangeKey } from './key-status.ts';
import { keysText } from './text.ts';

/**
 * Renders a button that expires the old value of a rotated key before the end of the overlap. The user must
 * confirm this.
 */
export function EndOverlapButton({ row }: { readonly row: KeyResource }) {
  const [asked, setAsked] = useState(false);
  const needs = canChangeKey(row, useSignedInSession()) ? 'own_keys' : 'management';
  return (
    <div className="mt-3">
      <Button
        needs={needs}
        disabled={row.status !== 'active' || row.source.kind === 'file'}
        onClick={() => setAsked(true)}
      >
        {keysText.endOverlap.button}
      </Button>
      {asked && <EndOverlapDialog row={row} onClose={() => setAsked(false)} />}
    </div>
  );
}

function EndOverlapDialog({ row, onClose }: { readonly row: KeyResource; readonly onClose: () => void }) {
  const now = useNow();
  const end = useApiMutation(() => endKeyOverlap(row.id), {
    touches: PLATFORM_KEY_QUERY_KEYS,
    done: () => {
      showToast(keysText.endOverlap.done(row.name));
      onClose();
    },
  });
  const used = row.previous?.last_used_at;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => end.run(undefined)}
      title={keysText.endOverlap.title(row.name)}
      verb={keysText.endOverlap.button}
      running={end.running}
      error={end.error}
    >
      {used
        ? keysText.endOverlap.used(formatRelativeTime(new Date(used), now))
        : keysText.endOverlap.neverUsed}
      {keysText.endOverlap.effect}
    </ConfirmDialog>
  );
}
