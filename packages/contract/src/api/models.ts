import * as z from 'zod';
import { createListQuerySchema } from './page.ts';

const usd = z.number().describe('Price in US dollars per million tokens.');

const prices = z.strictObject({
  input_usd: usd,
  output_usd: usd,
  cache_read_usd: usd.nullable(),
  cache_write_usd: usd.nullable(),
  tiers: z.array(z.strictObject({ above_input_tokens: z.int(), input_usd: usd, output_usd: usd })),
  source: z.enum(['catalog', 'override', 'free', 'seat']),
  date: z
    .string()
    .nullable()
    .describe('Date of the price catalog. `null` for prices that are not from the catalog.'),
});

export const modelListQuery = createListQuerySchema(['provider']).extend({
  provider: z.string().min(1).max(64).optional().describe('Only models of this provider.'),
  key: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Only models that the platform key with this id may use.'),
});

/** A value that a client may send as `model`: a provider's model or an alias. */
export const modelResource = z
  .strictObject({
    id: z.string().describe('Model id or alias that callers send as `model`.'),
    kind: z.enum(['model', 'alias']),
    provider: z.string().nullable(),
    model: z.string().nullable().describe('The provider’s name for the model. `null` for an alias.'),
    listed_by: z
      .enum(['provider', 'allowlist', 'route'])
      .describe('Source of the entry: the provider’s model list, the provider’s allowlist, or a route.'),
    targets: z
      .array(z.string())
      .describe('Targets of the route for this model. Empty if no route changes the target.'),
    aliases: z.array(z.string()).describe('Aliases that have this model as a target.'),
    context_window: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    prices: prices
      .nullable()
      .describe(
        'Prices of the model. `null` means that the price is unknown, not that the model is free. Always `null` for an alias.',
      ),
    keys: z
      .strictObject({ count: z.int(), names: z.array(z.string()) })
      .describe(
        'Active platform keys with the scope `gateway` that may use this model. `names` contains the first 20 by name.',
      ),
  })
  .meta({ id: 'Model' });
