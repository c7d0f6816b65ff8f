import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { usePathParam } from '../../app/url-state.ts';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import type { ResourceWithETag } from '../../data/api-client.ts';
import {
  buildResourceQuery,
  type ConsoleResourceKind,
  useResourceCreation,
  useResourceEdit,
} from '../../data/resource-kind.ts';
import { NewResourceForm, ResourceForm, ResourceLoader } from '../../ui/resource-forms.tsx';
import { showToast } from '../../ui/toast.tsx';
import { TwoColumnLayout } from '../../ui/two-column-layout.tsx';
import { allRulesQuery, RELAY_RULES_API_PATH, type RelayRuleWithMatchCount } from './relay-data.ts';
import { RelaySimulator } from './relay-simulator.tsx';
import { RuleFields } from './rule-fields.tsx';
import {
  formatRuleSavedMessage,
  NEW_RULE_FORM,
  type RuleFormValues,
  replaceRuleWithDraft,
  toRuleBody,
  toRuleFormValues,
} from './rule-form.ts';
import { RuleReplayCard } from './rule-replay-card.tsx';
import { ruleText } from './rule-text.ts';

const CRUMB = { label: ruleText.page.title, to: '/relay/rules' } as const;
const RULE_KIND: ConsoleResourceKind<RelayRuleWithMatchCount, RuleFormValues> = {
  one: ruleText.page.resource,
  path: RELAY_RULES_API_PATH,
  touches: [['relay', 'rules'], ['relay-rules'], ['relay', 'simulation']],
  needs: 'relay',
  formOf: toRuleFormValues,
  bodyOf: (form) => toRuleBody(form),
  changeOf: toRuleBody,
  removal: ({ rule }) => ({
    title: ruleText.deleteTitle(rule.name),
    effect: ruleText.deleteEffect,
  }),
};

/** Renders the page that creates a rule, with a test and a replay of decisions. */
export function NewRulePage() {
  const go = useResourceNavigate(CRUMB.to);
  const fresh = useResourceCreation(RULE_KIND, NEW_RULE_FORM, (saved) => {
    showToast(formatRuleSavedMessage(saved));
    go(saved.id, 'replace');
  });
  const { form, set } = fresh;
  return (
    <PageFrame title={ruleText.page.newTitle} crumbs={[CRUMB]}>
      <TwoColumnLayout beside={<RuleTestPanel form={form === NEW_RULE_FORM ? null : form} id={null} />}>
        <NewResourceForm kind={RULE_KIND} fresh={fresh} onCancel={() => go()}>
          <RuleFields form={form} onChange={set} />
        </NewResourceForm>
      </TwoColumnLayout>
    </PageFrame>
  );
}

/** Renders the page that edits a rule, with a test and a replay of decisions. */
export function EditRulePage() {
  const id = usePathParam('id');
  const { data } = useQuery(buildResourceQuery(RULE_KIND, id));
  return (
    <PageFrame title={ruleText.page.detailTitle(data?.body.rule.name ?? id)} crumbs={[CRUMB]}>
      <ResourceLoader key={id} kind={RULE_KIND} id={id}>
        {(loaded) => <RuleEditor loaded={loaded} />}
      </ResourceLoader>
    </PageFrame>
  );
}

function RuleEditor({ loaded }: { readonly loaded: ResourceWithETag<RelayRuleWithMatchCount> }) {
  const go = useResourceNavigate(CRUMB.to);
  const edit = useResourceEdit(RULE_KIND, loaded, (saved) => showToast(formatRuleSavedMessage(saved)));
  return (
    <TwoColumnLayout beside={<RuleTestPanel form={edit.isChanged ? edit.form : null} id={loaded.body.id} />}>
      <ResourceForm kind={RULE_KIND} resource={loaded.body} edit={edit} onGone={() => go()}>
        <RuleFields form={edit.form} onChange={edit.set} />
      </ResourceForm>
    </TwoColumnLayout>
  );
}

/** Tests the draft together with all other rules, or the current rules if nothing was changed. */
function RuleTestPanel({ form, id }: { readonly form: RuleFormValues | null; readonly id: string | null }) {
  const { data: all } = useQuery(allRulesQuery);
  const draft = useMemo(
    () => (form === null || all === undefined ? undefined : replaceRuleWithDraft(all, id, form)),
    [form, all, id],
  );
  return (
    <div className="grid gap-4">
      <RelaySimulator draft={draft} />
      <RuleReplayCard draft={draft} />
    </div>
  );
}
