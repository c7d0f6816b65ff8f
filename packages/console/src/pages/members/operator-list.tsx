import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmChangeDialog } from '../../ui/confirm-change-dialog.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { RelativeTimeText } from '../../ui/relative-time-text.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { showToast } from '../../ui/toast.tsx';
import { addOperator, type Operator, operatorsQuery, removeOperator } from './member-data.ts';
import { membersText } from './text.ts';

const TOUCHES = [operatorsQuery.queryKey, ['audit']] as const;

/** Lists the operators of the installation. Only operators can see the list. */
export function OperatorList() {
  const { data: rows, error, refetch } = useQuery(operatorsQuery);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Operator | null>(null);
  if (error && !rows)
    return (
      <ErrorState what={membersText.operators.loadFailed} error={error} onRetry={() => void refetch()} />
    );
  if (!rows) return <SkeletonRows rows={3} />;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 pb-3 md:px-6">
        <Button icon={UserPlus} onClick={() => setAdding(true)}>
          {membersText.operators.add}
        </Button>
        <p className="text-small text-ink-2">{membersText.operators.about}</p>
      </div>
      <DataTable
        label={membersText.operators.label}
        rows={rows}
        rowId={({ user_id }) => user_id}
        columns={columnsFor(setRemoving)}
        card={(row) => (
          <div className="grid gap-0.5">
            <span className="truncate font-medium">{row.name || row.email}</span>
            <span className="truncate text-small text-ink-2">{row.email}</span>
          </div>
        )}
        total={rows.length}
      />
      {adding && <AddOperator onClose={() => setAdding(false)} />}
      {removing && <RemoveOperator row={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function columnsFor(onRemove: (row: Operator) => void): readonly TableColumn<Operator>[] {
  return [
    {
      id: 'name',
      label: membersText.operators.name,
      width: 'minmax(10rem, 1fr)',
      cell: ({ name, email }) => <span className="font-medium">{name || email}</span>,
    },
    {
      id: 'email',
      label: membersText.operators.email,
      width: 'minmax(10rem, 1fr)',
      cell: ({ email }) => email,
    },
    {
      id: 'granted',
      label: membersText.operators.since,
      width: '8rem',
      cell: ({ granted_at }) => <RelativeTimeText at={granted_at} />,
    },
    {
      id: 'actions',
      label: membersText.actions,
      hidesLabel: true,
      width: '10rem',
      align: 'end',
      cell: (row) => (
        <Button look="quiet" onClick={() => onRemove(row)} className="h-7!">
          {membersText.operators.remove}
        </Button>
      ),
    },
  ];
}

function AddOperator({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const save = useApiMutation((_: undefined, keys) => addOperator(email.trim(), keys), {
    touches: TOUCHES,
    done: () => {
      showToast(membersText.operators.added(email.trim()));
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={membersText.operators.add}>
      <Form
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={
          <>
            <span className="flex-1" />
            <Button onClick={onClose}>{membersText.cancel}</Button>
            <Button type="submit" look="primary" busy={save.running}>
              {membersText.operators.add}
            </Button>
          </>
        }
      >
        <FormField name="email" label={membersText.operators.email} hint={membersText.operators.emailHint}>
          <Input type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
        </FormField>
      </Form>
    </Dialog>
  );
}

function RemoveOperator({ row, onClose }: { readonly row: Operator; readonly onClose: () => void }) {
  return (
    <ConfirmChangeDialog
      sendChange={() => removeOperator(row.user_id)}
      touches={TOUCHES}
      onDone={() => {
        showToast(membersText.operators.removal.done(row.email));
        onClose();
      }}
      onClose={onClose}
      title={membersText.operators.removal.title(row.name || row.email)}
      verb={membersText.operators.removal.verb}
    >
      {membersText.operators.removal.effect}
    </ConfirmChangeDialog>
  );
}
