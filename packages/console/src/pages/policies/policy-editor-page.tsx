import { useState } from 'react';
import { OrgLink } from '../../app/org-link.tsx';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam, useUrlState } from '../../app/url-state.ts';
import { usePlace } from '../../app/use-place.ts';
import type { Tagged } from '../../data/api-client.ts';
import { useFresh, useResourceEdit } from '../../data/resource-kind.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Loaded, NewForm, ResourceForm } from '../../ui/resource-forms.tsx';
import { tell } from '../../ui/toast.tsx';
import { TwoColumns } from '../../ui/two-columns.tsx';
import { PolicyFields } from './policy-fields.tsx';
import { EMPTY_POLICY, EXAMPLES, POLICIES, type Policy, type PolicyForm } from './policy-form.ts';
import { PolicyTrial } from './policy-trial.tsx';

const CRUMB = { label: 'Policies', to: '/management/policies' };

/** A rule that is not there yet. */
export function NewPolicyPage() {
  const example = Number(useUrlState().query.get('example') ?? Number.NaN);
  const go = usePlace(CRUMB.to);
  const fresh = useFresh(
    POLICIES,
    () => EXAMPLES[example]?.form ?? EMPTY_POLICY,
    ({ id, mode }) => {
      tell(mode === 'monitor' ? 'It writes down from now on what it would do.' : 'It holds from now on.');
      go(id, 'replace');
    },
  );
  return (
    <PageFrame title="New policy" crumbs={[CRUMB]}>
      <TwoColumns beside={<PolicyTrial form={fresh.form} />}>
        <NewForm kind={POLICIES} fresh={fresh} onCancel={() => go()}>
          {(disabled) => <PolicyFields form={fresh.form} onChange={fresh.set} disabled={disabled} />}
        </NewForm>
      </TwoColumns>
    </PageFrame>
  );
}

/** A rule, and what it would do with a request. */
export function PolicyPage() {
  const id = usePathParam('id');
  return (
    <PageFrame title={id} crumbs={[CRUMB]}>
      <Loaded key={id} kind={POLICIES} id={id}>
        {(read) => <Editor read={read} />}
      </Loaded>
    </PageFrame>
  );
}

function Editor({ read }: { readonly read: Tagged<Policy> }) {
  const policy = read.body;
  const go = usePlace(CRUMB.to);
  const [asked, setAsked] = useState(false);
  const edit = useResourceEdit(POLICIES, read, ({ id }) => {
    tell('The policy was saved.');
    if (id !== policy.id) go(id, 'replace');
  });
  // What only wrote down is about to refuse: that is asked once more.
  const bites =
    edit.form.mode === 'enforce' && edit.form.enabled && (policy.mode === 'monitor' || !policy.enabled);
  const save = bites && edit.form.action !== 'flag' ? () => setAsked(true) : edit.save;
  return (
    <TwoColumns beside={<PolicyTrial form={edit.form} />}>
      <ResourceForm kind={POLICIES} resource={policy} edit={{ ...edit, save }} onGone={() => go()}>
        {(disabled) => <PolicyFields form={edit.form} onChange={edit.set} disabled={disabled} />}
      </ResourceForm>
      <EnforceQuestion
        form={edit.form}
        open={asked}
        onClose={() => setAsked(false)}
        onEnforce={() => {
          setAsked(false);
          edit.save();
        }}
      />
    </TwoColumns>
  );
}

function EnforceQuestion({
  form,
  open,
  onClose,
  onEnforce,
}: {
  readonly form: PolicyForm;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onEnforce: () => void;
}) {
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      onConfirm={onEnforce}
      title={`Enforce ${form.name}?`}
      verb="Enforce policy"
    >
      {EFFECTS[form.action]} Look first at what it wrote down:{' '}
      <OrgLink to="/requests" search={{ range: '7d' }}>
        the decisions of requests
      </OrgLink>{' '}
      say “would {form.action}”.
    </ConfirmDialog>
  );
}

const EFFECTS = {
  deny: 'Every request it matches is refused with 403 from now on.',
  redact: 'What it finds is taken out of every request or answer from now on.',
  allow: 'Rules below it no longer see what it matches.',
  flag: '',
} as const;
