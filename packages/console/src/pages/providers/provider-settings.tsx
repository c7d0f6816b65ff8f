import type { ReactNode } from 'react';
import type { WithETag } from '../../data/api-client.ts';
import { type FormPart, useEdit } from '../../data/edit.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { PROVIDER_QUERY_KEYS, type Provider, providerPath } from './provider-data.ts';
import { text } from './text.ts';

const BILLING = [
  { value: 'metered', label: text.settings.billingOptions.metered },
  { value: 'free', label: text.settings.billingOptions.free },
  { value: 'seat', label: text.settings.billingOptions.seat },
] as const;

const formOf = (provider: Provider) => ({
  enabled: provider.enabled,
  base_url: provider.base_url ?? '',
  billing: provider.billing,
  price_multiplier: formatNumberField(provider.price_multiplier),
});

/** The base URL and billing of a provider, and whether it is enabled. */
export function ProviderSettingsForm({
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
    touches: PROVIDER_QUERY_KEYS,
    done: ({ enabled, id }) => showToast(enabled ? text.settings.saved(id) : text.settings.disabled(id)),
  });
  const { form, set } = edit;
  return (
    <div className="max-w-2xl">
      <EditForm edit={edit} source={provider.source} verb={text.settings.save} more={more} showSource={false}>
        <Switch
          label={text.settings.enabled}
          hint={text.settings.enabledHint}
          checked={form.enabled}
          onChange={(enabled) => set({ enabled })}
        />
        <FormField name="base_url" label={text.fields.baseUrl} optional hint={text.fields.baseUrlChange}>
          <Input
            value={form.base_url}
            placeholder={text.fields.baseUrlDefault(provider.kind)}
            spellCheck={false}
            onChange={({ target }) => set({ base_url: target.value })}
          />
        </FormField>
        <BillingFields form={form} onChange={set} />
      </EditForm>
    </div>
  );
}

/** How the requests of the provider are billed, which decides what budgets count. */
function BillingFields({ form, onChange }: FormPart<ReturnType<typeof formOf>>) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField name="billing" label={text.settings.billing}>
        <Select
          choices={BILLING}
          value={form.billing}
          onChange={({ target }) => {
            const billing = BILLING.find(({ value }) => value === target.value)?.value;
            if (billing) onChange({ billing });
          }}
        />
      </FormField>
      <FormField name="price_multiplier" label={text.settings.multiplier} hint={text.settings.multiplierHint}>
        <Input
          inputMode="decimal"
          value={form.price_multiplier}
          onChange={({ target }) => onChange({ price_multiplier: target.value })}
        />
      </FormField>
    </div>
  );
}
