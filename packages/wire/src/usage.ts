import { ExactNumber, isObject } from '@floe/contract/json';
import { addUnits, type BilledUnits, tierOf, unitsOf, unitsOfTools } from './units.ts';

/**
 * Tokens of one answer, in one arithmetic for every provider: `input` holds everything that went in
 * (cached and cache-written tokens included), `output` everything that came out (reasoning included).
 * A field is absent when the provider did not say.
 */
export interface Usage {
  readonly input?: number;
  /** Part of `input` that was read from the provider's prompt cache. */
  readonly cached?: number;
  /** Part of `input` that was written to the provider's prompt cache. */
  readonly cacheWrite?: number;
  readonly output?: number;
  /** Part of `output` spent on reasoning. */
  readonly reasoning?: number;
  /** What is billed beside plain tokens or in place of some of them. */
  readonly units?: BilledUnits;
  /** Service tier that served it, by the name prices know it by (`tierOf`); absent when it was not told. */
  readonly tier?: string;
}

/**
 * Joins two reports of one answer field by field; what was said later counts.
 *
 * @example
 * mergeUsage({ input: 7, output: 1 }, { output: 5 }); // { input: 7, output: 5 }
 */
export function mergeUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  if (earlier.units === undefined || later.units === undefined) return { ...earlier, ...later };
  return { ...earlier, ...later, units: { ...earlier.units, ...later.units } };
}

/**
 * What two answers used together; a field is absent when neither said.
 *
 * @example
 * addUsage({ input: 7, output: 1 }, { output: 5 }); // { input: 7, output: 6 }
 */
export function addUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other;
  const sum = new Map<TokenField, number>();
  for (const usage of [one, other])
    for (const field of USAGE_FIELDS) {
      const count = usage[field];
      if (count !== undefined) sum.set(field, (sum.get(field) ?? 0) + count);
    }
  const tier = one.tier ?? other.tier;
  return billed(Object.fromEntries(sum), addUnits(one.units, other.units), tier);
}

type TokenField = (typeof USAGE_FIELDS)[number];

/**
 * Token counts with what else is billed; the counts themselves when nothing is.
 *
 * @example
 * billed({ input: 7 }, { web_search: 1 }, 'flex'); // { input: 7, units: { web_search: 1 }, tier: 'flex' }
 */
export function billed(usage: Usage, units: BilledUnits | undefined, tier: string | undefined): Usage {
  if (units === undefined && tier === undefined) return usage;
  return { ...usage, ...(units && { units: addUnits(usage.units, units) ?? units }), ...(tier && { tier }) };
}

const USAGE_FIELDS = ['input', 'cached', 'cacheWrite', 'output', 'reasoning'] as const;

/**
 * Reads the `usage` member of the Chat dialect and of the hosts that speak it: cached tokens under any
 * of their names, and reasoning tokens that `completion_tokens` leaves out (told by the sum:
 * total = prompt + completion + reasoning). What is not a count is ignored; undefined when nothing is left.
 * `tier` is the `service_tier` that stands beside `usage`.
 *
 * @example
 * const usage = { prompt_tokens: 7, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
 * readChatUsage(usage); // { input: 7, cached: 4, output: 2 }
 */
export function readChatUsage(value: unknown, tier?: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const promptDetails = value.prompt_tokens_details ?? value.prompt_token_details;
  const completionDetails = value.completion_tokens_details;
  const input = count(value.prompt_tokens);
  const cached =
    count(member(promptDetails, 'cached_tokens')) ??
    count(value.prompt_cache_hit_tokens) ??
    count(value.num_cached_tokens) ??
    count(value.cached_tokens);
  const cacheWrite =
    count(member(promptDetails, 'cache_write_tokens')) ??
    count(member(promptDetails, 'cache_creation_input_tokens'));
  const reasoning = count(member(completionDetails, 'reasoning_tokens')) ?? count(value.reasoning_tokens);
  const output = outputWithReasoning(
    count(value.completion_tokens),
    reasoning,
    input,
    count(value.total_tokens),
  );
  const usage: Usage = {
    ...(input !== undefined && { input }),
    // A part cannot exceed its whole, yet some hosts report more cached than prompt tokens.
    ...(cached !== undefined && { cached: Math.min(cached, input ?? cached) }),
    ...(cacheWrite !== undefined && { cacheWrite: Math.min(cacheWrite, input ?? cacheWrite) }),
    ...(output !== undefined && { output }),
    ...(reasoning !== undefined && { reasoning }),
  };
  if (Object.keys(usage).length === 0) return undefined;
  const units = addUnits(modalities(promptDetails, completionDetails), unitsOfTools(value));
  return billed(usage, units, tierOf(tier) ?? tierOf(value.service_tier));
}

/**
 * Tokens that are no text, as OpenAI and its kin count them within their details.
 *
 * @example
 * modalities({ audio_tokens: 3 }, { image_tokens: 8 }); // { input_audio: 3, output_image: 8 }
 */
export function modalities(input: unknown, output: unknown): BilledUnits | undefined {
  const cached = member(input, 'cached_tokens_details');
  return unitsOf(
    ['input_audio', member(input, 'audio_tokens')],
    ['input_image', member(input, 'image_tokens')],
    ['cached_audio', member(cached, 'audio_tokens')],
    ['cached_image', member(cached, 'image_tokens')],
    ['output_audio', member(output, 'audio_tokens')],
    ['output_image', member(output, 'image_tokens')],
  );
}

function outputWithReasoning(
  completion: number | undefined,
  reasoning: number | undefined,
  input: number | undefined,
  total: number | undefined,
): number | undefined {
  if (completion === undefined || reasoning === undefined) return completion;
  const left = total !== undefined && total === (input ?? 0) + completion + reasoning;
  return left || reasoning > completion ? completion + reasoning : completion;
}

function member(value: unknown, key: string): unknown {
  return isObject(value) ? value[key] : undefined;
}

function count(given: unknown): number | undefined {
  const value = given instanceof ExactNumber ? given.approximate : given;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
