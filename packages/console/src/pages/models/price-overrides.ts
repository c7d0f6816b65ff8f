import type { providerResource } from '@floe/contract/api/providers';
import type * as z from 'zod';
import { matchesModelPattern } from '../../data/model-pattern.ts';

/** The price overrides of a provider, by model pattern. The first matching pattern is used. */
export type PriceOverrides = z.output<typeof providerResource>['prices'];

/**
 * Returns the overrides with one for this model. It comes before all patterns, so that it applies. It keeps what
 * the form does not set, which is the prices of other units and tiers, from the override that applied before.
 */
export function setPriceOverride<FormPrice extends object>(
  overrides: PriceOverrides,
  model: string,
  price: FormPrice,
): Readonly<Record<string, PriceOverrides[string] | FormPrice>> {
  const { units, tiers } = findPriceOverride(overrides, model) ?? {};
  return {
    [model]: { ...price, ...(units && { units }), ...(tiers && { tiers }) },
    ...removePriceOverride(overrides, model),
  };
}

/** Returns the overrides without the one for this model. */
export function removePriceOverride(overrides: PriceOverrides, model: string): PriceOverrides {
  return Object.fromEntries(Object.entries(overrides).filter(([pattern]) => pattern !== model));
}

/** Returns whether the model has an override of its own, and the catalog price applies after it is removed. */
export function canUseCatalogPrice(overrides: PriceOverrides, model: string): boolean {
  return (
    Object.hasOwn(overrides, model) &&
    findPriceOverride(removePriceOverride(overrides, model), model) === undefined
  );
}

function findPriceOverride(overrides: PriceOverrides, model: string): PriceOverrides[string] | undefined {
  return Object.entries(overrides).find(([pattern]) => matchesModelPattern(pattern, model))?.[1];
}
