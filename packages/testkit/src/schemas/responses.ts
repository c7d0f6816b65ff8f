// Responses as OpenAI documents it (platform.openai.com/docs/api-reference/responses), as far as we write it.
import type { Json, JsonObject } from '@floe/contract/json';
import {
  ANY_OBJECT,
  arrayOf,
  BOOLEAN,
  COUNT,
  closedObject,
  enumOf,
  INTEGER,
  NON_EMPTY_TEXT,
  NULL,
  NUMBER,
  numberBetween,
  oneOf,
  openObject,
  orNull,
  type SchemaMembers,
  TEXT,
} from './schema-builders.ts';

const STATUS = enumOf('in_progress', 'completed', 'incomplete');
const IMAGE = closedObject(
  { type: enumOf('input_image') },
  { detail: enumOf('auto', 'low', 'high', 'original'), image_url: NON_EMPTY_TEXT, file_id: NON_EMPTY_TEXT },
);
const FILE = closedObject(
  { type: enumOf('input_file') },
  {
    file_data: NON_EMPTY_TEXT,
    filename: TEXT,
    file_url: NON_EMPTY_TEXT,
    file_id: NON_EMPTY_TEXT,
    detail: enumOf('low', 'high'),
  },
);
const INPUT_PART = oneOf(closedObject({ type: enumOf('input_text'), text: TEXT }), IMAGE, FILE);
const REASONING = openObject(
  { type: enumOf('reasoning'), summary: arrayOf(closedObject({ type: enumOf('summary_text'), text: TEXT })) },
  { id: NON_EMPTY_TEXT, encrypted_content: orNull(NON_EMPTY_TEXT) },
);
const FUNCTION_CALL = {
  type: enumOf('function_call'),
  call_id: NON_EMPTY_TEXT,
  name: NON_EMPTY_TEXT,
  arguments: TEXT,
};
const CUSTOM_CALL = {
  type: enumOf('custom_tool_call'),
  call_id: NON_EMPTY_TEXT,
  name: NON_EMPTY_TEXT,
  input: TEXT,
};
const OUTPUT = oneOf(TEXT, arrayOf(INPUT_PART));
const ITEM = oneOf(
  closedObject(
    { role: enumOf('user', 'system', 'developer'), content: oneOf(TEXT, arrayOf(INPUT_PART, 1)) },
    { type: enumOf('message') },
  ),
  openObject(
    { role: enumOf('assistant'), content: oneOf(TEXT, arrayOf(ANY_OBJECT, 1)) },
    { type: enumOf('message') },
  ),
  openObject(FUNCTION_CALL, { namespace: TEXT }),
  openObject(CUSTOM_CALL),
  closedObject({ type: enumOf('function_call_output'), call_id: NON_EMPTY_TEXT, output: OUTPUT }),
  closedObject({ type: enumOf('custom_tool_call_output'), call_id: NON_EMPTY_TEXT, output: OUTPUT }),
  REASONING,
);
const FORMAT = oneOf(
  closedObject({ type: enumOf('text', 'json_object') }),
  closedObject(
    { type: enumOf('json_schema'), name: NON_EMPTY_TEXT, schema: ANY_OBJECT },
    { description: orNull(TEXT), strict: orNull(BOOLEAN) },
  ),
);
const FUNCTION_TOOL = closedObject(
  { type: enumOf('function'), name: NON_EMPTY_TEXT, parameters: orNull(ANY_OBJECT), strict: orNull(BOOLEAN) },
  { description: orNull(TEXT), defer_loading: BOOLEAN },
);
const CUSTOM_TOOL = closedObject(
  { type: enumOf('custom'), name: NON_EMPTY_TEXT },
  { description: TEXT, format: ANY_OBJECT },
);
const TOOL = oneOf(
  FUNCTION_TOOL,
  CUSTOM_TOOL,
  openObject({
    type: enumOf('namespace'),
    name: NON_EMPTY_TEXT,
    tools: arrayOf(oneOf(FUNCTION_TOOL, CUSTOM_TOOL), 1),
  }),
);
const CHOICE = oneOf(
  enumOf('none', 'auto', 'required'),
  closedObject({ type: enumOf('function', 'custom'), name: NON_EMPTY_TEXT }),
  openObject({
    type: enumOf('allowed_tools'),
    mode: enumOf('auto', 'required'),
    tools: arrayOf(ANY_OBJECT, 1),
  }),
);
const EFFORT = enumOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');

export const RESPONSES_REQUEST_SCHEMA = closedObject(
  { model: NON_EMPTY_TEXT, input: oneOf(TEXT, arrayOf(ITEM)) },
  {
    instructions: orNull(TEXT),
    tools: arrayOf(TOOL, 1),
    tool_choice: CHOICE,
    parallel_tool_calls: BOOLEAN,
    text: closedObject({}, { format: FORMAT, verbosity: enumOf('low', 'medium', 'high') }),
    max_output_tokens: { type: 'integer', minimum: 16 },
    temperature: orNull(numberBetween(0, 2)),
    top_p: orNull(numberBetween(0, 1)),
    top_logprobs: COUNT,
    reasoning: closedObject(
      {},
      { effort: EFFORT, summary: enumOf('auto', 'concise', 'detailed'), max_tokens: COUNT },
    ),
    include: arrayOf(NON_EMPTY_TEXT),
    store: BOOLEAN,
    safety_identifier: TEXT,
    metadata: ANY_OBJECT,
    prompt_cache_key: TEXT,
    service_tier: enumOf('auto', 'default', 'flex', 'scale', 'priority'),
    stream: BOOLEAN,
  },
);

