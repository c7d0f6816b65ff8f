// The parts of Chat Completions that Floe writes, as OpenAI documents them
// (platform.openai.com/docs/api-reference/chat).
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
  STRING_SCHEMA,
} from './schema-builders.ts';

const CACHE = { cache_control: ANY_OBJECT_SCHEMA };
const TEXT_PART = closedObject({ type: enumOf('text'), text: STRING_SCHEMA }, CACHE);
const USER_PART = anyOf(
  TEXT_PART,
  closedObject({
    type: enumOf('image_url'),
    image_url: closedObject(
      { url: NON_EMPTY_STRING_SCHEMA },
      { detail: enumOf('auto', 'low', 'high', 'original') },
    ),
  }),
  closedObject({
    type: enumOf('input_audio'),
    input_audio: closedObject({ data: NON_EMPTY_STRING_SCHEMA, format: enumOf('wav', 'mp3') }),
  }),
  closedObject({
    type: enumOf('file'),
    file: anyOf(
      closedObject({ file_id: NON_EMPTY_STRING_SCHEMA }),
      closedObject({ file_data: NON_EMPTY_STRING_SCHEMA, filename: STRING_SCHEMA }),
    ),
  }),
);
const CALL = anyOf(
  closedObject({
    id: NON_EMPTY_STRING_SCHEMA,
    type: enumOf('function'),
    function: closedObject({ name: NON_EMPTY_STRING_SCHEMA, arguments: STRING_SCHEMA }),
  }),
  closedObject({
    id: NON_EMPTY_STRING_SCHEMA,
    type: enumOf('custom'),
    custom: closedObject({ name: NON_EMPTY_STRING_SCHEMA, input: STRING_SCHEMA }),
  }),
);
const texts = anyOf(STRING_SCHEMA, arrayOf(TEXT_PART, 1));
const MESSAGE = anyOf(
  closedObject({ role: enumOf('system', 'developer'), content: texts }, { name: STRING_SCHEMA }),
  closedObject(
    { role: enumOf('user'), content: anyOf(STRING_SCHEMA, arrayOf(USER_PART, 1)) },
    { name: STRING_SCHEMA },
  ),
  // Some hosts accept their own reasoning in additional members.
  openObject(
    { role: enumOf('assistant') },
    { content: nullableSchema(texts), refusal: nullableSchema(STRING_SCHEMA), tool_calls: arrayOf(CALL, 1) },
  ),
  closedObject({ role: enumOf('tool'), tool_call_id: NON_EMPTY_STRING_SCHEMA, content: texts }),
);
const NAMED = closedObject({ name: NON_EMPTY_STRING_SCHEMA });
const TOOL = anyOf(
  closedObject({
    type: enumOf('function'),
    function: closedObject(
      { name: NON_EMPTY_STRING_SCHEMA },
      { description: STRING_SCHEMA, parameters: ANY_OBJECT_SCHEMA, strict: nullableSchema(BOOLEAN_SCHEMA) },
    ),
  }),
  closedObject({
    type: enumOf('custom'),
    custom: closedObject(
      { name: NON_EMPTY_STRING_SCHEMA },
      { description: STRING_SCHEMA, format: ANY_OBJECT_SCHEMA },
    ),
  }),
);
const CHOICE = anyOf(
  enumOf('none', 'auto', 'required'),
  closedObject({ type: enumOf('function'), function: NAMED }),
  closedObject({ type: enumOf('custom'), custom: NAMED }),
  openObject({ type: enumOf('allowed_tools'), allowed_tools: ANY_OBJECT_SCHEMA }),
);
const FORMAT = anyOf(
  closedObject({ type: enumOf('text', 'json_object') }),
  closedObject({
    type: enumOf('json_schema'),
    json_schema: closedObject(
      { name: NON_EMPTY_STRING_SCHEMA },
      { description: STRING_SCHEMA, schema: ANY_OBJECT_SCHEMA, strict: nullableSchema(BOOLEAN_SCHEMA) },
    ),
  }),
);

