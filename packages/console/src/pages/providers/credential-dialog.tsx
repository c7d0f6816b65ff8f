import { useState } from 'react';
import { sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { parseNumberField } from '../../format/number-field.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import {
  buildProviderApiPath,
  type CredentialResource,
  PROVIDER_QUERY_KEYS,
  type ProviderResource,
} from './provider-data.ts';
import { providersText } from './text.ts';

const EMPTY = { name: '', api_key: '', weight: '1' };

/**
 * Renders a dialog that adds a credential to a provider, or replaces one. To rotate a credential without
 * downtime, users add the new one before they remove the old one.
 */
export function CredentialDialog({
  provider,
  replaces,
  onClose,
}: {
  readonly provider: ProviderResource;
  /** The name of the credential to replace. Absent when a credential is added. */
  readonly replaces?: string;
  readonly onClose: () => void;
}) {
  const [form, setForm] = useState(EMPTY);
  const save = useSaveKey(provider, replaces, form, onClose);
  const set = (fields: Partial<typeof form>) => setForm({ ...form, ...fields });
  return (
    <Dialog
      open
      onClose={onClose}
      title={
        replaces === undefined
          ? providersText.credentialDialog.addTitle(provider.id)
          : providersText.credentialDialog.replaceTitle(replaces)
      }
      description={providersText.credentialDialog.description}
    >
      <Form
        onSubmit={() => save.run(undefined)}
        error={save.error}
        running={save.running}
        actions={
          <>
            <Button onClick={onClose}>{providersText.credentialDialog.cancel}</Button>
            <Button type="submit" look="primary" busy={save.running} disabled={form.api_key === ''}>
              {replaces === undefined
                ? providersText.credentialDialog.add
                : providersText.credentialDialog.replace}
            </Button>
          </>
        }
      >
        {replaces === undefined && <KeyName value={form.name} onChange={(name) => set({ name })} />}
        <FormField name="api_key" label={providersText.credentialDialog.key}>
          <Input
            type="password"
            autoComplete="off"
            value={form.api_key}
            onChange={({ target }) => set({ api_key: target.value })}
          />
        </FormField>
        {replaces === undefined && <Weight value={form.weight} onChange={(weight) => set({ weight })} />}
      </Form>
    </Dialog>
  );
}

function useSaveKey(
  provider: ProviderResource,
  replaces: string | undefined,
  form: typeof EMPTY,
  onDone: () => void,
) {
  const all = `${buildProviderApiPath(provider.id)}/credentials`;
  const { api_key, weight } = form;
  return useApiMutation(
    (_: undefined, keys) =>
      replaces === undefined
        ? sendJson<CredentialResource>(
            'POST',
            all,
            { name: form.name.trim(), api_key, weight: parseNumberField(weight) ?? 1 },
            { keys },
          )
        : sendJson<CredentialResource>('PATCH', `${all}/${encodeURIComponent(replaces)}`, { api_key }),
    {
      touches: PROVIDER_QUERY_KEYS,
      done: ({ name }) => {
        showToast(providersText.credentialDialog.saved(name));
        onDone();
      },
    },
  );
}

function KeyName({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <FormField
      name="name"
      label={providersText.credentialDialog.name}
      hint={providersText.credentialDialog.nameHint}
    >
      <Input
        value={value}
        placeholder={providersText.credentialDialog.namePlaceholder}
        onChange={({ target }) => onChange(target.value)}
      />
    </FormField>
  );
}

function Weight({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <FormField
      name="weight"
      label={providersText.credentialDialog.weight}
      hint={providersText.credentialDialog.weightHint}
    >
      <Input inputMode="decimal" value={value} onChange={({ target }) => onChange(target.value)} />
    </FormField>
  );
}
