import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../data/change.ts';
import { fieldChanges } from '../../data/field-changes.ts';
import { useSignedIn } from '../../data/session.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { StaleNotice } from '../../ui/stale-notice.tsx';
import { tell } from '../../ui/toast.tsx';
import { changeKey, KEY_TOUCHES, type Key, keyQuery } from './key-data.ts';
import { draftOf, fieldsOf, KeyFields } from './key-fields.tsx';
import { isOwn } from './key-state.ts';

/** Name, scopes, models and whose it is. Somebody who saved meanwhile is not overwritten unseen. */
export function KeyEditor({ row, etag }: { readonly row: Key; readonly etag: string | null }) {
  // What was shown when the editing began: later answers are compared with it, not put under the hand that types.
  const [base, setBase] = useState({ row, etag });
  const [draft, setDraft] = useState(() => draftOf(row));
  const client = useQueryClient();
  const save = useChange((tag: string | null) => changeKey(base.row.id, fieldsOf(draft), tag), {
    touches: KEY_TOUCHES,
    done: () => {
      begin();
      tell(`Key ${draft.name} saved`);
    },
  });
  const begin = () => {
    const now = client.getQueryData(keyQuery(row.id).queryKey);
    if (!now) return;
    setBase({ row: now.body, etag: now.etag });
    setDraft(draftOf(now.body));
    save.reset();
  };
  const session = useSignedIn();
  const readOnly = row.source.kind === 'file' || row.status !== 'active';
  const stale = save.error?.status === 412;
  return (
    <Form
      error={stale ? null : save.error}
      running={save.running}
      onSubmit={() => save.run(base.etag)}
      actions={
        <Button
          type="submit"
          look="primary"
          needs={isOwn(row, session) ? 'own_keys' : 'management'}
          busy={save.running}
          disabled={readOnly}
        >
          Save key
        </Button>
      }
    >
      {stale && <Meanwhile id={row.id} base={base.row} onMine={() => save.run(null)} onTheirs={begin} />}
      <KeyFields draft={draft} onChange={setDraft} disabled={readOnly} />
    </Form>
  );
}

function Meanwhile({
  id,
  base,
  onMine,
  onTheirs,
}: {
  readonly id: string;
  readonly base: Key;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}) {
  const { data } = useQuery({ ...keyQuery(id), staleTime: 0 });
  return <StaleNotice changes={fieldChanges(base, data?.body ?? base)} onMine={onMine} onTheirs={onTheirs} />;
}