export const CHAT_REQUEST_SCHEMA = openObject(
  { model: NON_EMPTY_STRING_SCHEMA, messages: arrayOf(MESSAGE, 1) },
  {
    tools: arrayOf(TOOL, 1),
    tool_choice: CHOICE,
    parallel_tool_calls: BOOLEAN_SCHEMA,
    response_format: FORMAT,
    temperature: nullableSchema(numberBetween(0, 2)),
    top_p: nullableSchema(numberBetween(0, 1)),
    presence_penalty: nullableSchema(numberBetween(-2, 2)),
    frequency_penalty: nullableSchema(numberBetween(-2, 2)),
    stop: anyOf(STRING_SCHEMA, arrayOf(STRING_SCHEMA, 1, 4), NULL_SCHEMA),
    seed: nullableSchema(INTEGER_SCHEMA),
    n: nullableSchema({ type: 'integer', minimum: 1, maximum: 128 }),
    max_tokens: nullableSchema(INTEGER_SCHEMA),
    max_completion_tokens: nullableSchema(INTEGER_SCHEMA),
    reasoning_effort: nullableSchema(enumOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    verbosity: nullableSchema(enumOf('low', 'medium', 'high')),
    service_tier: nullableSchema(enumOf('auto', 'default', 'flex', 'scale', 'priority')),
    logit_bias: nullableSchema(ANY_OBJECT_SCHEMA),
    metadata: nullableSchema(ANY_OBJECT_SCHEMA),
    user: STRING_SCHEMA,
    prompt_cache_key: STRING_SCHEMA,
    safety_identifier: STRING_SCHEMA,
    stream: nullableSchema(BOOLEAN_SCHEMA),
    stream_options: nullableSchema(
      closedObject({}, { include_usage: BOOLEAN_SCHEMA, include_obfuscation: BOOLEAN_SCHEMA }),
    ),
  },
);

const USAGE = openObject(
  { prompt_tokens: COUNT_SCHEMA, completion_tokens: COUNT_SCHEMA, total_tokens: COUNT_SCHEMA },
  {
    prompt_tokens_details: openObject({}, { cached_tokens: COUNT_SCHEMA, audio_tokens: COUNT_SCHEMA }),
    completion_tokens_details: openObject({}, { reasoning_tokens: COUNT_SCHEMA, audio_tokens: COUNT_SCHEMA }),
  },
);
const FINISH = enumOf('stop', 'length', 'tool_calls', 'content_filter', 'function_call');
const ENVELOPE = { id: NON_EMPTY_STRING_SCHEMA, created: INTEGER_SCHEMA, model: STRING_SCHEMA };

export const CHAT_RESPONSE_SCHEMA = openObject(
  {
    ...ENVELOPE,
    object: enumOf('chat.completion'),
    choices: arrayOf(
      openObject({
        index: COUNT_SCHEMA,
        finish_reason: FINISH,
        message: openObject(
          { role: enumOf('assistant'), content: nullableSchema(STRING_SCHEMA) },
          {
            refusal: nullableSchema(STRING_SCHEMA),
            tool_calls: arrayOf(CALL, 1),
            reasoning_content: STRING_SCHEMA,
          },
        ),
      }),
    ),
  },
  { usage: USAGE },
);

const CALL_DELTA = openObject(
  { index: COUNT_SCHEMA },
  {
    id: NON_EMPTY_STRING_SCHEMA,
    type: enumOf('function', 'custom'),
    function: closedObject({}, { name: NON_EMPTY_STRING_SCHEMA, arguments: STRING_SCHEMA }),
    custom: closedObject({}, { name: NON_EMPTY_STRING_SCHEMA, input: STRING_SCHEMA }),
  },
);

export const CHAT_CHUNK_SCHEMA = openObject(
  {
    ...ENVELOPE,
    object: enumOf('chat.completion.chunk'),
    choices: arrayOf(
      openObject({
        index: COUNT_SCHEMA,
        finish_reason: nullableSchema(FINISH),
        delta: openObject(
          {},
          {
            role: enumOf('assistant'),
            content: nullableSchema(STRING_SCHEMA),
            refusal: nullableSchema(STRING_SCHEMA),
            tool_calls: arrayOf(CALL_DELTA, 1),
          },
        ),
      }),
    ),
  },
  { usage: nullableSchema(USAGE) },
);

/** The error body of every OpenAI surface. */
export const OPENAI_ERROR_SCHEMA = openObject({
  error: openObject(
    { message: NON_EMPTY_STRING_SCHEMA, type: NON_EMPTY_STRING_SCHEMA },
    { code: nullableSchema(anyOf(STRING_SCHEMA, NUMBER_SCHEMA)), param: nullableSchema(STRING_SCHEMA) },
  ),
});
