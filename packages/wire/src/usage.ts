import { BILLED_UNITS } from '@floe/contract/billed-units';
import { ExactNumber, isJsonObject } from '@floe/contract/json';
import {
  addBilledUnitCount,
  addReportedUnits,
  type BilledUnitCounts,
  type MutableBilledUnitCounts,
  parseServiceTier,
} from './billed-unit-counts.ts';

/**
 * The billed usage of a response, defined in the same way for all providers. `input` includes cached
 * and cache-written tokens. `output` includes reasoning. `BILLED_UNITS` in the contract package
 * defines which units include others.
 */
export interface Usage {
  readonly units: BilledUnitCounts;
  /** Service tier, as price lists name it (`parseServiceTier`). Absent if it was not reported. */
  readonly tier?: string | undefined;
}

/**
 * Merges two reports about one response. For each unit, the later report takes precedence.
 * @example
 * const usage = mergeUsage({ units: { input: 7, output: 1 } }, { units: { output: 5 } });
 * usage.units; // { input: 7, output: 5 }
 */
export function mergeUsage<Other extends Usage | null | undefined>(
  earlier: Usage | null | undefined,
  later: Other,
): Usage | Other {
  if (!earlier) return later;
  if (!later) return earlier;
  return { units: { ...earlier.units, ...later.units }, tier: later.tier ?? earlier.tier };
}

/**
 * Adds the usage of two responses. A unit is absent if neither has it.
 * @example
 * const usage = sumUsage({ units: { input: 7, output: 1 } }, { units: { output: 5 } });
 * usage.units; // { input: 7, output: 6 }
 */
export function sumUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other;
  const units: MutableBilledUnitCounts = { ...one.units };
  for (const { unit } of BILLED_UNITS) {
    const count = other.units[unit];
    if (count !== undefined) units[unit] = (units[unit] ?? 0) + count;
  }
  return { units, tier: one.tier ?? other.tier };
}

/** The token units that a provider's report can contain. */
export const REPORTED_TOKEN_UNITS = ['input', 'cached', 'cache_write', 'output', 'reasoning'] as const;

type ReportedCounts = Readonly<Record<(typeof REPORTED_TOKEN_UNITS)[number], number | undefined>>;

/**
 * Returns the token counts that a provider reported; undefined if there are none.
 * @example
 * toUnitCounts({ input: 7, output: undefined }); // { input: 7 }
 */
export function toUnitCounts(counts: ReportedCounts): MutableBilledUnitCounts | undefined {
  let units: MutableBilledUnitCounts | undefined;
  for (const unit of REPORTED_TOKEN_UNITS) {
    const count = counts[unit];
    if (count === undefined) continue;
    units ??= {};
    units[unit] = count;
  }
  return units;
}

/**
 * Reads `usage` of the Chat dialect and its variants: cached tokens under any known name, and reasoning
 * tokens that `completion_tokens` excludes (if total = prompt + completion + reasoning). Ignores invalid
 * counts. Returns undefined if there is no valid count.
 * @param tier the value of `service_tier`, which responses contain next to `usage`
 * @example
 * const usage = { prompt_tokens: 7, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
 * readChatUsage(usage).units; // { input: 7, cached: 4, output: 2 }
 */
export function readChatUsage(value: unknown, tier?: unknown): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const promptDetails = value.prompt_tokens_details ?? value.prompt_token_details;
  const completionDetails = value.completion_tokens_details;
  const input = parseCount(value.prompt_tokens);
  const cached =
    parseCount(getMember(promptDetails, 'cached_tokens')) ??
    parseCount(value.prompt_cache_hit_tokens) ??
    parseCount(value.num_cached_tokens) ??
    parseCount(value.cached_tokens);
  const written =
    parseCount(getMember(promptDetails, 'cache_write_tokens')) ??
    parseCount(getMember(promptDetails, 'cache_creation_input_tokens'));
  const reasoning =
    parseCount(getMember(completionDetails, 'reasoning_tokens')) ?? parseCount(value.reasoning_tokens);
  const output = outputWithReasoning(
    parseCount(value.completion_tokens),
    reasoning,
    input,
    parseCount(value.total_tokens),
  );
  const units = toUnitCounts({
    input,
    // Some providers report more cached tokens than prompt tokens.
    cached: cached && Math.min(cached, input ?? cached),
    cache_write: written && Math.min(written, input ?? written),
    output,
    reasoning,
  });
  if (units === undefined) return undefined;
  addMediaTokens(units, promptDetails, completionDetails);
  addReportedUnits(units, value);
  return { units, tier: parseServiceTier(tier) ?? parseServiceTier(value.service_tier) };
}

/**
 * Adds the image and audio tokens that OpenAI and compatible providers report in the details of a usage.
 * @param input the details of the input tokens
 * @param output the details of the output tokens
 * @example
 * const units = { input: 7 };
 * addMediaTokens(units, { audio_tokens: 3 }, { image_tokens: 8 });
 * units; // { input: 7, input_audio: 3, output_image: 8 }
 */
export function addMediaTokens(units: MutableBilledUnitCounts, input: unknown, output: unknown): void {
  const cached = getMember(input, 'cached_tokens_details');
  addBilledUnitCount(units, 'input_audio', getMember(input, 'audio_tokens'));
  addBilledUnitCount(units, 'input_image', getMember(input, 'image_tokens'));
  addBilledUnitCount(units, 'cached_audio', getMember(cached, 'audio_tokens'));
  addBilledUnitCount(units, 'cached_image', getMember(cached, 'image_tokens'));
  addBilledUnitCount(units, 'output_audio', getMember(output, 'audio_tokens'));
  addBilledUnitCount(units, 'output_image', getMember(output, 'image_tokens'));
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

function getMember(value: unknown, key: string): unknown {
  return isJsonObject(value) ? value[key] : undefined;
}

function parseCount(given: unknown): number | undefined {
  const value = given instanceof ExactNumber ? given.approximate : given;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
