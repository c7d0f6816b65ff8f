import type { Team } from '@floe/contract/api/teams';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmChange } from '../../ui/confirm-change.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldsOf } from '../../ui/edit-form.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { SourceNotice } from '../../ui/source-badge.tsx';
import { showToast } from '../../ui/toast.tsx';
import { changeTeam, createTeam, PEOPLE_TOUCHES, removeTeam } from './member-data.ts';
import { text } from './text.ts';

/** The form of a team. Null creates a new team. */
export function TeamDialog({ row, onClose }: { readonly row: Team | null; readonly onClose: () => void }) {
  const [draft, setDraft] = useState({
    id: row?.id ?? '',
    name: row?.name ?? '',
    cost_center: row?.cost_center ?? '',
  });
  const [removing, setRemoving] = useState(false);
  const save = useApiMutation(() => saveTeam(row, draft), {
    touches: PEOPLE_TOUCHES,
    done: ({ name }) => {
      showToast(text.team.saved(name));
      onClose();
    },
  });
  if (removing && row) return <Removal row={row} onClose={onClose} />;
  const readOnly = row?.source.kind === 'file';
  const actions = (
    <>
      {row && (
        <Button needs="members" disabled={readOnly} onClick={() => setRemoving(true)}>
          {text.team.remove}
        </Button>
      )}
      <span className="flex-1" />
      <Button onClick={onClose}>{text.cancel}</Button>
      <Button type="submit" look="primary" needs="members" disabled={readOnly} busy={save.running}>
        {row ? text.team.save : text.team.create}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={row ? text.team.title(row.name) : text.team.newTitle}>
      <Form
        needs={readOnly ? undefined : 'members'}
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={actions}
      >
        {row && <SourceNotice source={row.source} path={`api/management/teams/${row.id}`} />}
        <FieldsOf disabled={readOnly}>
          <TeamFields draft={draft} isNew={row === null} onChange={setDraft} />
        </FieldsOf>
      </Form>
    </Dialog>
  );
}

type Draft = Readonly<Record<'id' | 'name' | 'cost_center', string>>;

function TeamFields({
  draft,
  isNew,
  onChange,
}: {
  readonly draft: Draft;
  readonly isNew: boolean;
  readonly onChange: (draft: Draft) => void;
}) {
  const put = (name: keyof Draft) => ({
    autoComplete: 'off',
    value: draft[name],
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange({ ...draft, [name]: target.value }),
  });
  return (
    <>
      {isNew && (
        <FormField name="id" label={text.team.id} hint={text.team.idHint}>
          <Input {...put('id')} />
        </FormField>
      )}
      <FormField name="name" label={text.team.name} optional hint={text.team.nameHint}>
        <Input {...put('name')} />
      </FormField>
      <FormField name="cost_center" label={text.team.costCenter} optional hint={text.team.costCenterHint}>
        <Input {...put('cost_center')} />
      </FormField>
    </>
  );
}

function saveTeam(row: Team | null, { id, name, cost_center }: Draft) {
  const fields = { name: name.trim() || id, cost_center: cost_center.trim() || null };
  return row ? changeTeam(row.id, fields) : createTeam({ ...fields, id });
}

function Removal({ row, onClose }: { readonly row: Team; readonly onClose: () => void }) {
  return (
    <ConfirmChange
      make={() => removeTeam(row.id)}
      touches={PEOPLE_TOUCHES}
      onDone={() => {
        showToast(text.team.removal.done(row.name));
        onClose();
      }}
      onClose={onClose}
      title={text.team.removal.title(row.name)}
      verb={text.team.removal.verb}
    >
      {text.team.removal.effect}
    </ConfirmChange>
  );
}
