import type { JsonObject } from '@floe/contract/json';
import { numberOf, objectOf, objectsIn } from '../json-read.ts';
import { addCount, addToolUse, tierOf, type UnitDraft } from '../units.ts';
import { reportedUnits, type Usage } from '../usage.ts';

/**
 * Reads a Messages `usage` object. Cache reads and writes stand beside `input_tokens` here, so the whole
 * input is the sum; output includes thinking. Top-level totals leave compaction out.
 */
export function readMessagesUsage(usage: JsonObject): Usage | undefined {
  const runs = objectsIn(usage['iterations']);
  const own = runs.filter((run) => run['type'] === 'message' || run['type'] === 'compaction');
  const compacted =
    own.some((run) => run['type'] === 'compaction') &&
    !runs.some((run) => run['type'] === 'fallback_message');
  const count = (key: string): number | undefined =>
    compacted ? own.reduce((sum, run) => sum + (numberOf(run[key]) ?? 0), 0) : numberOf(usage[key]);
  const fresh = count('input_tokens');
  const cached = count('cache_read_input_tokens');
  const written = count('cache_creation_input_tokens');
  const units = reportedUnits({
    input: fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0),
    cached,
    cache_write: written,
    output: count('output_tokens'),
    reasoning: numberOf(objectOf(usage['output_tokens_details'])?.['thinking_tokens']),
  });
  if (units === undefined) return undefined;
  for (const run of compacted ? own : [usage]) addCount(units, 'cache_write_1h', hourWrites(run));
  addAdvisors(units, runs);
  if (usage['inference_geo'] === 'us') addCount(units, 'regional_inference', 1);
  addToolUse(units, usage);
  return { units, tier: usage['speed'] === 'fast' ? 'fast' : tierOf(usage['service_tier']) };
}

/** An advisor is another model, with a price of its own. */
function addAdvisors(units: UnitDraft, runs: readonly JsonObject[]): void {
  for (const run of runs) {
    if (run['type'] !== 'advisor_message') continue;
    addCount(units, 'advisor_tokens', numberOf(run['input_tokens']));
    addCount(units, 'advisor_tokens', numberOf(run['output_tokens']));
  }
}

function hourWrites(usage: JsonObject): number | undefined {
  return numberOf(objectOf(usage['cache_creation'])?.['ephemeral_1h_input_tokens']);
}

/** The same counts as a Messages client reads them. */
export function writeMessagesUsage(usage: Usage | undefined, estimate = 0): JsonObject {
  const { input, cached = 0, cache_write = 0, output = 0, reasoning } = usage?.units ?? {};
  return {
    input_tokens: input === undefined ? estimate : Math.max(input - cached - cache_write, 0),
    cache_creation_input_tokens: cache_write,
    cache_read_input_tokens: cached,
    output_tokens: output,
    output_tokens_details: reasoning === undefined ? undefined : { thinking_tokens: reasoning },
  };
}
