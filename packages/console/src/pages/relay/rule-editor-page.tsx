import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { getTagged, send, type Tagged } from '../../data/api-client.ts';
import { useChange } from '../../data/change.ts';
import { useEdit } from '../../data/edit.ts';
import { useRefusal } from '../../data/use-refusal.ts';
import { Button } from '../../ui/button.tsx';
import { DeleteButton } from '../../ui/delete-button.tsx';
import { EditForm } from '../../ui/edit-form.tsx';
import { ErrorState, Skeleton } from '../../ui/feedback.tsx';
import { Form } from '../../ui/form.tsx';
import { tell } from '../../ui/toast.tsx';
import { allRulesQuery, type RelayRule, RULES } from './relay-data.ts';
import { Replay } from './replay.tsx';
import { RuleFields } from './rule-fields.tsx';
import { draftRules, EMPTY_RULE, type RuleForm, ruleBody, ruleForm } from './rule-form.ts';
import { useOpenRule } from './rules-page.tsx';
import { Simulator } from './simulator.tsx';

const LIST = { label: 'Rules', to: '/relay/rules' };
const TOUCHES = [['relay-rules'], ['relay', 'rules'], ['relay', 'simulation']];

/** A rule that is not there yet, tried before it is saved. */
export function NewRulePage() {
  const [form, setForm] = useState(EMPTY_RULE);
  const leave = useOpenRule();
  const refusal = useRefusal('relay');
  // The body is made inside: what cannot be read is told by its field, as what the server refuses is.
  const create = useChange(async () => send<RelayRule>('POST', RULES, ruleBody(form)), {
    touches: TOUCHES,
    done: ({ id }) => {
      tell('The rule is in force for the next decision.');
      leave(id);
    },
  });
  return (
    <PageFrame title="New rule" crumbs={[LIST]}>
      <Split beside={<Trial form={form === EMPTY_RULE ? null : form} id={null} />}>
        <Form
          needs="relay"
          onSubmit={() => create.run(undefined)}
          error={create.error}
          running={create.running}
          actions={
            <>
              <Button onClick={() => leave()}>Cancel</Button>
              <Button type="submit" look="primary" needs="relay" busy={create.running}>
                Create rule
              </Button>
            </>
          }
        >
          <RuleFields
            form={form}
            onChange={(fields) => setForm((before) => ({ ...before, ...fields }))}
            disabled={refusal !== null}
          />
        </Form>
      </Split>
    </PageFrame>
  );
}

/** Change a rule, and know before saving what it would have done. */
export function RulePage() {
  const id = usePathParam('id');
  const path = `${RULES}/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['relay', 'rules', 'one', id],
    queryFn: ({ signal }) => getTagged<RelayRule>(path, signal),
  });
  return (
    <PageFrame title={data?.body.rule.name ?? id} crumbs={[LIST]}>
      {error && !data ? (
        <ErrorState what="Could not load this rule." error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Editor key={id} path={path} read={data} />
      ) : (
        <Skeleton className="h-96" />
      )}
    </PageFrame>
  );
}

function Editor({ path, read }: { readonly path: string; readonly read: Tagged<RelayRule> }) {
  const { id, rule, source } = read.body;
  const leave = useOpenRule();
  const refusal = useRefusal('relay');
  const edit = useEdit<RelayRule, RuleForm>({
    path,
    read,
    formOf: ruleForm,
    write: ruleBody,
    touches: TOUCHES,
    done: () => tell('The rule is in force for the next decision.'),
  });
  return (
    <Split beside={<Trial form={edit.isChanged ? edit.form : null} id={id} />}>
      <EditForm
        edit={edit}
        source={source}
        verb="Save rule"
        needs="relay"
        more={
          <DeleteButton
            path={path}
            title={`Delete rule ${rule.name}?`}
            verb="Delete rule"
            touches={TOUCHES}
            onDone={() => leave()}
          >
            Agents may then do what only this rule was against. Decisions it made stay in the list.
          </DeleteButton>
        }
      >
        <RuleFields
          form={edit.form}
          onChange={edit.set}
          disabled={source.kind === 'file' || refusal !== null}
        />
      </EditForm>
    </Split>
  );
}

/** The draft among all rules; the rules in force while nothing is changed. */
function Trial({ form, id }: { readonly form: RuleForm | null; readonly id: string | null }) {
  const { data: all } = useQuery(allRulesQuery);
  const draft = useMemo(
    () => (form === null || all === undefined ? undefined : draftRules(all, id, form)),
    [form, all, id],
  );
  return (
    <>
      <Simulator draft={draft} />
      <Replay draft={draft} />
    </>
  );
}

function Split({ beside, children }: { readonly beside: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="grid items-start gap-6 xl:grid-cols-[minmax(0,1fr)_minmax(0,28rem)]">
      <div className="min-w-0">{children}</div>
      <div className="grid min-w-0 gap-4 xl:sticky xl:top-4">{beside}</div>
    </div>
  );
}
