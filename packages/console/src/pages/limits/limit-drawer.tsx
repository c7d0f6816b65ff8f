import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { getTagged, send, type Tagged } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { useEdit } from '../../data/edit.ts';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { Drawer } from '../../ui/drawer.tsx';
import { DrawerHead } from '../../ui/drawer-head.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { tell } from '../../ui/toast.tsx';
import {
  EMPTY_LIMIT,
  type Limit,
  type LimitForm,
  limitBody,
  limitForm,
  limitSentence,
} from './limit-form.ts';
import { Use } from './limit-use.tsx';
import { capital, subjectText } from './subject.ts';
import { AwayField, SubjectFields } from './subject-fields.tsx';

const ALL = 'api/management/limits';
const TOUCHES = [['limits']];

/** One limit beside the list, or a new one. */
export function LimitDrawer({
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
      <Drawer title="New limit" about={id} onClose={onClose}>
        <DrawerHead title="New limit" onClose={onClose} />
        <NewLimit onDone={onOpen} onClose={onClose} />
      </Drawer>
    );
  return (
    <Drawer title="Limit" about={id} onClose={onClose}>
      <OneLimit key={id} id={id} onClose={onClose} />
    </Drawer>
  );
}

function NewLimit({
  onDone,
  onClose,
}: {
  readonly onDone: (id: string) => void;
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState(EMPTY_LIMIT);
  const create = useChange(() => send<Limit>('POST', ALL, limitBody(form)), {
    touches: TOUCHES,
    done: ({ id }) => {
      tell('The limit holds from now on.');
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
              Add limit
            </Button>
          </>
        }
      >
        <LimitFields form={form} onChange={(fields) => setForm((before) => ({ ...before, ...fields }))} />
      </Form>
    </div>
  );
}

function OneLimit({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const path = `${ALL}/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['limits', 'one', id],
    queryFn: ({ signal }) => getTagged<Limit>(path, signal),
  });
  if (error && !data)
    return (
      <>
        <DrawerHead title="Limit" onClose={onClose} />
        <ErrorState what="Could not load this limit." error={error} onRetry={() => void refetch()} />
      </>
    );
  if (!data) return <Skeleton className="m-6 h-64" />;
  return (
    <>
      <DrawerHead
        title={`${capital(subjectText(data.body))}, ${data.body.model ?? 'all models'}`}
        onClose={onClose}
      >
        {data.body.name}
      </DrawerHead>
      <LimitEditor path={path} read={data} onClose={onClose} />
    </>
  );
}

function LimitEditor({
  path,
  read,
  onClose,
}: {
  readonly path: string;
  readonly read: Tagged<Limit>;
  readonly onClose: () => void;
}) {
  const limit = read.body;
  const edit = useEdit<Limit, LimitForm>({
    path,
    read,
    formOf: limitForm,
    write: limitBody,
    touches: TOUCHES,
    done: () => tell('The limit was saved.'),
  });
  const bounds = (['rpm', 'tpm', 'concurrency'] as const).filter((bound) => limit[bound] !== null);
  return (
    <div className="grid gap-5 p-4 md:p-6">
      <section aria-label="Right now" className="grid gap-1.5">
        {bounds.map((bound) => (
          <div key={bound} className="grid grid-cols-[8rem_1fr] items-center gap-2 text-ui">
            <span className="text-ink-2">{WORDS[bound]}</span>
            <Use limit={limit} bound={bound} />
          </div>
        ))}
        <OrgLink
          to="/requests"
          search={{ status: '429', range: '24h', ...(limit.key ? { key: limit.key } : {}) }}
          className="text-ui text-accent-ink underlined"
        >
          Requests refused in 24 hours
        </OrgLink>
      </section>
      <EditForm
        edit={edit}
        source={limit.source}
        verb="Save limit"
        more={
          <DeleteButton
            path={path}
            title="Delete this limit?"
            verb="Delete limit"
            touches={TOUCHES}
            onDone={onClose}
          >
            {capital(subjectText(limit))} may then send as fast as other limits and the providers allow.
          </DeleteButton>
        }
      >
        <LimitFields form={edit.form} onChange={edit.set} />
      </EditForm>
    </div>
  );
}

const WORDS = { rpm: 'Requests a minute', tpm: 'Tokens a minute', concurrency: 'At once' } as const;

function LimitFields({
  form,
  onChange,
}: {
  readonly form: LimitForm;
  readonly onChange: (fields: Partial<LimitForm>) => void;
}) {
  const sentence = limitSentence(form);
  const number = (name: 'rpm' | 'tpm' | 'concurrency', label: string) => (
    <FormField name={name} label={label}>
      <Input
        inputMode="numeric"
        value={form[name]}
        placeholder="no bound"
        onChange={({ target }) => onChange({ [name]: target.value })}
      />
    </FormField>
  );
  return (
    <>
      <SubjectFields form={form} onChange={onChange} />
      <div className="grid gap-4 sm:grid-cols-3">
        {number('rpm', 'Requests a minute')}
        {number('tpm', 'Tokens a minute')}
        {number('concurrency', 'At the same time')}
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="name" label="Name" optional hint="Told to whom it refuses.">
          <Input value={form.name} onChange={({ target }) => onChange({ name: target.value })} />
        </FormField>
        <AwayField form={form} onChange={onChange} />
      </div>
      {sentence && <p className="rounded-control bg-sunken px-3 py-2 text-ui text-ink-2">{sentence}</p>}
    </>
  );
}
