import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { getJsonWithETag, sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { type ProviderResource, providerLookupQuery } from '../../data/lookup-queries.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { ModelResource } from './model-price.ts';
import { canUseCatalogPrice, removePriceOverride, setPriceOverride } from './price-overrides.ts';
import { modelsText } from './text.ts';

const FIELDS = [
  ['input', modelsText.price.input, false],
  ['output', modelsText.price.output, false],
  ['cache_read', modelsText.price.cacheRead, true],
  ['cache_write', modelsText.price.cacheWrite, true],
] as const;

/** Renders a control that sets a price for one model. The price overrides the catalog price. */
export function ModelPriceOverride({
  model,
  provider,
}: {
  readonly model: ModelResource;
  readonly provider: string;
}) {
  const [asked, setAsked] = useState(false);
  const settings = useQuery(providerLookupQuery).data?.data.find(({ id }) => id === provider);
  if (settings && settings.billing !== 'metered')
    return <p className="mt-3 text-ui text-ink-2">{modelsText.price.unmetered[settings.billing]}</p>;
  return (
    <div className="mt-3">
      <Button needs="management" onClick={() => setAsked(true)}>
        {model.prices?.source === 'override' ? modelsText.price.change : modelsText.price.set}
      </Button>
      {asked && (
        <PriceDialog
          model={model}
          provider={provider}
          canReset={canUseCatalogPrice(settings?.prices ?? {}, model.model ?? model.id)}
          onClose={() => setAsked(false)}
        />
      )}
    </div>
  );
}

/** The dialog with the price. It is mounted when it opens, so that it starts with the current price. */
function PriceDialog({
  model,
  provider,
  canReset,
  onClose,
}: {
  readonly model: ModelResource;
  readonly provider: string;
  /** Whether the catalog price can be used instead. */
  readonly canReset: boolean;
  readonly onClose: () => void;
}) {
  const name = model.model ?? model.id;
  const [form, setForm] = useState<Readonly<Record<string, string>>>({
    input: formatNumberField(model.prices?.input_usd),
    output: formatNumberField(model.prices?.output_usd),
    cache_read: formatNumberField(model.prices?.cache_read_usd),
    cache_write: formatNumberField(model.prices?.cache_write_usd),
  });
  const save = useSavePrice(provider, name, form, onClose);
  return (
    <Dialog
      open
      onClose={onClose}
      title={modelsText.price.dialog(model.id)}
      description={modelsText.price.description}
    >
      <Form
        onSubmit={() => save.run(true)}
        error={save.error}
        running={save.running}
        actions={
          <>
            {canReset && (
              <Button look="quiet" className="mr-auto" onClick={() => save.run(false)}>
                {modelsText.price.useCatalog}
              </Button>
            )}
            <Button onClick={onClose}>{modelsText.price.cancel}</Button>
            <Button type="submit" look="primary" busy={save.running}>
              {modelsText.price.save}
            </Button>
          </>
        }
      >
        <div className="grid grid-cols-2 gap-4">
          {FIELDS.map(([field, label, optional]) => (
            <FormField key={field} name={`prices.${name}.${field}`} label={label} optional={optional}>
              <Input
                inputMode="decimal"
                value={form[field] ?? ''}
                onChange={({ target }) => setForm({ ...form, [field]: target.value })}
              />
            </FormField>
          ))}
        </div>
      </Form>
    </Dialog>
  );
}

/**
 * Returns a function that saves the price override in the provider’s settings. A price of false removes it.
 */
function useSavePrice(
  provider: string,
  name: string,
  form: Readonly<Record<string, string>>,
  onDone: () => void,
) {
  const path = `api/management/providers/${encodeURIComponent(provider)}`;
  return useApiMutation(
    async (own: boolean) => {
      const { body, etag } = await getJsonWithETag<ProviderResource>(path);
      const prices = own
        ? setPriceOverride(body.prices, name, parsePrices(form))
        : removePriceOverride(body.prices, name);
      return sendJson<ProviderResource>('PATCH', path, { prices }, { etag });
    },
    {
      touches: [['models'], ['providers']],
      done: () => {
        onDone();
        showToast(modelsText.price.saved);
      },
    },
  );
}

/** Returns the entered prices. A price that is not a number remains text, so that the server reports the error. */
function parsePrices(form: Readonly<Record<string, string>>): Readonly<Record<string, number | string>> {
  return Object.fromEntries(
    FIELDS.flatMap(([field]) => {
      const value = parseNumberField(form[field] ?? '');
      return value === null ? [] : [[field, value]];
    }),
  );
}
