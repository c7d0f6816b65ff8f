import type { modelResource } from '@floe/contract/api/models';
import type * as z from 'zod';
import { formatPrice } from '../../format/amounts.ts';
import { modelsText } from './text.ts';

/** A model of the organization, or a route alias. */
export type ModelResource = z.output<typeof modelResource>;

/** Formats a price in USD per million tokens. A missing price is shown differently from a price of 0. */
export function formatModelPrice(usd: number | null | undefined): string {
  if (usd === undefined) return modelsText.price.unknown;
  if (usd === null) return modelsText.price.none;
  return usd === 0 ? modelsText.price.free : `$${formatPrice(usd)}`;
}

/** Describes where the price of a model comes from, such as `Catalog` or `Set by the organization`. */
export function describePriceSource({ prices }: Pick<ModelResource, 'prices'>): string {
  if (prices === null) return modelsText.price.sources.none;
  if (prices.source === 'override') return modelsText.price.sources.override;
  if (prices.source === 'free') return modelsText.price.sources.free;
  if (prices.source === 'seat') return modelsText.price.sources.seat;
  return prices.date === null
    ? modelsText.price.sources.catalog
    : modelsText.price.sources.catalogDate(prices.date);
}
