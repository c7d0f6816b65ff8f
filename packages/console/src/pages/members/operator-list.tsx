import { useQuery } from '@tanstack/react-query';
import { UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '../../data/api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmChange } from '../../ui/confirm-change.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorState, SkeletonRows } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import type { TableColumn } from '../../ui/table-columns.ts';
import { TimeText } from '../../ui/time-text.tsx';
import { showToast } from '../../ui/toast.tsx';
import { grantOperator, type Operator, operatorsQuery, revokeOperator } from './member-data.ts';
import { text } from './text.ts';

const TOUCHES = [operatorsQuery.queryKey, ['audit']] as const;

/** Operators of the installation, shown to operators. */
export function OperatorList() {
  const { data: rows, error, refetch } = useQuery(operatorsQuery);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Operator | null>(null);
  if (error && !rows)
    return <ErrorState what={text.operators.loadFailed} error={error} onRetry={() => void refetch()} />;
  if (!rows) return <SkeletonRows rows={3} />;
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 pb-3 md:px-6">
        <Button icon={UserPlus} onClick={() => setAdding(true)}>
          {text.operators.add}
        </Button>
        <p className="text-small text-ink-2">{text.operators.about}</p>
      </div>
      <DataTable
        label={text.operators.label}
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
      label: text.operators.name,
      width: 'minmax(10rem, 1fr)',
      cell: ({ name, email }) => <span className="font-medium">{name || email}</span>,
    },
    { id: 'email', label: text.operators.email, width: 'minmax(10rem, 1fr)', cell: ({ email }) => email },
    {
      id: 'granted',
      label: text.operators.since,
      width: '8rem',
      cell: ({ granted_at }) => <TimeText at={granted_at} />,
    },
    {
      id: 'actions',
      label: '',
      width: '10rem',
      align: 'end',
      cell: (row) => (
        <Button look="quiet" onClick={() => onRemove(row)} className="h-7!">
          {text.operators.remove}
        </Button>
      ),
    },
  ];
}

function AddOperator({ onClose }: { readonly onClose: () => void }) {
  const [email, setEmail] = useState('');
  const save = useApiMutation(() => grantOperator(email.trim()), {
    touches: TOUCHES,
    done: () => {
      showToast(text.operators.added(email.trim()));
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={text.operators.add}>
      <Form
        error={save.error}
        running={save.running}
        onSubmit={() => save.run(undefined)}
        actions={
          <>
            <span className="flex-1" />
            <Button onClick={onClose}>{text.cancel}</Button>
            <Button type="submit" look="primary" busy={save.running}>
              {text.operators.add}
            </Button>
          </>
        }
      >
        <FormField name="email" label={text.operators.email} hint={text.operators.emailHint}>
          <Input type="email" value={email} onChange={({ target }) => setEmail(target.value)} />
        </FormField>
      </Form>
    </Dialog>
  );
}

function RemoveOperator({ row, onClose }: { readonly row: Operator; readonly onClose: () => void }) {
  return (
    <ConfirmChange
      make={() => revokeOperator(row.user_id)}
      touches={TOUCHES}
      onDone={() => {
        showToast(text.operators.removal.done(row.email));
        onClose();
      }}
      onClose={onClose}
      title={text.operators.removal.title(row.name || row.email)}
      verb={text.operators.removal.verb}
    >
      {text.operators.removal.effect}
    </ConfirmChange>
  );
}
