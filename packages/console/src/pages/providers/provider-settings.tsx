import type { ReactNode } from 'react';
import type { WithETag } from '../../data/api-client.ts';
import { type FormPart, useEdit } from '../../data/edit.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { type Provider, providerPath, TOUCHES } from './provider-data.ts';

const BILLING = [
  { value: 'metered', label: 'By tokens' },
  { value: 'free', label: 'Free: counts against no budget' },
  { value: 'seat', label: 'By seat: counts against no budget' },
] as const;

const formOf = (provider: Provider) => ({
  enabled: provider.enabled,
  base_url: provider.base_url ?? '',
  billing: provider.billing,
  price_multiplier: formatNumberField(provider.price_multiplier),
});

/** Where it is, whether it is in use, and how it is paid. */
export function ProviderSettings({
  read,
  more,
}: {
  readonly read: WithETag<Provider>;
  readonly more: ReactNode;
}) {
  const provider = read.body;
  const edit = useEdit<Provider, ReturnType<typeof formOf>>({
    path: providerPath(provider.id),
    read,
    formOf,
    write: (form) => ({
      enabled: form.enabled,
      base_url: form.base_url.trim() || null,
      billing: form.billing,
      price_multiplier: parseNumberField(form.price_multiplier),
    }),
    touches: TOUCHES,
    done: ({ enabled, id }) =>
      showToast(enabled ? `${id} was saved.` : `${id} is out of use; its history stays.`),
  });
  const { form, set } = edit;
  return (
    <div className="max-w-2xl">
      <EditForm edit={edit} source={provider.source} verb="Save provider" more={more} showSource={false}>
        <Switch
          label="In use"
          hint="Off: requests for it go to the next target of their route, or answer 404. Its history stays."
          checked={form.enabled}
          onChange={(enabled) => set({ enabled })}
        />
        <FormField
          name="base_url"
          label="Address"
          optional
          hint="Keys are bound to their address: with another one they have to be given again."
        >
          <Input
            value={form.base_url}
            placeholder={`the public one of ${provider.kind}`}
            spellCheck={false}
            onChange={({ target }) => set({ base_url: target.value })}
          />
        </FormField>
        <Payment form={form} onChange={set} />
      </EditForm>
    </div>
  );
}

/** How its requests are paid, which is what budgets count. */
function Payment({ form, onChange }: FormPart<ReturnType<typeof formOf>>) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField name="billing" label="Billing">
        <Select
          choices={BILLING}
          value={form.billing}
          onChange={({ target }) => {
            const billing = BILLING.find(({ value }) => value === target.value)?.value;
            if (billing) onChange({ billing });
          }}
        />
      </FormField>
      <FormField
        name="price_multiplier"
        label="Factor on catalog prices"
        hint="0.8 is a discount of a fifth."
      >
        <Input
          inputMode="decimal"
          value={form.price_multiplier}
          onChange={({ target }) => onChange({ price_multiplier: target.value })}
        />
      </FormField>
    </div>
  );
}
