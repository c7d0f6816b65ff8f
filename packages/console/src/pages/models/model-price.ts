import type { modelResource } from '@floe/contract/api/models';
import type * as z from 'zod';
import { formatPrice } from '../../format/amounts.ts';
import { text } from './text.ts';

export type Model = z.output<typeof modelResource>;

/** A price in USD per million tokens. A missing price is not the same as a free model. */
export function formatModelPrice(usd: number | null | undefined): string {
  if (usd === undefined) return text.price.unknown;
  if (usd === null) return text.price.none;
  return usd === 0 ? text.price.free : `$${formatPrice(usd)}`;
}

/** Where the price of a model comes from. */
export function describePriceSource({ prices }: Pick<Model, 'prices'>): string {
  if (prices === null) return text.price.sources.none;
  if (prices.source === 'override') return text.price.sources.override;
  if (prices.source === 'free') return text.price.sources.free;
  if (prices.source === 'seat') return text.price.sources.seat;
  return prices.date === null ? text.price.sources.catalog : text.price.sources.catalogDate(prices.date);
}
