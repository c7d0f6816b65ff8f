import { useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam, useUrlState } from '../../app/url-state.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import type { ResourceWithETag } from '../../data/api-client.ts';
import { useResourceCreation, useResourceEdit } from '../../data/resource-kind.ts';
import type { ResourceEditState } from '../../data/use-patch-form.ts';
import { NewResourceForm, ResourceForm, ResourceLoader } from '../../ui/resource-forms.tsx';
import { showToast } from '../../ui/toast.tsx';
import { TwoColumnLayout } from '../../ui/two-column-layout.tsx';
import { ConfirmEnforceDialog } from './confirm-enforce-dialog.tsx';
import { PolicyDryRun } from './policy-dry-run.tsx';
import { PolicyFields } from './policy-fields.tsx';
import {
  NEW_POLICY_FORM,
  POLICY_EXAMPLES,
  POLICY_RESOURCE_KIND,
  type Policy,
  type PolicyFormValues,
} from './policy-form.ts';
import { PolicySampleTest } from './policy-sample-test.tsx';
import { policiesText } from './text.ts';
import { type PolicyDryRunState, usePolicyDryRun } from './use-policy-dry-run.ts';

const CRUMB = { label: policiesText.page.title, to: '/management/policies' } as const;

/** Renders the page that creates a policy. */
export function NewPolicyPage() {
  const example = Number(useUrlState().query.get('example') ?? Number.NaN);
  const go = useResourceNavigate(CRUMB.to);
  const fresh = useResourceCreation(
    POLICY_RESOURCE_KIND,
    () => POLICY_EXAMPLES[example]?.form ?? NEW_POLICY_FORM,
    (policy) => {
      showToast(savedText(policy));
      go(policy.id, 'replace');
    },
  );
  const run = usePolicyDryRun(fresh.form);
  return (
    <PageFrame title={policiesText.editor.newTitle} crumbs={[CRUMB]}>
      <TwoColumnLayout beside={<Trials form={fresh.form} run={run} />}>
        <NewResourceForm kind={POLICY_RESOURCE_KIND} fresh={fresh} onCancel={() => go()}>
          <PolicyFields form={fresh.form} onChange={fresh.set} />
        </NewResourceForm>
      </TwoColumnLayout>
    </PageFrame>
  );
}

/** Renders the page that edits a policy, with a dry run and a test. */
export function EditPolicyPage() {
  const id = usePathParam('id');
  return (
    <PageFrame title={id} crumbs={[CRUMB]}>
      <ResourceLoader key={id} kind={POLICY_RESOURCE_KIND} id={id}>
        {(loaded) => <Editor loaded={loaded} />}
      </ResourceLoader>
    </PageFrame>
  );
}

function Editor({ loaded }: { readonly loaded: ResourceWithETag<Policy> }) {
  const policy = loaded.body;
  const go = useResourceNavigate(CRUMB.to);
  const edit = useResourceEdit(POLICY_RESOURCE_KIND, loaded, (saved) => {
    showToast(savedText(saved));
    if (saved.id !== policy.id) go(saved.id, 'replace');
  });
  const run = usePolicyDryRun(edit.form);
  const question = useEnforceQuestion(edit, policy, run);
  return (
    <TwoColumnLayout beside={<Trials form={edit.form} run={run} />}>
      <ResourceForm
        kind={POLICY_RESOURCE_KIND}
        resource={policy}
        edit={{ ...edit, save: question.save }}
        onGone={() => go()}
      >
        <PolicyFields form={edit.form} onChange={edit.set} />
      </ResourceForm>
      <ConfirmEnforceDialog form={edit.form} run={run} {...question.dialog} />
    </TwoColumnLayout>
  );
}

function savedText({ name, enabled, mode }: Policy): string {
  if (!enabled) return policiesText.editor.disabled(name);
  return mode === 'monitor' ? policiesText.editor.monitored(name) : policiesText.editor.enforced(name);
}

/** Asks for confirmation before a log-only or disabled policy is enforced. */
function useEnforceQuestion(
  edit: ResourceEditState<PolicyFormValues>,
  before: Policy,
  run: PolicyDryRunState,
) {
  const [open, setOpen] = useState(false);
  const { form } = edit;
  const takesEffect =
    form.mode === 'enforce' && form.enabled && (before.mode === 'monitor' || !before.enabled);
  const askConfirmation = () => {
    setOpen(true);
    // The confirmation shows the result of a dry run. If there is no current result, a new dry run is
    // started.
    if ((run.result === null || run.isStale) && !run.isRunning) run.start();
  };
  return {
    save: takesEffect && form.action !== 'flag' ? askConfirmation : edit.save,
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

/** Shows the effect of the policy on stored requests and on a sample. */
function Trials({ form, run }: { readonly form: PolicyFormValues; readonly run: PolicyDryRunState }) {
  return (
    <div className="grid gap-4">
      <PolicyDryRun form={form} run={run} />
      <PolicySampleTest form={form} />
    </div>
  );
}
