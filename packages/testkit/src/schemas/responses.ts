// The parts of Responses that Floe writes, as OpenAI documents them
// (platform.openai.com/docs/api-reference/responses).
import type { Json, JsonObject } from '@floe/contract/json';
import {
  ANY_OBJECT_SCHEMA,
  anyOf,
  arrayOf,
  BOOLEAN_SCHEMA,
  COUNT_SCHEMA,
  closedObject,
  enumOf,
  INTEGER_SCHEMA,
  NON_EMPTY_STRING_SCHEMA,
  NULL_SCHEMA,
  NUMBER_SCHEMA,
  nullableSchema,
  numberBetween,
  openObject,
  type SchemaMembers,
  STRING_SCHEMA,
} from './schema-builders.ts';

const STATUS = enumOf('in_progress', 'completed', 'incomplete');
const IMAGE = closedObject(
  { type: enumOf('input_image') },
  {
    detail: enumOf('auto', 'low', 'high', 'original'),
    image_url: NON_EMPTY_STRING_SCHEMA,
    file_id: NON_EMPTY_STRING_SCHEMA,
  },
);
const FILE = closedObject(
  { type: enumOf('input_file') },
  {
    file_data: NON_EMPTY_STRING_SCHEMA,
    filename: STRING_SCHEMA,
    file_url: NON_EMPTY_STRING_SCHEMA,
    file_id: NON_EMPTY_STRING_SCHEMA,
    detail: enumOf('low', 'high'),
  },
);
const INPUT_PART = anyOf(closedObject({ type: enumOf('input_text'), text: STRING_SCHEMA }), IMAGE, FILE);
const REASONING = openObject(
  {
    type: enumOf('reasoning'),
    summary: arrayOf(closedObject({ type: enumOf('summary_text'), text: STRING_SCHEMA })),
  },
  { id: NON_EMPTY_STRING_SCHEMA, encrypted_content: nullableSchema(NON_EMPTY_STRING_SCHEMA) },
);
const FUNCTION_CALL = {
  type: enumOf('function_call'),
  call_id: NON_EMPTY_STRING_SCHEMA,
  name: NON_EMPTY_STRING_SCHEMA,
  arguments: STRING_SCHEMA,
};
const CUSTOM_CALL = {
  type: enumOf('custom_tool_call'),
  call_id: NON_EMPTY_STRING_SCHEMA,
  name: NON_EMPTY_STRING_SCHEMA,
  input: STRING_SCHEMA,
};
const OUTPUT = anyOf(STRING_SCHEMA, arrayOf(INPUT_PART));
const ITEM = anyOf(
  closedObject(
    { role: enumOf('user', 'system', 'developer'), content: anyOf(STRING_SCHEMA, arrayOf(INPUT_PART, 1)) },
    { type: enumOf('message') },
  ),
  openObject(
    { role: enumOf('assistant'), content: anyOf(STRING_SCHEMA, arrayOf(ANY_OBJECT_SCHEMA, 1)) },
    { type: enumOf('message') },
  ),
  openObject(FUNCTION_CALL, { namespace: STRING_SCHEMA }),
  openObject(CUSTOM_CALL),
  closedObject({ type: enumOf('function_call_output'), call_id: NON_EMPTY_STRING_SCHEMA, output: OUTPUT }),
  closedObject({ type: enumOf('custom_tool_call_output'), call_id: NON_EMPTY_STRING_SCHEMA, output: OUTPUT }),
  REASONING,
);
const FORMAT = anyOf(
  closedObject({ type: enumOf('text', 'json_object') }),
  closedObject(
    { type: enumOf('json_schema'), name: NON_EMPTY_STRING_SCHEMA, schema: ANY_OBJECT_SCHEMA },
    { description: nullableSchema(STRING_SCHEMA), strict: nullableSchema(BOOLEAN_SCHEMA) },
  ),
);
const FUNCTION_TOOL = closedObject(
  {
    type: enumOf('function'),
    name: NON_EMPTY_STRING_SCHEMA,
    parameters: nullableSchema(ANY_OBJECT_SCHEMA),
    strict: nullableSchema(BOOLEAN_SCHEMA),
  },
  { description: nullableSchema(STRING_SCHEMA), defer_loading: BOOLEAN_SCHEMA },
);
const CUSTOM_TOOL = closedObject(
  { type: enumOf('custom'), name: NON_EMPTY_STRING_SCHEMA },
  { description: STRING_SCHEMA, format: ANY_OBJECT_SCHEMA },
);
const TOOL = anyOf(
  FUNCTION_TOOL,
  CUSTOM_TOOL,
  openObject({
    type: enumOf('namespace'),
    name: NON_EMPTY_STRING_SCHEMA,
    tools: arrayOf(anyOf(FUNCTION_TOOL, CUSTOM_TOOL), 1),
  }),
);
const CHOICE = anyOf(
  enumOf('none', 'auto', 'required'),
  closedObject({ type: enumOf('function', 'custom'), name: NON_EMPTY_STRING_SCHEMA }),
  openObject({
    type: enumOf('allowed_tools'),
    mode: enumOf('auto', 'required'),
    tools: arrayOf(ANY_OBJECT_SCHEMA, 1),
  }),
);
const EFFORT = enumOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');

