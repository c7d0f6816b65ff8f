import { isProviderKind, PROVIDER_KIND_NAMES, PROVIDER_KINDS } from '@floe/contract/config/provider-kinds';
import { Ellipsis } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import type { FormPart } from '../../data/edit.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import { parseList } from '../../format/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CodeArea, Input, Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { ALL, type CredentialTest, type Provider, TOUCHES } from './provider-data.ts';
import { TestResult } from './test-result.tsx';

const KINDS = PROVIDER_KIND_NAMES.map((kind) => ({ value: kind, label: kind }));

const FIRST: string = PROVIDER_KIND_NAMES[0] ?? '';

const START = {
  kind: FIRST,
  id: FIRST,
  base_url: '',
  api_key: '',
  region: '',
  project: '',
  models: '*',
};

/** An upstream with a key that is tried before it is saved. */
export function NewProviderPage() {
  const [form, setForm] = useState(START);
  const [test, setTest] = useState<CredentialTest | null>(null);
  const keyField = useRef<HTMLInputElement>(null);
  const refusal = useDenialReason('management');
  const leave = useResourceNavigate('/management/providers');
  const save = useTestAndSave(form, setTest, (provider) => {
    if (provider === null) keyField.current?.focus();
    else leave(provider.id, 'replace');
  });
  const set = (fields: Partial<typeof START>) => setForm((before) => ({ ...before, ...fields }));
  return (
    <PageFrame title="Add provider" crumbs={[{ label: 'Providers', to: '/management/providers' }]}>
      <div className="max-w-2xl">
        <Form
          needs="management"
          onSubmit={() => save.run('test')}
          error={save.error}
          running={save.running}
          actions={
            <>
              <Button onClick={() => leave()}>Cancel</Button>
              <Button type="submit" look="primary" needs="management" busy={save.running}>
                Test and save
              </Button>
              <Menu trigger={<IconButton icon={Ellipsis} label="More ways to save" />}>
                <MenuItem disabled={refusal !== null} onSelect={() => save.run('save')}>
                  Save without testing
                </MenuItem>
              </Menu>
            </>
          }
        >
          <Kind form={form} onChange={set} />
          <Address form={form} onChange={set} />
          <KeyAndModels form={form} onChange={set} keyField={keyField} />
          {test && <TestResult test={test} />}
        </Form>
      </div>
    </PageFrame>
  );
}

function useTestAndSave(
  form: typeof START,
  onTested: (test: CredentialTest | null) => void,
  onDone: (provider: Provider | null) => void,
) {
  return useApiMutation(
    async (how: 'test' | 'save') => {
      const body = bodyOf(form);
      onTested(null);
      const found = how === 'test' ? await sendJson<CredentialTest>('POST', `${ALL}/test`, body) : null;
      onTested(found);
      return found?.ok === false ? null : sendJson<Provider>('POST', ALL, body);
    },
    {
      touches: TOUCHES,
      done: (provider) => {
        if (provider !== null) showToast(`${provider.id} is in use.`);
        onDone(provider);
      },
    },
  );
}

type PartProps = FormPart<typeof START>;

function Kind({ form, onChange }: PartProps) {
  const [named, setNamed] = useState(false);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField name="kind" label="Kind">
        <Select
          choices={KINDS}
          value={form.kind}
          onChange={({ target: { value: kind } }) => onChange({ kind, ...(named ? {} : { id: kind }) })}
        />
      </FormField>
      <FormField name="id" label="Id" hint={`Callers write ${form.id || 'id'}/<model>.`}>
        <Input
          value={form.id}
          spellCheck={false}
          onChange={({ target }) => {
            setNamed(true);
            onChange({ id: target.value });
          }}
        />
      </FormField>
    </div>
  );
}

function KeyAndModels({
  form,
  onChange,
  keyField,
}: PartProps & { readonly keyField: RefObject<HTMLInputElement | null> }) {
  return (
    <>
      <FormField
        name="api_key"
        label="Key"
        optional={form.kind === 'sandbox'}
        hint="Stored encrypted, sent to this address only, and never shown again."
      >
        <Input
          ref={keyField}
          type="password"
          autoComplete="off"
          value={form.api_key}
          onChange={({ target }) => onChange({ api_key: target.value })}
        />
      </FormField>
      <FormField
        name="models"
        label="Allowed models"
        hint="Ids or patterns such as gpt-5*, one a line; * is all."
      >
        <CodeArea
          rows={2}
          value={form.models}
          onChange={({ target }) => onChange({ models: target.value })}
        />
      </FormField>
    </>
  );
}

function Address({ form, onChange }: PartProps) {
  const isRequired = isProviderKind(form.kind) && PROVIDER_KINDS[form.kind].base_url === 'required';
  return (
    <>
      <FormField
        name="base_url"
        label="Address"
        optional={!isRequired}
        hint={isRequired ? 'Where it answers, with /v1 for those that speak the OpenAI shape.' : undefined}
      >
        <Input
          value={form.base_url}
          inputMode="url"
          spellCheck={false}
          placeholder={isRequired ? 'https://…' : `the public one of ${form.kind}`}
          onChange={({ target }) => onChange({ base_url: target.value })}
        />
      </FormField>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField name="region" label="Region" optional hint="Of clouds that have several.">
          <Input value={form.region} onChange={({ target }) => onChange({ region: target.value })} />
        </FormField>
        <FormField name="project" label="Project" optional hint="Of clouds that bill by project.">
          <Input value={form.project} onChange={({ target }) => onChange({ project: target.value })} />
        </FormField>
      </div>
    </>
  );
}

function bodyOf(form: typeof START) {
  const text = (value: string) => value.trim() || null;
  const models = parseList(form.models);
  return {
    id: form.id.trim(),
    kind: form.kind,
    base_url: text(form.base_url),
    api_key: text(form.api_key),
    region: text(form.region),
    project: text(form.project),
    models: models.length === 0 ? null : models,
  };
}
