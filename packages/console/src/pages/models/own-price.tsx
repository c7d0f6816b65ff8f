import type { providerResource as providerSchema } from '@floe/contract/api/providers';
import { useState } from 'react';
import type * as z from 'zod';
import { getWithETag, sendJson } from '../../data/api-client.ts';
import { useApiMutation } from '../../data/api-mutation.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { Form, FormField } from '../../ui/form.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Model } from './model-words.ts';

type Provider = z.output<typeof providerSchema>;

const FIELDS = [
  ['input', 'Input', false],
  ['output', 'Output', false],
  ['cache_read', 'Cache read', true],
  ['cache_write', 'Cache write', true],
] as const;

/** A price of the org's own for one model, which the catalog no longer has a say in. */
export function OwnPrice({ model, provider }: { readonly model: Model; readonly provider: string }) {
  const [asked, setAsked] = useState(false);
  const isOwn = model.prices?.source === 'override';
  return (
    <div className="mt-3">
      <Button needs="management" onClick={() => setAsked(true)}>
        {isOwn ? 'Change the price' : 'Give it a price'}
      </Button>
      {asked && (
        <PriceDialog model={model} provider={provider} isOwn={isOwn} onClose={() => setAsked(false)} />
      )}
    </div>
  );
}

/** Drawn while it is asked for: it begins with what is known then. */
function PriceDialog({
  model,
  provider,
  isOwn,
  onClose,
}: {
  readonly model: Model;
  readonly provider: string;
  readonly isOwn: boolean;
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
      title={`Price of ${model.id}`}
      description="USD per million tokens. It counts for requests from now on."
    >
      <Form
        onSubmit={() => save.run(true)}
        error={save.error}
        running={save.running}
        actions={
          <>
            {isOwn && (
              <Button look="quiet" className="mr-auto" onClick={() => save.run(false)}>
                Back to the catalog
              </Button>
            )}
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={save.running}>
              Save price
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

/** Writes the price among those of the provider; false takes it away. */
function useSavePrice(
  provider: string,
  name: string,
  form: Readonly<Record<string, string>>,
  onDone: () => void,
) {
  const path = `api/management/providers/${encodeURIComponent(provider)}`;
  return useApiMutation(
    async (own: boolean) => {
      const { body, etag } = await getWithETag<Provider>(path);
      const others = Object.fromEntries(Object.entries(body.prices).filter(([id]) => id !== name));
      const price = Object.fromEntries(
        FIELDS.flatMap(([field]) => {
          const value = parseNumberField(form[field] ?? '');
          return value === null ? [] : [[field, value]];
        }),
      );
      // Units and tiers are set in the configuration; this form leaves them as they are.
      const { units, tiers } = body.prices[name] ?? {};
      const whole = { ...price, ...(units && { units }), ...(tiers && { tiers }) };
      return sendJson<Provider>('PATCH', path, { prices: own ? { ...others, [name]: whole } : others }, etag);
    },
    {
      touches: [['models'], ['providers']],
      done: () => {
        onDone();
        showToast('The next request has this price; those before keep theirs.');
      },
    },
  );
}
