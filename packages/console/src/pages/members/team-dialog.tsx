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

/** A team, or a new one for null. */
export function TeamDialog({ row, onClose }: { readonly row: Team | null; readonly onClose: () => void }) {
  const [draft, setDraft] = useState({
    id: row?.id ?? '',
    name: row?.name ?? '',
    cost_center: row?.cost_center ?? '',
  });
  const [removing, setRemoving] = useState(false);
  const save = useApiMutation(() => saved(row, draft), {
    touches: PEOPLE_TOUCHES,
    done: ({ name }) => {
      showToast(`Team ${name} saved`);
      onClose();
    },
  });
  if (removing && row) return <Removal row={row} onClose={onClose} />;
  const readOnly = row?.source.kind === 'file';
  const actions = (
    <>
      {row && (
        <Button needs="members" disabled={readOnly} onClick={() => setRemoving(true)}>
          Remove team…
        </Button>
      )}
      <span className="flex-1" />
      <Button onClick={onClose}>Cancel</Button>
      <Button type="submit" look="primary" needs="members" disabled={readOnly} busy={save.running}>
        Save team
      </Button>
    </>
  );
  return (
    <Dialog open onClose={onClose} title={row ? `Team ${row.name}` : 'New team'}>
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
        <FormField name="id" label="Id" hint="Lower case, digits and dashes. It never changes.">
          <Input {...put('id')} />
        </FormField>
      )}
      <FormField name="name" label="Name" optional hint="Shown instead of the id.">
        <Input {...put('name')} />
      </FormField>
      <FormField name="cost_center" label="Cost centre" optional hint="Where its spending is booked.">
        <Input {...put('cost_center')} />
      </FormField>
    </>
  );
}

function saved(row: Team | null, { id, name, cost_center }: Draft) {
  const fields = { name: name.trim() || id, cost_center: cost_center.trim() || null };
  return row ? changeTeam(row.id, fields) : createTeam({ ...fields, id });
}

function Removal({ row, onClose }: { readonly row: Team; readonly onClose: () => void }) {
  return (
    <ConfirmChange
      make={() => removeTeam(row.id)}
      touches={PEOPLE_TOUCHES}
      onDone={() => {
        showToast(`Team ${row.name} removed`);
        onClose();
      }}
      onClose={onClose}
      title={`Remove team ${row.name}`}
      verb="Remove team"
    >
      A team that a key or a member still names is not removed. What it spent stays in analytics.
    </ConfirmChange>
  );
}
