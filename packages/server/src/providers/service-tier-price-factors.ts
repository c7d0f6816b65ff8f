/**
 * Factors of service tiers for the standard token prices of a model. Fees for tools are unchanged. The
 * catalog package has no tiers. These factors are from its sources, with the date of the data. A tier that is
 * not listed has no known price.
 * - models.dev, 2026-07-02 (`experimental.modes.fast`): OpenAI `priority`, Anthropic `fast`
 * - pydantic genai-prices 0.1.8, 2026-09-23 (`price_comments`): Gemini `batch`, `flex`, `priority`
 */
const TIER_FACTORS: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>> = {
  openai: {
    'gpt-5.4': { priority: 2 },
    'gpt-5.4-mini': { priority: 2 },
    'gpt-5.5': { priority: 2.5 },
  },
  anthropic: {
    'claude-opus-4-6': { fast: 6 },
    'claude-opus-4-7': { fast: 6 },
    'claude-opus-4-8': { fast: 2 },
  },
  google: {
    'gemini-3-flash-preview': { batch: 0.5 },
    'gemini-3.5-flash': { batch: 0.5, flex: 0.5 },
    'gemini-3.5-flash-lite': { batch: 0.5, flex: 0.5 },
    'gemini-3.6-flash': { batch: 0.5, flex: 0.5 },
    'gemini-3.7-flash': { batch: 0.5, flex: 0.5, priority: 1.8 },
    'gemini-3.8-flash': { batch: 0.5, flex: 0.5, priority: 1.8 },
  },
};

/** Returns a model's price factors by service tier. `book` and `model` are the names of the provider and the model in the price catalog. */
export function getCatalogServiceTierPriceFactors(
  book: string,
  model: string,
): Readonly<Record<string, number>> {
  return TIER_FACTORS[book]?.[model] ?? {};
}
