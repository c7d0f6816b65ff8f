import type { Json, JsonObject } from '@floe/contract/json';
import { isArray, isObject } from '../json-read.ts';

/** Deeper than any part of a conversation; what lies below is counted, not shown. */
const DEEPEST = 7;
const MOST_KEYS = 40;
/** Different elements of one list that are shown. */
const MOST_ELEMENTS = 24;
const LONGEST = 16_000;
const KEY = /^[A-Za-z_$][\w.$-]{0,47}$/;

/** Members whose inner keys are a caller's own words: arguments, schemas, maps. */
const CLOSED = new Set([
  'arguments',
  'parameters',
  'input_schema',
  'schema',
  'properties',
  'definition',
  'logit_bias',
  'data',
]);

/** The words of the dialects that say what an element is; no other text of a body is ever shown. */
const WORDS = new Set(
  (
    'system developer user assistant tool function message text input_text output_text summary_text reasoning_text ' +
    'image image_url input_image file input_file document input_audio refusal thinking redacted_thinking reasoning ' +
    'tool_use tool_result function_call function_call_output custom custom_tool_call custom_tool_call_output ' +
    'item_reference grammar json_object json_schema auto none any required allowed_tools enabled disabled adaptive ' +
    'ephemeral base64 url namespace object local_shell_call apply_patch_call shell_call web_search web_search_call'
  ).split(' '),
);

/**
 * The shape of a body: keys, types and lengths, as JSON text. Never a value: of `type` and `role` the dialects'
 * own words stay, anything else is told by its length. Equal neighbours in a list are counted.
 *
 * @example
 * shapeOf({ model: 'gpt-5', input: ['Hello', 'World'] }); // '{"model":"string(5)","input":["string(5)","× 2"]}'
 */
export function shapeOf(body: JsonObject): string {
  const text = JSON.stringify(shape(body, '', 0));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

function shape(value: Json | undefined, key: string, depth: number): Json {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') {
    const isWord = (key === 'type' || key === 'role') && WORDS.has(value);
    return isWord ? value : `string(${value.length})`;
  }
  if (typeof value !== 'object') return typeof value;
  if (isArray(value)) return depth >= DEEPEST ? `array(${value.length})` : listShape(value, key, depth);
  return isObject(value) ? objectShape(value, key, depth) : 'object';
}

/** A call's `input` is an object of the caller's; the one at the top is the conversation. */
function isClosed(key: string, depth: number): boolean {
  return CLOSED.has(key) || (key === 'input' && depth > 1);
}

function objectShape(value: JsonObject, key: string, depth: number): Json {
  const keys = Object.keys(value);
  if (depth >= DEEPEST || isClosed(key, depth)) return `object(${keys.length})`;
  const shown = keys.slice(0, MOST_KEYS);
  const told = shown.map((name, index): [string, Json] => [
    KEY.test(name) ? name : `key ${index} (${name.length})`,
    shape(value[name], name, depth + 1),
  ]);
  if (keys.length > shown.length) told.push(['…', `${keys.length - shown.length} more`]);
  return Object.fromEntries(told);
}

function listShape(list: readonly Json[], key: string, depth: number): Json {
  const runs: { readonly of: Json; readonly text: string; times: number }[] = [];
  for (const entry of list) {
    const of = shape(entry, CLOSED.has(key) ? key : '', depth + 1);
    const text = JSON.stringify(of);
    const last = runs.at(-1);
    if (last?.text === text) last.times += 1;
    else if (runs.length >= MOST_ELEMENTS) {
      runs.push({ of: `… ${list.length} elements in all`, text: '', times: 1 });
      break;
    } else runs.push({ of, text, times: 1 });
  }
  return runs.flatMap(({ of, times }) => (times === 1 ? [of] : [of, `× ${times}`]));
}