export const RESPONSES_REQUEST_SCHEMA = closedObject(
  { model: NON_EMPTY_STRING_SCHEMA, input: anyOf(STRING_SCHEMA, arrayOf(ITEM)) },
  {
    instructions: nullableSchema(STRING_SCHEMA),
    tools: arrayOf(TOOL, 1),
    tool_choice: CHOICE,
    parallel_tool_calls: BOOLEAN_SCHEMA,
    text: closedObject({}, { format: FORMAT, verbosity: enumOf('low', 'medium', 'high') }),
    max_output_tokens: { type: 'integer', minimum: 16 },
    temperature: nullableSchema(numberBetween(0, 2)),
    top_p: nullableSchema(numberBetween(0, 1)),
    top_logprobs: COUNT_SCHEMA,
    reasoning: closedObject(
      {},
      { effort: EFFORT, summary: enumOf('auto', 'concise', 'detailed'), max_tokens: COUNT_SCHEMA },
    ),
    include: arrayOf(NON_EMPTY_STRING_SCHEMA),
    store: BOOLEAN_SCHEMA,
    safety_identifier: STRING_SCHEMA,
    metadata: ANY_OBJECT_SCHEMA,
    prompt_cache_key: STRING_SCHEMA,
    service_tier: enumOf('auto', 'default', 'flex', 'scale', 'priority'),
    stream: BOOLEAN_SCHEMA,
  },
);

const CONTENT = anyOf(
  openObject({ type: enumOf('output_text'), text: STRING_SCHEMA, annotations: arrayOf(ANY_OBJECT_SCHEMA) }),
  openObject({ type: enumOf('refusal'), refusal: STRING_SCHEMA }),
);
const OUTPUT_ITEM = anyOf(
  openObject({
    id: NON_EMPTY_STRING_SCHEMA,
    type: enumOf('message'),
    status: STATUS,
    role: enumOf('assistant'),
    content: arrayOf(CONTENT),
  }),
  openObject({ id: NON_EMPTY_STRING_SCHEMA, ...FUNCTION_CALL }, { status: STATUS, namespace: STRING_SCHEMA }),
  openObject({ id: NON_EMPTY_STRING_SCHEMA, ...CUSTOM_CALL }, { status: STATUS, namespace: STRING_SCHEMA }),
  openObject({
    id: NON_EMPTY_STRING_SCHEMA,
    type: enumOf('reasoning'),
    summary: arrayOf(openObject({ type: enumOf('summary_text'), text: STRING_SCHEMA })),
  }),
);
const USAGE = openObject({
  input_tokens: COUNT_SCHEMA,
  input_tokens_details: openObject({ cached_tokens: COUNT_SCHEMA }),
  output_tokens: COUNT_SCHEMA,
  output_tokens_details: openObject({ reasoning_tokens: COUNT_SCHEMA }),
  total_tokens: COUNT_SCHEMA,
});

/**
 * The schema of a Responses response, with all members that SDKs and Open Responses
 * (openresponses.org) require. Members without a value are null.
 */
