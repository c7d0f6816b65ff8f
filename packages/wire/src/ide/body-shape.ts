import type { Json, JsonObject } from '@floe/contract/json';
import { isJsonArray, isJsonObject } from '../json-narrowing.ts';

/** Deeper than any part of a conversation. Deeper values are counted but not shown. */
const MAX_DEPTH_SHOWN = 7;
const MAX_KEYS = 40;
/** Maximum number of different elements of a list that are shown. */
const MAX_ELEMENTS = 24;
const MAX_SHAPE_CHARS = 16_000;
const KEY = /^[A-Za-z_$][\w.$-]{0,47}$/;

/** Members whose nested keys the caller chooses: arguments, schemas and maps. */
const OPAQUE_MEMBERS = new Set([
  'arguments',
  'parameters',
  'input_schema',
  'schema',
  'properties',
  'definition',
  'logit_bias',
  'data',
]);

/** Values of `type` and `role` that the dialects define. No other text of a body is shown. */
const KNOWN_TYPE_WORDS = new Set(
  (
    'system developer user assistant tool function message text input_text output_text summary_text reasoning_text ' +
    'image image_url input_image file input_file document input_audio refusal thinking redacted_thinking reasoning ' +
    'tool_use tool_result function_call function_call_output custom custom_tool_call custom_tool_call_output ' +
    'item_reference grammar json_object json_schema auto none any required allowed_tools enabled disabled adaptive ' +
    'ephemeral base64 url namespace object local_shell_call apply_patch_call shell_call web_search web_search_call'
  ).split(' '),
);

/**
 * Returns the structure of a body as JSON: keys, types and lengths, without values. The only values shown are those of
 * `type` and `role` that the dialects define. Adjacent list elements with the same structure are shown once, followed
 * by their number.
 * @example
 * describeBodyShape({ model: 'gpt-5', input: ['Hello', 'World'] }); // '{"model":"string(5)","input":["string(5)","× 2"]}'
 */
export function describeBodyShape(body: JsonObject): string {
  const text = JSON.stringify(describeValue(body, '', 0));
  return text.length > MAX_SHAPE_CHARS ? `${text.slice(0, MAX_SHAPE_CHARS)}…` : text;
}

function describeValue(value: Json | undefined, key: string, depth: number): Json {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') {
    const isWord = (key === 'type' || key === 'role') && KNOWN_TYPE_WORDS.has(value);
    return isWord ? value : `string(${value.length})`;
  }
  if (typeof value !== 'object') return typeof value;
  if (isJsonArray(value))
    return depth >= MAX_DEPTH_SHOWN ? `array(${value.length})` : describeList(value, key, depth);
  return isJsonObject(value) ? describeObject(value, key, depth) : 'object';
}

/** The `input` of a call is an object of the caller. The `input` at the top level is the conversation. */
function isOpaque(key: string, depth: number): boolean {
  return OPAQUE_MEMBERS.has(key) || (key === 'input' && depth > 1);
}

function describeObject(value: JsonObject, key: string, depth: number): Json {
  const keys = Object.keys(value);
  if (depth >= MAX_DEPTH_SHOWN || isOpaque(key, depth)) return `object(${keys.length})`;
  const shown = keys.slice(0, MAX_KEYS);
  const told = shown.map((name, index): [string, Json] => [
    KEY.test(name) ? name : `key ${index} (${name.length})`,
    describeValue(value[name], name, depth + 1),
  ]);
  if (keys.length > shown.length) told.push(['…', `${keys.length - shown.length} more`]);
  return Object.fromEntries(told);
}

function describeList(list: readonly Json[], key: string, depth: number): Json {
  const runs: { readonly of: Json; readonly text: string; times: number }[] = [];
  for (const entry of list) {
    const of = describeValue(entry, OPAQUE_MEMBERS.has(key) ? key : '', depth + 1);
    const text = JSON.stringify(of);
    const last = runs.at(-1);
    if (last?.text === text) last.times += 1;
    else if (runs.length >= MAX_ELEMENTS) {
      runs.push({ of: `… ${list.length} elements in total`, text: '', times: 1 });
      break;
    } else runs.push({ of, text, times: 1 });
  }
  return runs.flatMap(({ of, times }) => (times === 1 ? [of] : [of, `× ${times}`]));
}
