import { BILLED_UNITS } from '@floe/contract/billed-units';
import { ExactNumber, isObject } from '@floe/contract/json';
import {
  addReportedToolUse,
  addUnitCount,
  type MutableUnitCounts,
  parseServiceTier,
  type UnitCounts,
} from './unit-counts.ts';

/**
 * What one answer is billed for, in one arithmetic for every provider: `input` holds everything that went in (cached and
 * cache-written tokens included), `output` everything that came out (reasoning included). `TOKEN_UNITS` of the contract
 * has what is a part of what.
 */
export interface Usage {
  readonly units: UnitCounts;
  /** Service tier that served it, by the name prices know it by (`parseServiceTier`); absent when it was not told. */
  readonly tier?: string | undefined;
}

/**
 * Joins two reports of one answer unit by unit; what was said later counts.
 *
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
 * What two answers used together; a unit is absent when neither said.
 *
 * @example
 * const usage = sumUsage({ units: { input: 7, output: 1 } }, { units: { output: 5 } });
 * usage.units; // { input: 7, output: 6 }
 */
export function sumUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other;
  const units: MutableUnitCounts = { ...one.units };
  for (const { unit } of BILLED_UNITS) {
    const count = other.units[unit];
    if (count !== undefined) units[unit] = (units[unit] ?? 0) + count;
  }
  return { units, tier: one.tier ?? other.tier };
}

/** The counts that a report is about; each may be absent. */
export const REPORTED_UNITS = ['input', 'cached', 'cache_write', 'output', 'reasoning'] as const;

type ReportedCounts = Readonly<Record<(typeof REPORTED_UNITS)[number], number | undefined>>;

/**
 * The counts of tokens that a provider reported; undefined when there are none.
 *
 * @example
 * toUnitCounts({ input: 7, output: undefined }); // { input: 7 }
 */
export function toUnitCounts(counts: ReportedCounts): MutableUnitCounts | undefined {
  let units: MutableUnitCounts | undefined;
  for (const unit of REPORTED_UNITS) {
    const count = counts[unit];
    if (count === undefined) continue;
    units ??= {};
    units[unit] = count;
  }
  return units;
}

/**
 * Reads the `usage` member of the Chat dialect and of the hosts that speak it: cached tokens under any
 * of their names, and reasoning tokens that `completion_tokens` leaves out (told by the sum:
 * total = prompt + completion + reasoning). What is not a count is ignored; undefined when nothing is left.
 * `tier` is the `service_tier` that stands beside `usage`.
 *
 * @example
 * const usage = { prompt_tokens: 7, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } };
 * readChatUsage(usage).units; // { input: 7, cached: 4, output: 2 }
 */
export function readChatUsage(value: unknown, tier?: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
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
    // A part cannot exceed its whole, yet some hosts report more cached than prompt tokens.
    cached: cached && Math.min(cached, input ?? cached),
    cache_write: written && Math.min(written, input ?? written),
    output,
    reasoning,
  });
  if (units === undefined) return undefined;
  addMediaTokens(units, promptDetails, completionDetails);
  addReportedToolUse(units, value);
  return { units, tier: parseServiceTier(tier) ?? parseServiceTier(value.service_tier) };
}

/**
 * Adds tokens that are no text, as OpenAI and its kin count them within their details.
 *
 * @example
 * const units = { input: 7 };
 * addMediaTokens(units, { audio_tokens: 3 }, { image_tokens: 8 });
 * units; // { input: 7, input_audio: 3, output_image: 8 }
 */
export function addMediaTokens(units: MutableUnitCounts, input: unknown, output: unknown): void {
  const cached = getMember(input, 'cached_tokens_details');
  addUnitCount(units, 'input_audio', getMember(input, 'audio_tokens'));
  addUnitCount(units, 'input_image', getMember(input, 'image_tokens'));
  addUnitCount(units, 'cached_audio', getMember(cached, 'audio_tokens'));
  addUnitCount(units, 'cached_image', getMember(cached, 'image_tokens'));
  addUnitCount(units, 'output_audio', getMember(output, 'audio_tokens'));
  addUnitCount(units, 'output_image', getMember(output, 'image_tokens'));
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
  return isObject(value) ? value[key] : undefined;
}

function parseCount(given: unknown): number | undefined {
  const value = given instanceof ExactNumber ? given.approximate : given;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
