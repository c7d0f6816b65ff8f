import type { JsonObject } from '@floe/contract/json';
import { numberOf, objectOf, objectsIn } from '../json-read.ts';
import { addUnits, type BilledUnits, tierOf, unitsOf, unitsOfTools } from '../units.ts';
import { billed, type Usage } from '../usage.ts';

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
  const cacheWrite = count('cache_creation_input_tokens');
  const output = count('output_tokens');
  const reasoning = numberOf(objectOf(usage['output_tokens_details'])?.['thinking_tokens']);
  const read: Usage = {
    ...(fresh !== undefined && { input: fresh + (cached ?? 0) + (cacheWrite ?? 0) }),
    ...(cached !== undefined && { cached }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(output !== undefined && { output }),
    ...(reasoning !== undefined && { reasoning }),
  };
  if (Object.keys(read).length === 0) return undefined;
  const units = unitsIn(usage, compacted ? own : [usage], runs);
  return billed(read, units, usage['speed'] === 'fast' ? 'fast' : tierOf(usage['service_tier']));
}

/** Writes that live an hour, hosted tools, an advisor (another model's tokens) and inference kept in one region. */
function unitsIn(
  usage: JsonObject,
  counted: readonly JsonObject[],
  runs: readonly JsonObject[],
): BilledUnits | undefined {
  const advisors = runs.filter((run) => run['type'] === 'advisor_message');
  const parts = unitsOf(
    ...counted.map((run) => ['cache_write_1h', hourWrites(run)] as const),
    ...advisors.flatMap((run) => [
      ['advisor_tokens', numberOf(run['input_tokens'])] as const,
      ['advisor_tokens', numberOf(run['output_tokens'])] as const,
    ]),
    ['regional_inference', usage['inference_geo'] === 'us' ? 1 : 0],
  );
  return addUnits(parts, unitsOfTools(usage));
}

function hourWrites(usage: JsonObject): number | undefined {
  return numberOf(objectOf(usage['cache_creation'])?.['ephemeral_1h_input_tokens']);
}

/** The same counts as a Messages client reads them. */
export function writeMessagesUsage(usage: Usage | undefined, estimate = 0): JsonObject {
  const cached = usage?.cached ?? 0;
  const cacheWrite = usage?.cacheWrite ?? 0;
  return {
    input_tokens: usage?.input === undefined ? estimate : Math.max(usage.input - cached - cacheWrite, 0),
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cached,
    output_tokens: usage?.output ?? 0,
    output_tokens_details: usage?.reasoning === undefined ? undefined : { thinking_tokens: usage.reasoning },
  };
}
