import * as z from 'zod';
import { createListQuery } from './page.ts';

const usd = z.number().describe('USD per million tokens.');

const prices = z.strictObject({
  input_usd: usd,
  output_usd: usd,
  cache_read_usd: usd.nullable(),
  cache_write_usd: usd.nullable(),
  tiers: z.array(z.strictObject({ above_input_tokens: z.int(), input_usd: usd, output_usd: usd })),
  source: z.enum(['catalog', 'override', 'free', 'seat']),
  date: z.string().nullable().describe('Day of the catalog; null for the org’s own prices.'),
});

export const modelListQuery = createListQuery(['provider']).extend({
  provider: z.string().min(1).max(64).optional().describe('Only models of this provider.'),
  key: z.string().min(1).max(100).optional().describe('Only what this platform key (id) may use.'),
});

/** Something a caller may name as `model`: a model of a provider, or an alias. */
export const modelResource = z
  .strictObject({
    id: z.string().describe('What callers ask for.'),
    kind: z.enum(['model', 'alias']),
    provider: z.string().nullable(),
    model: z.string().nullable().describe('The provider’s own id; null for an alias.'),
    listed_by: z
      .enum(['provider', 'allowlist', 'route'])
      .describe('Who names it: the provider’s list, the allowlist of the provider, a route.'),
    targets: z.array(z.string()).describe('Where a route sends it; none: to itself.'),
    aliases: z.array(z.string()).describe('Routes that send to it.'),
    context_window: z.int().nullable(),
    max_output_tokens: z.int().nullable(),
    prices: prices.nullable().describe('Null when the price is unknown, which does not mean free.'),
    keys: z
      .strictObject({ count: z.int(), names: z.array(z.string()) })
      .describe('Working platform keys with the scope `gateway` that may use it; the first 20 by name.'),
  })
  .meta({ id: 'Model' });
