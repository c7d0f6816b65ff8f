import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { useSignedIn } from '../../data/session.ts';
import { formatRelativeTime } from '../../format/times.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useNow } from '../../ui/time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { endOverlap, KEY_QUERY_KEYS, type Key } from './key-data.ts';
import { isOwnKey } from './key-status.ts';
import { text } from './text.ts';

/** Ends the previous value of a key before its overlap is over. Asks first. */
export function EndOverlap({ row }: { readonly row: Key }) {
  const [asked, setAsked] = useState(false);
  const needs = isOwnKey(row, useSignedIn()) ? 'own_keys' : 'management';
  return (
    <div>
      <Button
        needs={needs}
        disabled={row.status !== 'active' || row.source.kind === 'file'}
        onClick={() => setAsked(true)}
      >
        {text.endOverlap.button}
      </Button>
      {asked && <EndOverlapDialog row={row} onClose={() => setAsked(false)} />}
    </div>
  );
}

function EndOverlapDialog({ row, onClose }: { readonly row: Key; readonly onClose: () => void }) {
  const now = useNow();
  const end = useApiMutation(() => endOverlap(row.id), {
    touches: KEY_QUERY_KEYS,
    done: () => {
      showToast(text.endOverlap.done(row.name));
      onClose();
    },
  });
  const used = row.previous?.last_used_at;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => end.run(undefined)}
      title={text.endOverlap.title(row.name)}
      verb={text.endOverlap.button}
      running={end.running}
      error={end.error}
    >
      {used ? text.endOverlap.used(formatRelativeTime(new Date(used), now)) : text.endOverlap.neverUsed}
      {text.endOverlap.effect}
    </ConfirmDialog>
  );
}
