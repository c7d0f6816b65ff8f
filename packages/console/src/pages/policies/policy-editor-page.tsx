import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useOrgId, usePathParam, useUrlState } from '../../app/url-state.ts';
import { getTagged, send, type Tagged } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { type Edit, useEdit } from '../../data/edit.ts';
import { useRefusal } from '../../data/use-refusal.ts';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Form } from '../../ui/form.tsx';
import { tell } from '../../ui/toast.tsx';
import { TwoColumns } from '../../ui/two-columns.tsx';
import { EnforceQuestion } from './enforce-question.tsx';
import { PolicyDryRun } from './policy-dry-run.tsx';
import { PolicyFields } from './policy-fields.tsx';
import {
  EMPTY_POLICY,
  EXAMPLES,
  type Policy,
  type PolicyForm,
  policyBody,
  policyForm,
} from './policy-form.ts';
import { PolicyTrial } from './policy-trial.tsx';
import { type DryRun, useDryRun } from './use-dry-run.ts';

const POLICIES = { label: 'Policies', to: '/management/policies' };
const ALL = 'api/management/policies';
const TOUCHES = [['policies']];

/** A rule that is not there yet. */
export function NewPolicyPage() {
  const example = Number(useUrlState().query.get('example') ?? Number.NaN);
  const [form, setForm] = useState(() => EXAMPLES[example]?.form ?? EMPTY_POLICY);
  const refusal = useRefusal('management');
  const leave = useLeave();
  const run = useDryRun(form);
  const create = useChange(() => send<Policy>('POST', ALL, policyBody(form)), {
    touches: TOUCHES,
    done: ({ id, mode }) => {
      tell(mode === 'monitor' ? 'It writes down from now on what it would do.' : 'It holds from now on.');
      leave(id);
    },
  });
  return (
    <PageFrame title="New policy" crumbs={[POLICIES]}>
      <TwoColumns beside={<Trials form={form} run={run} />}>
        <Form
          onSubmit={() => create.run(undefined)}
          error={create.error}
          running={create.running}
          actions={
            <>
              <Button onClick={() => leave()}>Cancel</Button>
              <Button type="submit" look="primary" needs="management" busy={create.running}>
                Create policy
              </Button>
            </>
          }
        >
          <PolicyFields
            form={form}
            onChange={(fields) => setForm((before) => ({ ...before, ...fields }))}
            disabled={refusal !== null}
          />
        </Form>
      </TwoColumns>
    </PageFrame>
  );
}

/** A rule, and what it would do with a request. */
export function PolicyPage() {
  const id = usePathParam('id');
  const path = `${ALL}/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['policies', 'one', id],
    queryFn: ({ signal }) => getTagged<Policy>(path, signal),
  });
  return (
    <PageFrame title={id} crumbs={[POLICIES]}>
      {error && !data ? (
        <ErrorState what="Could not load this policy." error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Editor key={id} path={path} read={data} />
      ) : (
        <Skeleton className="h-96" />
      )}
    </PageFrame>
  );
}

function Editor({ path, read }: { readonly path: string; readonly read: Tagged<Policy> }) {
  const policy = read.body;
  const leave = useLeave();
  const refusal = useRefusal('management');
  const edit = useEdit<Policy, PolicyForm>({
    path,
    read,
    formOf: policyForm,
    write: policyBody,
    touches: TOUCHES,
    done: ({ id }) => {
      tell('The policy was saved.');
      if (id !== policy.id) leave(id);
    },
  });
  const run = useDryRun(edit.form);
  const question = useEnforceQuestion(edit, policy, run);
  return (
    <TwoColumns beside={<Trials form={edit.form} run={run} />}>
      <EditForm
        edit={{ ...edit, save: question.save }}
        source={policy.source}
        verb="Save policy"
        more={
          <DeleteButton
            path={path}
            title={`Delete policy ${policy.id}?`}
            verb="Delete policy"
            touches={TOUCHES}
            onDone={() => leave()}
          >
            Nothing is judged by it from then on. Decisions it made stay with their requests.
          </DeleteButton>
        }
      >
        <PolicyFields
          form={edit.form}
          onChange={edit.set}
          disabled={policy.source.kind === 'file' || refusal !== null}
        />
      </EditForm>
      <EnforceQuestion form={edit.form} run={run} {...question.dialog} />
    </TwoColumns>
  );
}

/** What only wrote down is about to act: that is asked once more, with numbers. */
function useEnforceQuestion(edit: Edit<PolicyForm>, before: Policy, run: DryRun) {
  const [open, setOpen] = useState(false);
  const { form } = edit;
  const bites = form.mode === 'enforce' && form.enabled && (before.mode === 'monitor' || !before.enabled);
  const ask = () => {
    setOpen(true);
    // The question stands on numbers: those that are there, or new ones.
    if ((run.result === null || run.isStale) && !run.isRunning) run.start();
  };
  return {
    save: bites && form.action !== 'flag' ? ask : edit.save,
    dialog: {
      open,
      onClose: () => setOpen(false),
      onEnforce: () => {
        setOpen(false);
        edit.save();
      },
    },
  };
}

/** What the rule would do: with a pasted request, and with what was kept. */
function Trials({ form, run }: { readonly form: PolicyForm; readonly run: DryRun }) {
  return (
    <div className="grid gap-4">
      <PolicyDryRun form={form} run={run} />
      <PolicyTrial form={form} />
    </div>
  );
}

/** To a policy, or to the list. */
function useLeave(): (id?: string) => void {
  const navigate = useNavigate();
  const org = useOrgId();
  return (id) =>
    void navigate({
      to: `/o/${org}/management/policies${id === undefined ? '' : `/${encodeURIComponent(id)}`}`,
      replace: id !== undefined,
    });
}
