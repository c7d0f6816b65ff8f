import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { getTagged, send, type Tagged } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { useEdit } from '../../data/edit.ts';
import { money } from '../../format/amounts.ts';
import { browserZone, fullTime } from '../../format/moments.ts';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHead } from '../../ui/drawer-head.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { KeyValue } from '../../ui/facts.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Form } from '../../ui/form.tsx';
import { tell } from '../../ui/toast.tsx';
import { capital, subjectText } from '../limits/subject.ts';
import { Forecast, Spent } from './budget-columns.tsx';
import { BudgetFields } from './budget-fields.tsx';
import { type Budget, type BudgetForm, budgetBody, budgetForm, EMPTY_BUDGET } from './budget-form.ts';

const ALL = 'api/management/budgets';
const TOUCHES = [['budgets']];

/** One budget beside the list, or a new one. */
export function BudgetDrawer({
  id,
  onOpen,
  onClose,
}: {
  readonly id: string;
  readonly onOpen: (id: string) => void;
  readonly onClose: () => void;
}) {
  if (id === 'new')
    return (
      <Drawer title="New budget" about={id} onClose={onClose}>
        <DrawerHead title="New budget" onClose={onClose} />
        <NewBudget onDone={onOpen} onClose={onClose} />
      </Drawer>
    );
  return (
    <Drawer title="Budget" about={id} onClose={onClose}>
      <OneBudget key={id} id={id} onClose={onClose} />
    </Drawer>
  );
}

function NewBudget({
  onDone,
  onClose,
}: {
  readonly onDone: (id: string) => void;
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState(EMPTY_BUDGET);
  const create = useChange(() => send<Budget>('POST', ALL, budgetBody(form)), {
    touches: TOUCHES,
    done: ({ id }) => {
      tell('The budget counts from now on.');
      onDone(id);
    },
  });
  return (
    <div className="p-4 md:p-6">
      <Form
        needs="management"
        onSubmit={() => create.run(undefined)}
        error={create.error}
        running={create.running}
        actions={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" needs="management" busy={create.running}>
              Add budget
            </Button>
          </>
        }
      >
        <BudgetFields form={form} onChange={(fields) => setForm((before) => ({ ...before, ...fields }))} />
      </Form>
    </div>
  );
}

function OneBudget({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const path = `${ALL}/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['budgets', 'one', id],
    queryFn: ({ signal }) => getTagged<Budget>(path, signal),
    refetchInterval: 15_000,
  });
  if (error && !data)
    return (
      <>
        <DrawerHead title="Budget" onClose={onClose} />
        <ErrorState what="Could not load this budget." error={error} onRetry={() => void refetch()} />
      </>
    );
  if (!data) return <Skeleton className="m-6 h-64" />;
  return (
    <>
      <DrawerHead title={data.body.name} onClose={onClose}>
        {capital(subjectText(data.body))}
        {data.body.model && `, ${data.body.model}`}
      </DrawerHead>
      <BudgetEditor path={path} read={data} onClose={onClose} />
    </>
  );
}

function BudgetEditor({
  path,
  read,
  onClose,
}: {
  readonly path: string;
  readonly read: Tagged<Budget>;
  readonly onClose: () => void;
}) {
  const budget = read.body;
  const edit = useEdit<Budget, BudgetForm>({
    path,
    read,
    formOf: budgetForm,
    write: budgetBody,
    touches: TOUCHES,
    done: () => tell('The budget was saved.'),
  });
  return (
    <div className="grid gap-5 p-4 md:p-6">
      <Standing budget={budget} />
      <EditForm
        edit={edit}
        source={budget.source}
        verb="Save budget"
        more={
          <DeleteButton
            path={path}
            title={`Delete budget ${budget.name}?`}
            verb="Delete budget"
            touches={TOUCHES}
            onDone={onClose}
          >
            {capital(subjectText(budget))} may then spend without this bound. What was spent stays counted.
          </DeleteButton>
        }
      >
        <BudgetFields form={edit.form} onChange={edit.set} />
      </EditForm>
    </div>
  );
}

function Standing({ budget }: { readonly budget: Budget }) {
  const { state } = budget;
  const refused = { status: '402', range: '7d', ...(budget.key ? { key: budget.key } : {}) };
  return (
    <section aria-label="Right now" className="grid gap-3">
      <KeyValue
        items={[
          ['Spent', <Spent key="spent" budget={budget} />],
          [
            'Of it reserved',
            state && state.reserved_nano_usd > 0
              ? `${money(state.reserved_nano_usd)} by requests under way`
              : null,
          ],
          ['Left', state && money(Math.max(0, state.remaining_nano_usd))],
          ['Forecast', <Forecast key="forecast" budget={budget} />],
          ['Starts anew', state?.resets_at ? fullTime(new Date(state.resets_at), browserZone()) : null],
        ]}
      />
      <OrgLink to="/requests" search={refused} className="text-ui text-accent-ink underlined">
        Requests refused with 402 in 7 days
      </OrgLink>
    </section>
  );
}
