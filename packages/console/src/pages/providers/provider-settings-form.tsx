import type { ReactNode } from 'react';
import type { ResourceWithETag } from '../../data/api-client.ts';
import { type FormFieldsProps, usePatchForm } from '../../data/use-patch-form.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { EditForm } from '../../ui/edit-form.tsx';
import { Input, Select } from '../../ui/field.tsx';
import { FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { buildProviderApiPath, PROVIDER_QUERY_KEYS, type ProviderResource } from './provider-data.ts';
import { providersText } from './text.ts';

const BILLING = [
  { value: 'metered', label: providersText.settings.billingOptions.metered },
  { value: 'free', label: providersText.settings.billingOptions.free },
  { value: 'seat', label: providersText.settings.billingOptions.seat },
] as const;

const formOf = (provider: ProviderResource) => ({
  enabled: provider.enabled,
  base_url: provider.base_url ?? '',
  billing: provider.billing,
  price_multiplier: formatNumberField(provider.price_multiplier),
});

/**
 * Renders the form for the base URL and the billing of a provider. The form can also enable or disable the
 * provider.
 */
export function ProviderSettingsForm({
  loaded,
  more,
}: {
  readonly loaded: ResourceWithETag<ProviderResource>;
  readonly more: ReactNode;
}) {
  const provider = loaded.body;
  const edit = usePatchForm<ProviderResource, ReturnType<typeof formOf>>({
    path: buildProviderApiPath(provider.id),
    loaded,
    formOf,
    write: (form) => ({
      enabled: form.enabled,
      base_url: form.base_url.trim() || null,
      billing: form.billing,
      price_multiplier: parseNumberField(form.price_multiplier),
    }),
    touches: PROVIDER_QUERY_KEYS,
    done: ({ enabled, id }) =>
      showToast(enabled ? providersText.settings.saved(id) : providersText.settings.disabled(id)),
  });
  const { form, set } = edit;
  return (
    <div className="max-w-2xl">
      <EditForm
        edit={edit}
        source={provider.source}
        verb={providersText.settings.save}
        more={more}
        showSource={false}
      >
        <Switch
          label={providersText.settings.enabled}
          hint={providersText.settings.enabledHint}
          checked={form.enabled}
          onChange={(enabled) => set({ enabled })}
        />
        <FormField
          name="base_url"
          label={providersText.fields.baseUrl}
          optional
          hint={providersText.fields.baseUrlChange}
        >
          <Input
            value={form.base_url}
            placeholder={providersText.fields.baseUrlDefault(provider.kind)}
            data-shows-default=""
            spellCheck={false}
            onChange={({ target }) => set({ base_url: target.value })}
          />
        </FormField>
        <BillingFields form={form} onChange={set} />
      </EditForm>
    </div>
  );
}

/** The fields that determine how the provider bills requests, and therefore what budgets count. */
function BillingFields({ form, onChange }: FormFieldsProps<ReturnType<typeof formOf>>) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <FormField name="billing" label={providersText.settings.billing}>
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
        label={providersText.settings.multiplier}
        hint={providersText.settings.multiplierHint}
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
