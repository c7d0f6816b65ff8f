import type { modelResource } from '@floe/contract/api/models';
import type * as z from 'zod';
import { formatPrice } from '../../format/amounts.ts';

export type Model = z.output<typeof modelResource>;

/** USD per million tokens; a price nobody knows is unknown, which is not free. */
export function priceText(usd: number | null | undefined): string {
  if (usd === undefined) return 'unknown';
  if (usd === null) return '–';
  return usd === 0 ? 'free' : `$${formatPrice(usd)}`;
}

/** Who says what a model costs. */
export function priceSource({ prices }: Pick<Model, 'prices'>): string {
  if (prices === null) return 'nobody knows';
  if (prices.source === 'override') return 'this org';
  if (prices.source === 'free') return 'free';
  if (prices.source === 'seat') return 'paid by seat';
  return prices.date === null ? 'catalog' : `catalog, ${prices.date}`;
}

export const LISTED: Readonly<Record<Model['listed_by'], string>> = {
  provider: 'the provider’s own list',
  allowlist: 'the allowlist of the provider',
  route: 'a route',
};
