// Responses as OpenAI documents it (platform.openai.com/docs/api-reference/responses), as far as we write it.
import type { Json, JsonObject } from '@floe/contract/json';
import {
  BOOLEAN,
  between,
  COUNT,
  closed,
  INTEGER,
  list,
  MAP,
  NULL,
  NUMBER,
  nullable,
  oneOf,
  open,
  SAID,
  type Schemas,
  TEXT,
  word,
} from './schema-words.ts';

const STATUS = word('in_progress', 'completed', 'incomplete');
const IMAGE = closed(
  { type: word('input_image') },
  { detail: word('auto', 'low', 'high', 'original'), image_url: SAID, file_id: SAID },
);
const FILE = closed(
  { type: word('input_file') },
  { file_data: SAID, filename: TEXT, file_url: SAID, file_id: SAID, detail: word('low', 'high') },
);
const INPUT_PART = oneOf(closed({ type: word('input_text'), text: TEXT }), IMAGE, FILE);
const REASONING = open(
  { type: word('reasoning'), summary: list(closed({ type: word('summary_text'), text: TEXT })) },
  { id: SAID, encrypted_content: nullable(SAID) },
);
const FUNCTION_CALL = { type: word('function_call'), call_id: SAID, name: SAID, arguments: TEXT };
const CUSTOM_CALL = { type: word('custom_tool_call'), call_id: SAID, name: SAID, input: TEXT };
const OUTPUT = oneOf(TEXT, list(INPUT_PART));
const ITEM = oneOf(
  closed(
    { role: word('user', 'system', 'developer'), content: oneOf(TEXT, list(INPUT_PART, 1)) },
    { type: word('message') },
  ),
  open({ role: word('assistant'), content: oneOf(TEXT, list(MAP, 1)) }, { type: word('message') }),
  open(FUNCTION_CALL, { namespace: TEXT }),
  open(CUSTOM_CALL),
  closed({ type: word('function_call_output'), call_id: SAID, output: OUTPUT }),
  closed({ type: word('custom_tool_call_output'), call_id: SAID, output: OUTPUT }),
  REASONING,
);
const FORMAT = oneOf(
  closed({ type: word('text', 'json_object') }),
  closed(
    { type: word('json_schema'), name: SAID, schema: MAP },
    { description: nullable(TEXT), strict: nullable(BOOLEAN) },
  ),
);
const FUNCTION_TOOL = closed(
  { type: word('function'), name: SAID, parameters: nullable(MAP), strict: nullable(BOOLEAN) },
  { description: nullable(TEXT), defer_loading: BOOLEAN },
);
const CUSTOM_TOOL = closed({ type: word('custom'), name: SAID }, { description: TEXT, format: MAP });
const TOOL = oneOf(
  FUNCTION_TOOL,
  CUSTOM_TOOL,
  open({ type: word('namespace'), name: SAID, tools: list(oneOf(FUNCTION_TOOL, CUSTOM_TOOL), 1) }),
);
const CHOICE = oneOf(
  word('none', 'auto', 'required'),
  closed({ type: word('function', 'custom'), name: SAID }),
  open({ type: word('allowed_tools'), mode: word('auto', 'required'), tools: list(MAP, 1) }),
);
const EFFORT = word('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');

export const RESPONSES_REQUEST = closed(
  { model: SAID, input: oneOf(TEXT, list(ITEM)) },
  {
    instructions: nullable(TEXT),
    tools: list(TOOL, 1),
    tool_choice: CHOICE,
    parallel_tool_calls: BOOLEAN,
    text: closed({}, { format: FORMAT, verbosity: word('low', 'medium', 'high') }),
    max_output_tokens: { type: 'integer', minimum: 16 },
    temperature: nullable(between(0, 2)),
    top_p: nullable(between(0, 1)),
    top_logprobs: COUNT,
    reasoning: closed(
      {},
      { effort: EFFORT, summary: word('auto', 'concise', 'detailed'), max_tokens: COUNT },
    ),
    include: list(SAID),
    store: BOOLEAN,
    safety_identifier: TEXT,
    metadata: MAP,
    prompt_cache_key: TEXT,
    service_tier: word('auto', 'default', 'flex', 'scale', 'priority'),
    stream: BOOLEAN,
  },
);

