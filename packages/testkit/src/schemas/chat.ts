// The parts of Chat Completions that Floe writes, as OpenAI documents them
// (platform.openai.com/docs/api-reference/chat).
import {
  ANY_OBJECT_SCHEMA,
  arrayOf,
  BOOLEAN_SCHEMA,
  COUNT_SCHEMA,
  closedObject,
  enumOf,
  INTEGER_SCHEMA,
  NON_EMPTY_TEXT_SCHEMA,
  NULL_SCHEMA,
  NUMBER_SCHEMA,
  nullableSchema,
  numberBetween,
  oneOf,
  openObject,
  TEXT_SCHEMA,
} from './schema-builders.ts';

const CACHE = { cache_control: ANY_OBJECT_SCHEMA };
const TEXT_PART = closedObject({ type: enumOf('text'), text: TEXT_SCHEMA }, CACHE);
const USER_PART = oneOf(
  TEXT_PART,
  closedObject({
    type: enumOf('image_url'),
    image_url: closedObject(
      { url: NON_EMPTY_TEXT_SCHEMA },
      { detail: enumOf('auto', 'low', 'high', 'original') },
    ),
  }),
  closedObject({
    type: enumOf('input_audio'),
    input_audio: closedObject({ data: NON_EMPTY_TEXT_SCHEMA, format: enumOf('wav', 'mp3') }),
  }),
  closedObject({
    type: enumOf('file'),
    file: oneOf(
      closedObject({ file_id: NON_EMPTY_TEXT_SCHEMA }),
      closedObject({ file_data: NON_EMPTY_TEXT_SCHEMA, filename: TEXT_SCHEMA }),
    ),
  }),
);
const CALL = oneOf(
  closedObject({
    id: NON_EMPTY_TEXT_SCHEMA,
    type: enumOf('function'),
    function: closedObject({ name: NON_EMPTY_TEXT_SCHEMA, arguments: TEXT_SCHEMA }),
  }),
  closedObject({
    id: NON_EMPTY_TEXT_SCHEMA,
    type: enumOf('custom'),
    custom: closedObject({ name: NON_EMPTY_TEXT_SCHEMA, input: TEXT_SCHEMA }),
  }),
);
const texts = oneOf(TEXT_SCHEMA, arrayOf(TEXT_PART, 1));
const MESSAGE = oneOf(
  closedObject({ role: enumOf('system', 'developer'), content: texts }, { name: TEXT_SCHEMA }),
  closedObject(
    { role: enumOf('user'), content: oneOf(TEXT_SCHEMA, arrayOf(USER_PART, 1)) },
    { name: TEXT_SCHEMA },
  ),
  // Some hosts accept their own reasoning in additional members.
  openObject(
    { role: enumOf('assistant') },
    { content: nullableSchema(texts), refusal: nullableSchema(TEXT_SCHEMA), tool_calls: arrayOf(CALL, 1) },
  ),
  closedObject({ role: enumOf('tool'), tool_call_id: NON_EMPTY_TEXT_SCHEMA, content: texts }),
);
const NAMED = closedObject({ name: NON_EMPTY_TEXT_SCHEMA });
const TOOL = oneOf(
  closedObject({
    type: enumOf('function'),
    function: closedObject(
      { name: NON_EMPTY_TEXT_SCHEMA },
      { description: TEXT_SCHEMA, parameters: ANY_OBJECT_SCHEMA, strict: nullableSchema(BOOLEAN_SCHEMA) },
    ),
  }),
  closedObject({
    type: enumOf('custom'),
    custom: closedObject(
      { name: NON_EMPTY_TEXT_SCHEMA },
      { description: TEXT_SCHEMA, format: ANY_OBJECT_SCHEMA },
    ),
  }),
);
const CHOICE = oneOf(
  enumOf('none', 'auto', 'required'),
  closedObject({ type: enumOf('function'), function: NAMED }),
  closedObject({ type: enumOf('custom'), custom: NAMED }),
  openObject({ type: enumOf('allowed_tools'), allowed_tools: ANY_OBJECT_SCHEMA }),
);
const FORMAT = oneOf(
  closedObject({ type: enumOf('text', 'json_object') }),
  closedObject({
    type: enumOf('json_schema'),
    json_schema: closedObject(
      { name: NON_EMPTY_TEXT_SCHEMA },
      { description: TEXT_SCHEMA, schema: ANY_OBJECT_SCHEMA, strict: nullableSchema(BOOLEAN_SCHEMA) },
    ),
  }),
);

export const CHAT_REQUEST_SCHEMA = openObject(
  { model: NON_EMPTY_TEXT_SCHEMA, messages: arrayOf(MESSAGE, 1) },
  {
    tools: arrayOf(TOOL, 1),
    tool_choice: CHOICE,
    parallel_tool_calls: BOOLEAN_SCHEMA,
    response_format: FORMAT,
    temperature: nullableSchema(numberBetween(0, 2)),
    top_p: nullableSchema(numberBetween(0, 1)),
    presence_penalty: nullableSchema(numberBetween(-2, 2)),
    frequency_penalty: nullableSchema(numberBetween(-2, 2)),
    stop: oneOf(TEXT_SCHEMA, arrayOf(TEXT_SCHEMA, 1, 4), NULL_SCHEMA),
    seed: nullableSchema(INTEGER_SCHEMA),
    n: nullableSchema({ type: 'integer', minimum: 1, maximum: 128 }),
    max_tokens: nullableSchema(INTEGER_SCHEMA),
    max_completion_tokens: nullableSchema(INTEGER_SCHEMA),
    reasoning_effort: nullableSchema(enumOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    verbosity: nullableSchema(enumOf('low', 'medium', 'high')),
    service_tier: nullableSchema(enumOf('auto', 'default', 'flex', 'scale', 'priority')),
    logit_bias: nullableSchema(ANY_OBJECT_SCHEMA),
    metadata: nullableSchema(ANY_OBJECT_SCHEMA),
    user: TEXT_SCHEMA,
    prompt_cache_key: TEXT_SCHEMA,
    safety_identifier: TEXT_SCHEMA,
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
const ENVELOPE = { id: NON_EMPTY_TEXT_SCHEMA, created: INTEGER_SCHEMA, model: TEXT_SCHEMA };

export const CHAT_RESPONSE_SCHEMA = openObject(
  {
    ...ENVELOPE,
    object: enumOf('chat.completion'),
    choices: arrayOf(
      openObject({
        index: COUNT_SCHEMA,
        finish_reason: FINISH,
        message: openObject(
          { role: enumOf('assistant'), content: nullableSchema(TEXT_SCHEMA) },
          {
            refusal: nullableSchema(TEXT_SCHEMA),
            tool_calls: arrayOf(CALL, 1),
            reasoning_content: TEXT_SCHEMA,
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
    id: NON_EMPTY_TEXT_SCHEMA,
    type: enumOf('function', 'custom'),
    function: closedObject({}, { name: NON_EMPTY_TEXT_SCHEMA, arguments: TEXT_SCHEMA }),
    custom: closedObject({}, { name: NON_EMPTY_TEXT_SCHEMA, input: TEXT_SCHEMA }),
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
            content: nullableSchema(TEXT_SCHEMA),
            refusal: nullableSchema(TEXT_SCHEMA),
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
    { message: NON_EMPTY_TEXT_SCHEMA, type: NON_EMPTY_TEXT_SCHEMA },
    { code: nullableSchema(oneOf(TEXT_SCHEMA, NUMBER_SCHEMA)), param: nullableSchema(TEXT_SCHEMA) },
  ),
});
