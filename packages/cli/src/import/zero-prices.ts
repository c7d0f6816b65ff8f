import type { ConfigDraft } from './config-draft.ts';
import type { ImportContext } from './import-source-object.ts';
import { hasCatalogPrices } from './known-providers.ts';

/**
 * If the draft has hard budgets, sets a price of 0 for each model that has no price and whose kind of provider is not
 * in the price catalog. Other gateways treat such models as free. Without a price, Floe would reject their requests
 * under a hard budget.
 */
export function addZeroPrices(draft: ConfigDraft, { report }: ImportContext): void {
  if (!draft.hasHardBudgets()) return;
  for (const { id, fields, models, prices } of draft.providers) {
    if (hasCatalogPrices(fields['kind'])) continue;
    for (const model of models) {
      if (prices.has(model)) continue;
      prices.set(model, { input: 0, output: 0 });
      report.record({
        group: 'prices',
        field: `${id}/${model}`,
        outcome: 'changed',
        note: 'the price catalog has no price for this kind of provider, so the price was set to 0; set the actual prices on the provider',
      });
    }
  }
}
