import type { Json, JsonObject } from '@floe/contract/json';
import { asBoolean, asNumber, asString, isJsonObject, isNonEmpty } from './json-narrowing.ts';
import type { ReasoningEffort, ReasoningSettings } from './request.ts';
import { type RequestReadContext, readTokenLimit } from './request-read-context.ts';

const EFFORT_LEVELS: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
];
const REASONING_FIELDS = new Set(['effort', 'summary', 'generate_summary', 'enabled', 'max_tokens']);
const OUTPUT_CONFIG_FIELDS = new Set(['effort', 'format']);
const THINKING_FIELDS = new Set(['type', 'budget_tokens']);
const THINKING_TYPES = new Set(['enabled', 'disabled', 'adaptive']);

/** Parses a reasoning effort; undefined if absent or unknown. */
export function parseReasoningEffort(value: Json | undefined): ReasoningEffort | undefined {
  if (value === 'ultra') return 'max';
  return EFFORT_LEVELS.find((effort) => effort === value);
}

/** An effort, and the path of the member that contains it. */
interface EffortAtPath {
  readonly path: string;
  readonly effort: ReasoningEffort;
}

/** Returns the first known effort. Reports other efforts, and unknown ones, as dropped. */
function readReasoningEffort(
  values: Readonly<Record<string, Json | undefined>>,
  draft: RequestReadContext,
): EffortAtPath | undefined {
  let used: EffortAtPath | undefined;
  for (const [path, value] of Object.entries(values)) {
    const effort = parseReasoningEffort(value);
    if (effort !== undefined && used === undefined) used = { path, effort };
    else if (isNonEmpty(value) && (effort === undefined || effort !== used?.effort))
      draft.reportDropped(path);
  }
  return used;
}

/**
 * Reads reasoning settings from any dialect. An explicit effort takes precedence over a thinking
 * block, but the block's budget is kept, unless the effort disables thinking. If thinking is enabled without an effort
 * or a budget, the provider chooses the amount.
 */
export function readReasoning(body: JsonObject, draft: RequestReadContext): ReasoningSettings | undefined {
  const object = isJsonObject(body['reasoning']) ? body['reasoning'] : {};
  const config = isJsonObject(body['output_config']) ? body['output_config'] : {};
  const thinking = isJsonObject(body['thinking']) ? body['thinking'] : {};
  draft.reportUnknownFields(object, REASONING_FIELDS, 'reasoning.');
  draft.reportUnknownFields(config, OUTPUT_CONFIG_FIELDS, 'output_config.');
  draft.reportUnknownFields(thinking, THINKING_FIELDS, 'thinking.');
  const efforts = {
    'reasoning.effort': object['effort'],
    reasoning_effort: body['reasoning_effort'],
    'output_config.effort': config['effort'],
  };
  const effort = readReasoningEffort(efforts, draft)?.effort;
  const type = asString(thinking['type']);
  const isKnown = type !== undefined && THINKING_TYPES.has(type);
  const enabled = asBoolean(object['enabled']);
  const isOff = type === 'disabled' || enabled === false;
  const isDisabled = effort === 'none' || (isOff && effort === undefined);
  if (type !== undefined && (!isKnown || (type === 'disabled') !== isDisabled))
    draft.reportDropped('thinking.type');
  if (enabled === isDisabled) draft.reportDropped('reasoning.enabled');
  const budget = readThinkingBudget({ thinking, reasoning: object }, isDisabled, draft);
  const isWithoutAmount = effort === undefined && budget === undefined && !isDisabled;
  const isOn = type === 'enabled' || enabled === true;
  const reasoning: ReasoningSettings = {
    effort: isDisabled ? 'none' : effort,
    budget,
    adaptive: type === 'adaptive' || (isOn && isWithoutAmount) ? true : undefined,
    summary: draft.readFirst(object, ['summary', 'generate_summary'], asString, 'reasoning.'),
  };
  return Object.values(reasoning).some((value) => value !== undefined) ? reasoning : undefined;
}

/** Returns the first thinking budget. Reports the other one as dropped, and both if thinking is disabled. */
function readThinkingBudget(
  { thinking, reasoning }: { readonly thinking: JsonObject; readonly reasoning: JsonObject },
  isDisabled: boolean,
  draft: RequestReadContext,
): number | undefined {
  const first = asNumber(readTokenLimit(thinking, ['budget_tokens'], draft));
  const second = asNumber(readTokenLimit(reasoning, ['max_tokens'], draft));
  const budget = isDisabled ? undefined : (first ?? second);
  const isLost = (given: number | undefined) => given !== undefined && given !== 0 && given !== budget;
  if (isLost(first)) draft.reportDropped('thinking.budget_tokens');
  if (isLost(second)) draft.reportDropped('reasoning.max_tokens');
  return budget;
}
