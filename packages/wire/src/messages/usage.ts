import type { JsonObject } from '@floe/contract/json';
import {
  addBilledUnitCount,
  addReportedUnits,
  type MutableBilledUnitCounts,
  parseServiceTier,
} from '../billed-unit-counts.ts';
import { asNumber, asObject, asObjects, isNonEmpty } from '../json-narrowing.ts';
import { toUnitCounts, type Usage } from '../usage.ts';

/**
 * Reads `usage` in a Messages response. `input_tokens` excludes cache reads and writes, so the
 * total input is the sum of all three. The output includes thinking. The top-level totals exclude
 * compaction.
 */
export function readMessagesUsage(usage: JsonObject): Usage | undefined {
  const runs = asObjects(usage['iterations']);
  const own = runs.filter((run) => run['type'] === 'message' || run['type'] === 'compaction');
  const compacted =
    own.some((run) => run['type'] === 'compaction') &&
    !runs.some((run) => run['type'] === 'fallback_message');
  // A count that no run reports is reported at the top only.
  const sources = (key: string): readonly JsonObject[] =>
    compacted && own.some((run) => isNonEmpty(run[key])) ? own : [usage];
  const count = (key: string): number | undefined =>
    sources(key).reduce<number | undefined>((sum, run) => {
      const tokens = asNumber(run[key]);
      return tokens === undefined ? sum : (sum ?? 0) + tokens;
    }, undefined);
  const fresh = count('input_tokens');
  const cached = count('cache_read_input_tokens');
  const written = count('cache_creation_input_tokens');
  const units = toUnitCounts({
    input: fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0),
    cached,
    cache_write: written,
    output: count('output_tokens'),
    reasoning: asNumber(asObject(usage['output_tokens_details'])?.['thinking_tokens']),
  });
  if (units === undefined) return undefined;
  for (const run of sources('cache_creation'))
    addBilledUnitCount(units, 'cache_write_1h', oneHourCacheWrites(run));
  addAdvisorTokens(units, runs);
  if (usage['inference_geo'] === 'us') addBilledUnitCount(units, 'regional_inference', 1);
  addReportedUnits(units, usage);
  return { units, tier: usage['speed'] === 'fast' ? 'fast' : parseServiceTier(usage['service_tier']) };
}

/** An advisor is another model with its own price. */
function addAdvisorTokens(units: MutableBilledUnitCounts, runs: readonly JsonObject[]): void {
  for (const run of runs) {
    if (run['type'] !== 'advisor_message') continue;
    addBilledUnitCount(units, 'advisor_tokens', asNumber(run['input_tokens']));
    addBilledUnitCount(units, 'advisor_tokens', asNumber(run['output_tokens']));
  }
}

function oneHourCacheWrites(usage: JsonObject): number | undefined {
  return asNumber(asObject(usage['cache_creation'])?.['ephemeral_1h_input_tokens']);
}

/** Estimated token counts, for a response without reported ones. */
export interface MessagesUsageEstimate {
  readonly input?: number | undefined;
  /** UTF-8 bytes of the content. */
  readonly contentBytes?: number;
}

/** Floe charges unreported output at the same rate. */
const BYTES_PER_TOKEN = 4;

/**
 * Writes usage in the Messages format. The format requires the input and the output token count. Uses the
 * estimate for a count that the provider did not report.
 */
export function writeMessagesUsage(usage: Usage | undefined, estimate: MessagesUsageEstimate): JsonObject {
  const { input, cached = 0, cache_write = 0, output, reasoning } = usage?.units ?? {};
  return {
    input_tokens: input === undefined ? (estimate.input ?? 0) : Math.max(input - cached - cache_write, 0),
    cache_creation_input_tokens: cache_write,
    cache_read_input_tokens: cached,
    output_tokens: output ?? Math.ceil((estimate.contentBytes ?? 0) / BYTES_PER_TOKEN),
    output_tokens_details: reasoning === undefined ? undefined : { thinking_tokens: reasoning },
  };
}