const CONTENT = oneOf(
  openObject({ type: enumOf('output_text'), text: TEXT, annotations: arrayOf(ANY_OBJECT) }),
  openObject({ type: enumOf('refusal'), refusal: TEXT }),
);
const OUTPUT_ITEM = oneOf(
  openObject({
    id: NON_EMPTY_TEXT,
    type: enumOf('message'),
    status: STATUS,
    role: enumOf('assistant'),
    content: arrayOf(CONTENT),
  }),
  openObject({ id: NON_EMPTY_TEXT, ...FUNCTION_CALL }, { status: STATUS, namespace: TEXT }),
  openObject({ id: NON_EMPTY_TEXT, ...CUSTOM_CALL }, { status: STATUS, namespace: TEXT }),
  openObject({
    id: NON_EMPTY_TEXT,
    type: enumOf('reasoning'),
    summary: arrayOf(openObject({ type: enumOf('summary_text'), text: TEXT })),
  }),
);
const USAGE = openObject({
  input_tokens: COUNT,
  input_tokens_details: openObject({ cached_tokens: COUNT }),
  output_tokens: COUNT,
  output_tokens_details: openObject({ reasoning_tokens: COUNT }),
  total_tokens: COUNT,
});

/** Every member that SDKs and Open Responses (openresponses.org) demand, null where there is nothing to say. */
export const RESPONSES_ANSWER_SCHEMA = openObject(
  {
    id: NON_EMPTY_TEXT,
    object: enumOf('response'),
    created_at: INTEGER,
    completed_at: orNull(INTEGER),
    status: enumOf('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'),
    incomplete_details: orNull(openObject({ reason: enumOf('max_output_tokens', 'content_filter') })),
    model: NON_EMPTY_TEXT,
    previous_response_id: orNull(NON_EMPTY_TEXT),
    instructions: orNull(oneOf(TEXT, arrayOf(ANY_OBJECT))),
    output: arrayOf(OUTPUT_ITEM),
    error: orNull(openObject({ code: NON_EMPTY_TEXT, message: NON_EMPTY_TEXT })),
    tools: arrayOf(TOOL),
    tool_choice: CHOICE,
    truncation: enumOf('auto', 'disabled'),
    parallel_tool_calls: BOOLEAN,
    text: openObject({ format: FORMAT }, { verbosity: enumOf('low', 'medium', 'high') }),
    temperature: NUMBER,
    top_p: NUMBER,
    presence_penalty: NUMBER,
    frequency_penalty: NUMBER,
    top_logprobs: COUNT,
    reasoning: orNull(openObject({ effort: orNull(EFFORT), summary: orNull(TEXT) })),
    usage: orNull(USAGE),
    max_output_tokens: orNull(COUNT),
    max_tool_calls: orNull(COUNT),
    store: BOOLEAN,
    background: BOOLEAN,
    service_tier: TEXT,
    metadata: ANY_OBJECT,
    safety_identifier: orNull(TEXT),
    prompt_cache_key: orNull(TEXT),
  },
  { user: NULL },
);

const AT_ITEM: SchemaMembers = { item_id: NON_EMPTY_TEXT, output_index: COUNT };
const AT_PART: SchemaMembers = { ...AT_ITEM, content_index: COUNT };
const AT_SUMMARY: SchemaMembers = { ...AT_ITEM, summary_index: COUNT };
const RESPONSE: SchemaMembers = { response: RESPONSES_ANSWER_SCHEMA };
const EVENTS: Readonly<Record<string, SchemaMembers>> = {
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
  'response.function_call_arguments.done': { ...AT_ITEM, name: NON_EMPTY_TEXT, arguments: TEXT },
  'response.custom_tool_call_input.delta': { ...AT_ITEM, delta: TEXT },
  'response.custom_tool_call_input.done': { ...AT_ITEM, input: TEXT },
  'response.reasoning_summary_part.added': { ...AT_SUMMARY, part: ANY_OBJECT },
  'response.reasoning_summary_part.done': { ...AT_SUMMARY, part: ANY_OBJECT },
  'response.reasoning_summary_text.delta': { ...AT_SUMMARY, delta: TEXT },
  'response.reasoning_summary_text.done': { ...AT_SUMMARY, text: TEXT },
  error: { message: NON_EMPTY_TEXT, code: orNull(NON_EMPTY_TEXT), param: orNull(TEXT) },
};

/** Of the event of this type; undefined for one that we do not write. */
export function findResponsesEventSchema(type: string): Json | undefined {
  const members = EVENTS[type];
  return members && eventSchema(type, members);
}

function eventSchema(type: string, members: SchemaMembers): JsonObject {
  return openObject({ type: enumOf(type), sequence_number: COUNT, ...members });
}
