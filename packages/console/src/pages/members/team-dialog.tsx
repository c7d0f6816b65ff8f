import type { Team } from '@floe/contract/api/teams';
import { useState } from 'react';
import type { IdempotencyKeys } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FormFieldset } from '../../ui/edit-form.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { ManagedByFileNotice } from '../../ui/source-badge.tsx';
import { showToast } from '../../ui/toast.tsx';
import { changeTeam, createTeam, MEMBER_QUERY_KEYS, removeTeam } from './member-data.ts';
import { membersText } from './text.ts';

/** Renders a dialog that edits a team. If `row` is null, the dialog creates a team. */
export function TeamDialog({ row, onClose }: { readonly row: Team | null; readonly onClose: () => void }) {
  const [draft, setDraft] = useState({
    id: row?.id ?? '',
    name: row?.name ?? '',
    cost_center: row?.cost_center ?? '',
  });
  const [removing, setRemoving] = useState(false);
  const save = useApiMutation((_: undefined, keys) => saveTeam(row, draft, keys), {
    touches: MEMBER_QUERY_KEYS,
    done: ({ name }) => {
      showToast(membersText.team.saved(name));
      onClose();
    },
  });
  if (removing && row) return <Removal row={row} onClose={onClose} />;
  const readOnly = row?.source.kind === 'file';
  const actions = (
    <>
      {row && (
        <Button needs="members" disabled={readOnly} onClick={() => setRemoving(true)}>
          {membersText.team.remove}
        </Button>
      )}
      <span className="flex-1" />
      <Button onClick={onClose}>{membersText.cancel}</Button>
      <Button type="submit" look="primary" needs="members" disabled={readOnly} busy={save.running}>
        {row ? membersText.team.save : membersText.team.create}
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={row ? membersText.team.title(row.name) : membersText.team.newTitle}>
      <Form
        needs={readOnly ? undefined : 'members'}
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={actions}
      >
        {row && <ManagedByFileNotice source={row.source} path={`api/management/teams/${row.id}`} />}
        <FormFieldset disabled={readOnly}>
          <TeamFields draft={draft} isNew={row === null} onChange={setDraft} />
        </FormFieldset>
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
        <FormField name="id" label={membersText.team.id} hint={membersText.team.idHint}>
          <Input {...put('id')} />
        </FormField>
      )}
      <FormField name="name" label={membersText.team.name} optional hint={membersText.team.nameHint}>
        <Input {...put('name')} />
      </FormField>
      <FormField
        name="cost_center"
        label={membersText.team.costCenter}
        optional
        hint={membersText.team.costCenterHint}
      >
        <Input {...put('cost_center')} />
      </FormField>
    </>
  );
}

function saveTeam(row: Team | null, { id, name, cost_center }: Draft, keys: IdempotencyKeys) {
  const fields = { name: name.trim() || id, cost_center: cost_center.trim() || null };
  if (!row) return createTeam({ ...fields, id }, keys);
  // Only changed fields are sent, so that another member's change of the other field is kept.
  return changeTeam(row.id, {
    ...(fields.name === row.name ? {} : { name: fields.name }),
    ...(fields.cost_center === row.cost_center ? {} : { cost_center: fields.cost_center }),
  });
}

function Removal({ row, onClose }: { readonly row: Team; readonly onClose: () => void }) {
  return (
    <ConfirmChangeDialog
      sendChange={() => removeTeam(row.id)}
      touches={MEMBER_QUERY_KEYS}
      onDone={() => {
        showToast(membersText.team.removal.done(row.name));
        onClose();
      }}
      onClose={onClose}
      title={membersText.team.removal.title(row.name)}
      verb={membersText.team.removal.verb}
    >
      {membersText.team.removal.effect}
    </ConfirmChangeDialog>
  );
}
