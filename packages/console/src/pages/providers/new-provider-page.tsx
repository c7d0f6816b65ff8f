import {
  isProviderKind,
  PROVIDER_KIND_NAMES,
  PROVIDER_KINDS,
  usesCloudSetting,
} from '@floe/contract/config/provider-kinds';
import { Ellipsis } from 'lucide-react';
import { type RefObject, useRef, useState } from 'react';
import { PageFrame } from '../../app/page-frame.tsx';
import { useResourceNavigate } from '../../app/use-org-navigate.ts';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { isHandlingResultAfterUnmount } from '../../data/change-result.ts';
import { findFieldChanges } from '../../data/field-changes.ts';
import { useDenialReason } from '../../data/use-denial-reason.ts';
import type { FormFieldsProps } from '../../data/use-patch-form.ts';
import { parseListInput } from '../../format/list-input.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CodeArea, Input, Select } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { showToast } from '../../ui/toast.tsx';
import { CredentialTestStatus } from './credential-test-status.tsx';
import {
  type CredentialTestResult,
  PROVIDER_QUERY_KEYS,
  PROVIDERS_API_PATH,
  type ProviderResource,
} from './provider-data.ts';
import { providersText } from './text.ts';

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

/** Renders the page that adds a provider. The credential is tested before the provider is saved. */
export function NewProviderPage() {
  const [form, setForm] = useState(START);
  const [test, setTest] = useState<CredentialTestResult | null>(null);
  const keyField = useRef<HTMLInputElement>(null);
  const refusal = useDenialReason('management');
  const leave = useResourceNavigate('/management/providers');
  const save = useTestAndSave(form, setTest, (provider) => {
    if (provider === null) keyField.current?.focus();
    else leave(provider.id, 'replace');
  });
  const set = (fields: Partial<typeof START>) => setForm((before) => ({ ...before, ...fields }));
  return (
    <PageFrame
      title={providersText.create.title}
      crumbs={[{ label: providersText.page.title, to: '/management/providers' }]}
    >
      <div className="max-w-2xl">
        <Form
          needs="management"
          onSubmit={() => save.run('test')}
          error={save.error}
          running={save.running}
          unsaved={findFieldChanges(START, form).length > 0}
          actions={
            <>
              <Button onClick={() => leave()}>{providersText.create.cancel}</Button>
              <Button type="submit" look="primary" needs="management" busy={save.running}>
                {providersText.create.testAndSave}
              </Button>
              <Menu trigger={<IconButton icon={Ellipsis} label={providersText.create.moreActions} />}>
                <MenuItem disabled={refusal !== null} onSelect={() => save.run('save')}>
                  {providersText.create.saveWithoutTest}
                </MenuItem>
              </Menu>
            </>
          }
        >
          <Kind form={form} onChange={set} />
          <Endpoint form={form} onChange={set} />
          <KeyAndModels form={form} onChange={set} keyField={keyField} />
          {test && <CredentialTestStatus test={test} />}
        </Form>
      </div>
    </PageFrame>
  );
}

function useTestAndSave(
  form: typeof START,
  onTested: (test: CredentialTestResult | null) => void,
  onDone: (provider: ProviderResource | null) => void,
) {
  return useApiMutation(
    async (how: 'test' | 'save', keys) => {
      const body = bodyOf(form);
      onTested(null);
      const found =
        how === 'test'
          ? await sendJson<CredentialTestResult>('POST', `${PROVIDERS_API_PATH}/test`, body)
          : null;
      onTested(found);
      const provider =
        found?.ok === false
          ? null
          : await sendJson<ProviderResource>('POST', PROVIDERS_API_PATH, body, { keys });
      return { provider, found };
    },
    {
      touches: PROVIDER_QUERY_KEYS,
      done: ({ provider, found }) => {
        if (provider !== null) showToast(providersText.create.saved(provider.id));
        // The form shows the result of the test, unless the user has left it.
        else if (found !== null && isHandlingResultAfterUnmount())
          showToast(providersText.create.notSaved(form.id.trim(), found.message));
        onDone(provider);
      },
    },
  );
}

type PartProps = FormFieldsProps<typeof START>;

function Kind({ form, onChange }: PartProps) {
  const [named, setNamed] = useState(false);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField name="kind" label={providersText.create.kind}>
        <Select
          choices={KINDS}
          value={form.kind}
          onChange={({ target: { value: kind } }) => onChange({ kind, ...(named ? {} : { id: kind }) })}
        />
      </FormField>
      <FormField
        name="id"
        label={providersText.create.id}
        hint={providersText.create.idHint(form.id || providersText.create.idPlaceholder)}
      >
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
        label={providersText.create.key}
        optional={form.kind === 'sandbox'}
        hint={providersText.create.keyHint}
      >
        <Input
          ref={keyField}
          type="password"
          autoComplete="off"
          value={form.api_key}
          onChange={({ target }) => onChange({ api_key: target.value })}
        />
      </FormField>
      <FormField name="models" label={providersText.fields.models} hint={providersText.fields.modelsHint}>
        <CodeArea
          rows={2}
          value={form.models}
          onChange={({ target }) => onChange({ models: target.value })}
        />
      </FormField>
    </>
  );
}

function Endpoint({ form, onChange }: PartProps) {
  const isRequired = isProviderKind(form.kind) && PROVIDER_KINDS[form.kind].base_url === 'required';
  return (
    <>
      <FormField
        name="base_url"
        label={providersText.fields.baseUrl}
        optional={!isRequired}
        hint={isRequired ? providersText.fields.baseUrlRequired : undefined}
      >
        <Input
          value={form.base_url}
          inputMode="url"
          spellCheck={false}
          placeholder={
            isRequired
              ? providersText.fields.baseUrlPlaceholder
              : providersText.fields.baseUrlDefault(form.kind)
          }
          onChange={({ target }) => onChange({ base_url: target.value })}
        />
      </FormField>
      <CloudFields form={form} onChange={onChange} />
    </>
  );
}

function CloudFields({ form, onChange }: PartProps) {
  if (!usesCloudSetting(form.kind, 'region')) return null;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField
        name="region"
        label={providersText.create.region}
        optional
        hint={providersText.create.regionHint}
      >
        <Input value={form.region} onChange={({ target }) => onChange({ region: target.value })} />
      </FormField>
      {usesCloudSetting(form.kind, 'project') && (
        <FormField
          name="project"
          label={providersText.create.project}
          optional
          hint={providersText.create.projectHint}
        >
          <Input value={form.project} onChange={({ target }) => onChange({ project: target.value })} />
        </FormField>
      )}
    </div>
  );
}

function bodyOf(form: typeof START) {
  const orNull = (value: string) => value.trim() || null;
  const models = parseListInput(form.models);
  return {
    id: form.id.trim(),
    kind: form.kind,
    base_url: orNull(form.base_url),
    api_key: orNull(form.api_key),
    region: usesCloudSetting(form.kind, 'region') ? orNull(form.region) : null,
    project: usesCloudSetting(form.kind, 'project') ? orNull(form.project) : null,
    models: models.length === 0 ? null : models,
  };
}
