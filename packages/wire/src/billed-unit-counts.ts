import type { BilledUnit } from '@floe/contract/billed-units';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';

/**
 * The number of billed units in a response, by unit. A unit is absent if the provider did not
 * report it.
 */
export type BilledUnitCounts = Readonly<Partial<Record<BilledUnit, number>>>;

/** Mutable billed unit counts, used while a response is read. */
export type MutableBilledUnitCounts = { -readonly [Unit in BilledUnit]?: number };

/**
 * Adds a reported count of a unit. Ignores anything except a positive number.
 * @example
 * const units = { web_search: 1 };
 * addBilledUnitCount(units, 'web_search', 2);
 * addBilledUnitCount(units, 'audio_second', 0);
 * units; // { web_search: 3 }
 */
export function addBilledUnitCount(units: MutableBilledUnitCounts, unit: BilledUnit, count: unknown): void {
  if (typeof count !== 'number' || !Number.isFinite(count) || count <= 0) return;
  units[unit] = (units[unit] ?? 0) + count;
}

/** Tools with a fee per call, by the type of the output item (OpenAI Responses). */
const TOOL_CALLS = new Map<unknown, BilledUnit>([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['code_interpreter_call', 'code_execution'],
  ['image_generation_call', 'image_generation'],
]);

/**
 * Adds the hosted tool calls in the output items of a Responses response.
 * @example
 * const units = {};
 * addHostedToolCalls(units, [{ type: 'web_search_call' }, { type: 'message' }]);
 * units; // { web_search: 1 }
 */
export function addHostedToolCalls(units: MutableBilledUnitCounts, output: Json | undefined): void {
  if (!Array.isArray(output)) return;
  for (const item of output) {
    const unit = isJsonObject(item) ? TOOL_CALLS.get(item['type']) : undefined;
    if (unit !== undefined && isCharged(item)) addBilledUnitCount(units, unit, 1);
  }
}

/** Of the actions of a web search, only the search has a fee. Opening a page and finding text do not. */
function isCharged(item: Json): boolean {
  const action = isJsonObject(item) ? item['action'] : undefined;
  const type = isJsonObject(action) ? action['type'] : undefined;
  return type === undefined || type === 'search';
}

/**
 * Adds the numbers of hosted tool calls and of seconds of audio that a provider reports in `usage`.
 * @example
 * const units = {};
 * addReportedUnits(units, { server_tool_use: { web_search_requests: 2 } });
 * units; // { web_search: 2 }
 */
export function addReportedUnits(units: MutableBilledUnitCounts, usage: JsonObject): void {
  const tools = usage['server_tool_use'];
  if (isJsonObject(tools)) {
    addBilledUnitCount(units, 'web_search', tools['web_search_requests']);
    addBilledUnitCount(units, 'code_execution', tools['code_execution_requests']);
  }
  addBilledUnitCount(units, 'web_search', usage['num_search_queries']);
  addBilledUnitCount(units, 'search_source', usage['num_sources_used']);
  addBilledUnitCount(units, 'audio_second', usage['prompt_audio_seconds'] ?? usage['billable_audio_seconds']);
  if (usage['type'] === 'duration') addBilledUnitCount(units, 'audio_second', usage['seconds']);
}

/** Names of the standard tier. */
const STANDARD_TIERS = new Set(['default', 'standard', 'standard_only', 'on_demand']);
/** The provider chose a tier or did not report it. */
const UNSPECIFIED_TIERS = new Set(['auto', 'service_tier_unspecified', 'traffic_type_unspecified']);

/**
 * Returns the service tier as price lists name it, such as `standard`, `flex`, `priority` or `batch`. Returns
 * undefined if it was not reported.
 * @example
 * parseServiceTier('SERVICE_TIER_FLEX'); // 'flex'
 * parseServiceTier('auto'); // undefined
 */
export function parseServiceTier(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const name = value
    .toLowerCase()
    .replace(/^(?:service_tier|on_demand)_(?=flex|priority|batch|standard)/, '');
  if (STANDARD_TIERS.has(name)) return 'standard';
  return UNSPECIFIED_TIERS.has(name) ? undefined : name.slice(0, 40);
}