const CONTENT = oneOf(
  open({ type: word('output_text'), text: TEXT, annotations: list(MAP) }),
  open({ type: word('refusal'), refusal: TEXT }),
);
const OUTPUT_ITEM = oneOf(
  open({ id: SAID, type: word('message'), status: STATUS, role: word('assistant'), content: list(CONTENT) }),
  open({ id: SAID, ...FUNCTION_CALL }, { status: STATUS, namespace: TEXT }),
  open({ id: SAID, ...CUSTOM_CALL }, { status: STATUS, namespace: TEXT }),
  open({
    id: SAID,
    type: word('reasoning'),
    summary: list(open({ type: word('summary_text'), text: TEXT })),
  }),
);
const USAGE = open({
  input_tokens: COUNT,
  input_tokens_details: open({ cached_tokens: COUNT }),
  output_tokens: COUNT,
  output_tokens_details: open({ reasoning_tokens: COUNT }),
  total_tokens: COUNT,
});

/** Every member that SDKs and Open Responses (openresponses.org) demand, null where there is nothing to say. */
export const RESPONSES_ANSWER = open(
  {
    id: SAID,
    object: word('response'),
    created_at: INTEGER,
    completed_at: nullable(INTEGER),
    status: word('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'),
    incomplete_details: nullable(open({ reason: word('max_output_tokens', 'content_filter') })),
    model: SAID,
    previous_response_id: nullable(SAID),
    instructions: nullable(oneOf(TEXT, list(MAP))),
    output: list(OUTPUT_ITEM),
    error: nullable(open({ code: SAID, message: SAID })),
    tools: list(TOOL),
    tool_choice: CHOICE,
    truncation: word('auto', 'disabled'),
    parallel_tool_calls: BOOLEAN,
    text: open({ format: FORMAT }, { verbosity: word('low', 'medium', 'high') }),
    temperature: NUMBER,
    top_p: NUMBER,
    presence_penalty: NUMBER,
    frequency_penalty: NUMBER,
    top_logprobs: COUNT,
    reasoning: nullable(open({ effort: nullable(EFFORT), summary: nullable(TEXT) })),
    usage: nullable(USAGE),
    max_output_tokens: nullable(COUNT),
    max_tool_calls: nullable(COUNT),
    store: BOOLEAN,
    background: BOOLEAN,
    service_tier: TEXT,
    metadata: MAP,
    safety_identifier: nullable(TEXT),
    prompt_cache_key: nullable(TEXT),
  },
  { user: NULL },
);

const AT_ITEM: Schemas = { item_id: SAID, output_index: COUNT };
const AT_PART: Schemas = { ...AT_ITEM, content_index: COUNT };
const AT_SUMMARY: Schemas = { ...AT_ITEM, summary_index: COUNT };
const RESPONSE: Schemas = { response: RESPONSES_ANSWER };
const EVENTS: Readonly<Record<string, Schemas>> = {
  'response.created': RESPONSE,
  'response.in_progress': RESPONSE,
  'response.completed': RESPONSE,
  'response.incomplete': RESPONSE,
  'response.failed': RESPONSE,
  'response.output_item.added': { output_index: COUNT, item: OUTPUT_ITEM },
  'response.output_item.done': { output_index: COUNT, item: OUTPUT_ITEM },
  'response.content_part.added': { ...AT_PART, part: CONTENT },
  'response.content_part.done': { ...AT_PART, part: CONTENT },
  'response.output_text.delta': { ...AT_PART, delta: TEXT },
  'response.output_text.done': { ...AT_PART, text: TEXT },
  'response.refusal.delta': { ...AT_PART, delta: TEXT },
  'response.refusal.done': { ...AT_PART, refusal: TEXT },
  'response.function_call_arguments.delta': { ...AT_ITEM, delta: TEXT },
  'response.function_call_arguments.done': { ...AT_ITEM, name: SAID, arguments: TEXT },
  'response.custom_tool_call_input.delta': { ...AT_ITEM, delta: TEXT },
  'response.custom_tool_call_input.done': { ...AT_ITEM, input: TEXT },
  'response.reasoning_summary_part.added': { ...AT_SUMMARY, part: MAP },
  'response.reasoning_summary_part.done': { ...AT_SUMMARY, part: MAP },
  'response.reasoning_summary_text.delta': { ...AT_SUMMARY, delta: TEXT },
  'response.reasoning_summary_text.done': { ...AT_SUMMARY, text: TEXT },
  error: { message: SAID, code: nullable(SAID), param: nullable(TEXT) },
};

/** Of the event of this type; undefined for one that we do not write. */
export function responsesEvent(type: string): Json | undefined {
  const members = EVENTS[type];
  return members && eventOf(type, members);
}

function eventOf(type: string, members: Schemas): JsonObject {
  return open({ type: word(type), sequence_number: COUNT, ...members });
}