export const RESPONSES_RESPONSE_SCHEMA = openObject(
  {
    id: NON_EMPTY_STRING_SCHEMA,
    object: enumOf('response'),
    created_at: INTEGER_SCHEMA,
    completed_at: nullableSchema(INTEGER_SCHEMA),
    status: enumOf('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'),
    incomplete_details: nullableSchema(openObject({ reason: enumOf('max_output_tokens', 'content_filter') })),
    model: NON_EMPTY_STRING_SCHEMA,
    previous_response_id: nullableSchema(NON_EMPTY_STRING_SCHEMA),
    instructions: nullableSchema(anyOf(STRING_SCHEMA, arrayOf(ANY_OBJECT_SCHEMA))),
    output: arrayOf(OUTPUT_ITEM),
    error: nullableSchema(openObject({ code: NON_EMPTY_STRING_SCHEMA, message: NON_EMPTY_STRING_SCHEMA })),
    tools: arrayOf(TOOL),
    tool_choice: CHOICE,
    truncation: enumOf('auto', 'disabled'),
    parallel_tool_calls: BOOLEAN_SCHEMA,
    text: openObject({ format: FORMAT }, { verbosity: enumOf('low', 'medium', 'high') }),
    temperature: NUMBER_SCHEMA,
    top_p: NUMBER_SCHEMA,
    presence_penalty: NUMBER_SCHEMA,
    frequency_penalty: NUMBER_SCHEMA,
    top_logprobs: COUNT_SCHEMA,
    reasoning: nullableSchema(
      openObject({ effort: nullableSchema(EFFORT), summary: nullableSchema(STRING_SCHEMA) }),
    ),
    usage: nullableSchema(USAGE),
    max_output_tokens: nullableSchema(COUNT_SCHEMA),
    max_tool_calls: nullableSchema(COUNT_SCHEMA),
    store: BOOLEAN_SCHEMA,
    background: BOOLEAN_SCHEMA,
    service_tier: STRING_SCHEMA,
    metadata: ANY_OBJECT_SCHEMA,
    safety_identifier: nullableSchema(STRING_SCHEMA),
    prompt_cache_key: nullableSchema(STRING_SCHEMA),
  },
  { user: NULL_SCHEMA },
);

const AT_ITEM: SchemaMembers = { item_id: NON_EMPTY_STRING_SCHEMA, output_index: COUNT_SCHEMA };
const AT_PART: SchemaMembers = { ...AT_ITEM, content_index: COUNT_SCHEMA };
const AT_SUMMARY: SchemaMembers = { ...AT_ITEM, summary_index: COUNT_SCHEMA };
const RESPONSE: SchemaMembers = { response: RESPONSES_RESPONSE_SCHEMA };
const EVENTS: Readonly<Record<string, SchemaMembers>> = {
  'response.created': RESPONSE,
  'response.in_progress': RESPONSE,
  'response.completed': RESPONSE,
  'response.incomplete': RESPONSE,
  'response.failed': RESPONSE,
  'response.output_item.added': { output_index: COUNT_SCHEMA, item: OUTPUT_ITEM },
  'response.output_item.done': { output_index: COUNT_SCHEMA, item: OUTPUT_ITEM },
  'response.content_part.added': { ...AT_PART, part: CONTENT },
  'response.content_part.done': { ...AT_PART, part: CONTENT },
  'response.output_text.delta': { ...AT_PART, delta: STRING_SCHEMA },
  'response.output_text.done': { ...AT_PART, text: STRING_SCHEMA },
  'response.refusal.delta': { ...AT_PART, delta: STRING_SCHEMA },
  'response.refusal.done': { ...AT_PART, refusal: STRING_SCHEMA },
  'response.function_call_arguments.delta': { ...AT_ITEM, delta: STRING_SCHEMA },
  'response.function_call_arguments.done': {
    ...AT_ITEM,
    name: NON_EMPTY_STRING_SCHEMA,
    arguments: STRING_SCHEMA,
  },
  'response.custom_tool_call_input.delta': { ...AT_ITEM, delta: STRING_SCHEMA },
  'response.custom_tool_call_input.done': { ...AT_ITEM, input: STRING_SCHEMA },
  'response.reasoning_summary_part.added': { ...AT_SUMMARY, part: ANY_OBJECT_SCHEMA },
  'response.reasoning_summary_part.done': { ...AT_SUMMARY, part: ANY_OBJECT_SCHEMA },
  'response.reasoning_summary_text.delta': { ...AT_SUMMARY, delta: STRING_SCHEMA },
  'response.reasoning_summary_text.done': { ...AT_SUMMARY, text: STRING_SCHEMA },
  error: {
    message: NON_EMPTY_STRING_SCHEMA,
    code: nullableSchema(NON_EMPTY_STRING_SCHEMA),
    param: nullableSchema(STRING_SCHEMA),
  },
};

/** Returns the schema of an event type. Undefined for an event that Floe does not write. */
export function findResponsesEventSchema(type: string): Json | undefined {
  const members = EVENTS[type];
  return members && eventSchema(type, members);
}

function eventSchema(type: string, members: SchemaMembers): JsonObject {
  return openObject({ type: enumOf(type), sequence_number: COUNT_SCHEMA, ...members });
}
