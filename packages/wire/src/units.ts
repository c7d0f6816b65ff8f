import { isObject, type Json, type JsonObject } from '@floe/contract/json';

/**
 * What an answer is billed for beside its plain tokens: counts by the unit's name. A unit that is a part of a token
 * count (`UNIT_PARTS` of the contract) is priced in place of those tokens; any other comes on top of them.
 */
export type BilledUnits = Readonly<Record<string, number>>;

type Field = readonly [unit: string, count: unknown];

/**
 * Units of these counts; undefined when none of them is a positive number.
 *
 * @example
 * unitsOf(['web_search', 2], ['audio_second', 0]); // { web_search: 2 }
 */
export function unitsOf(...fields: readonly Field[]): BilledUnits | undefined {
  let units: Record<string, number> | undefined;
  for (const [unit, count] of fields) {
    if (typeof count !== 'number' || !Number.isFinite(count) || count <= 0) continue;
    units ??= {};
    units[unit] = (units[unit] ?? 0) + count;
  }
  return units;
}

/**
 * The units of two reports together.
 *
 * @example
 * addUnits({ web_search: 2 }, { web_search: 1, search: 1 }); // { web_search: 3, search: 1 }
 */
export function addUnits(
  one: BilledUnits | undefined,
  other: BilledUnits | undefined,
): BilledUnits | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return unitsOf(...Object.entries(one), ...Object.entries(other));
}

/** Fees per call of hosted tools, by the type of the output item (OpenAI, Responses); other tools have none. */
const TOOL_CALLS: Readonly<Record<string, string>> = {
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  code_interpreter_call: 'code_execution',
  image_generation_call: 'image_generation',
};

/**
 * Calls of hosted tools among the output items of a Responses answer.
 *
 * @example
 * unitsOfOutput([{ type: 'web_search_call' }, { type: 'message' }]); // { web_search: 1 }
 */
export function unitsOfOutput(output: Json | undefined): BilledUnits | undefined {
  if (!Array.isArray(output)) return undefined;
  const fields = output.map((item): Field => {
    const type = isObject(item) ? item['type'] : undefined;
    const unit = typeof type === 'string' ? TOOL_CALLS[type] : undefined;
    return [unit ?? '', unit !== undefined && isCharged(item) ? 1 : 0];
  });
  return unitsOf(...fields);
}

/** Of a web search's actions only the search itself has a fee: opening a page and finding text in it do not. */
function isCharged(item: Json): boolean {
  const action = isObject(item) ? item['action'] : undefined;
  const type = isObject(action) ? action['type'] : undefined;
  return type === undefined || type === 'search';
}

/**
 * Calls of hosted tools and seconds of audio that hosts count within `usage`.
 *
 * @example
 * unitsOfTools({ server_tool_use: { web_search_requests: 2 } }); // { web_search: 2 }
 */
export function unitsOfTools(usage: JsonObject): BilledUnits | undefined {
  const tools = usage['server_tool_use'];
  const counts = isObject(tools) ? tools : {};
  return unitsOf(
    ['web_search', counts['web_search_requests']],
    ['code_execution', counts['code_execution_requests']],
    ['web_search', usage['num_search_queries']],
    ['search_source', usage['num_sources_used']],
    ['audio_second', usage['prompt_audio_seconds'] ?? usage['billable_audio_seconds']],
    ['audio_second', usage['type'] === 'duration' ? usage['seconds'] : undefined],
  );
}

/** Names that hosts have for the tier all others are compared with. */
const STANDARD = new Set(['default', 'standard', 'standard_only', 'on_demand']);
/** The provider chooses, or did not say. */
const UNSAID = new Set(['auto', 'service_tier_unspecified', 'traffic_type_unspecified']);

/**
 * The service tier as prices name it: `standard`, `flex`, `priority`, `batch` …; undefined when it is not told.
 *
 * @example
 * tierOf('SERVICE_TIER_FLEX'); // 'flex'
 * tierOf('auto'); // undefined
 */
export function tierOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const name = value
    .toLowerCase()
    .replace(/^(?:service_tier|on_demand)_(?=flex|priority|batch|standard)/, '');
  if (STANDARD.has(name)) return 'standard';
  return UNSAID.has(name) ? undefined : name.slice(0, 40);
}
