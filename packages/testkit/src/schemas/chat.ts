// Chat Completions as OpenAI documents it (platform.openai.com/docs/api-reference/chat), as far as we write it.
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
  TEXT,
} from './schema-builders.ts';

const CACHE = { cache_control: ANY_OBJECT };
const TEXT_PART = closedObject({ type: enumOf('text'), text: TEXT }, CACHE);
const USER_PART = oneOf(
  TEXT_PART,
  closedObject({
    type: enumOf('image_url'),
    image_url: closedObject({ url: NON_EMPTY_TEXT }, { detail: enumOf('auto', 'low', 'high', 'original') }),
  }),
  closedObject({
    type: enumOf('input_audio'),
    input_audio: closedObject({ data: NON_EMPTY_TEXT, format: enumOf('wav', 'mp3') }),
  }),
  closedObject({
    type: enumOf('file'),
    file: oneOf(
      closedObject({ file_id: NON_EMPTY_TEXT }),
      closedObject({ file_data: NON_EMPTY_TEXT, filename: TEXT }),
    ),
  }),
);
const CALL = oneOf(
  closedObject({
    id: NON_EMPTY_TEXT,
    type: enumOf('function'),
    function: closedObject({ name: NON_EMPTY_TEXT, arguments: TEXT }),
  }),
  closedObject({
    id: NON_EMPTY_TEXT,
    type: enumOf('custom'),
    custom: closedObject({ name: NON_EMPTY_TEXT, input: TEXT }),
  }),
);
const texts = oneOf(TEXT, arrayOf(TEXT_PART, 1));
const MESSAGE = oneOf(
  closedObject({ role: enumOf('system', 'developer'), content: texts }, { name: TEXT }),
  closedObject({ role: enumOf('user'), content: oneOf(TEXT, arrayOf(USER_PART, 1)) }, { name: TEXT }),
  // Hosts take their own reasoning back in members of their own.
  openObject(
    { role: enumOf('assistant') },
    { content: orNull(texts), refusal: orNull(TEXT), tool_calls: arrayOf(CALL, 1) },
  ),
  closedObject({ role: enumOf('tool'), tool_call_id: NON_EMPTY_TEXT, content: texts }),
);
const NAMED = closedObject({ name: NON_EMPTY_TEXT });
const TOOL = oneOf(
  closedObject({
    type: enumOf('function'),
    function: closedObject(
      { name: NON_EMPTY_TEXT },
      { description: TEXT, parameters: ANY_OBJECT, strict: orNull(BOOLEAN) },
    ),
  }),
  closedObject({
    type: enumOf('custom'),
    custom: closedObject({ name: NON_EMPTY_TEXT }, { description: TEXT, format: ANY_OBJECT }),
  }),
);
const CHOICE = oneOf(
  enumOf('none', 'auto', 'required'),
  closedObject({ type: enumOf('function'), function: NAMED }),
  closedObject({ type: enumOf('custom'), custom: NAMED }),
  openObject({ type: enumOf('allowed_tools'), allowed_tools: ANY_OBJECT }),
);
const FORMAT = oneOf(
  closedObject({ type: enumOf('text', 'json_object') }),
  closedObject({
    type: enumOf('json_schema'),
    json_schema: closedObject(
      { name: NON_EMPTY_TEXT },
      { description: TEXT, schema: ANY_OBJECT, strict: orNull(BOOLEAN) },
    ),
  }),
);

export const CHAT_REQUEST_SCHEMA = openObject(
  { model: NON_EMPTY_TEXT, messages: arrayOf(MESSAGE, 1) },
  {
    tools: arrayOf(TOOL, 1),
    tool_choice: CHOICE,
    parallel_tool_calls: BOOLEAN,
    response_format: FORMAT,
    temperature: orNull(numberBetween(0, 2)),
    top_p: orNull(numberBetween(0, 1)),
    presence_penalty: orNull(numberBetween(-2, 2)),
    frequency_penalty: orNull(numberBetween(-2, 2)),
    stop: oneOf(TEXT, arrayOf(TEXT, 1, 4), NULL),
    seed: orNull(INTEGER),
    n: orNull({ type: 'integer', minimum: 1, maximum: 128 }),
    max_tokens: orNull(INTEGER),
    max_completion_tokens: orNull(INTEGER),
    reasoning_effort: orNull(enumOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    verbosity: orNull(enumOf('low', 'medium', 'high')),
    service_tier: orNull(enumOf('auto', 'default', 'flex', 'scale', 'priority')),
    logit_bias: orNull(ANY_OBJECT),
    metadata: orNull(ANY_OBJECT),
    user: TEXT,
    prompt_cache_key: TEXT,
    safety_identifier: TEXT,
    stream: orNull(BOOLEAN),
    stream_options: orNull(closedObject({}, { include_usage: BOOLEAN, include_obfuscation: BOOLEAN })),
  },
);

const USAGE = openObject(
  { prompt_tokens: COUNT, completion_tokens: COUNT, total_tokens: COUNT },
  {
    prompt_tokens_details: openObject({}, { cached_tokens: COUNT, audio_tokens: COUNT }),
    completion_tokens_details: openObject({}, { reasoning_tokens: COUNT, audio_tokens: COUNT }),
  },
);
const FINISH = enumOf('stop', 'length', 'tool_calls', 'content_filter', 'function_call');
const ENVELOPE = { id: NON_EMPTY_TEXT, created: INTEGER, model: TEXT };

export const CHAT_ANSWER_SCHEMA = openObject(
  {
    ...ENVELOPE,
    object: enumOf('chat.completion'),
    choices: arrayOf(
      openObject({
        index: COUNT,
        finish_reason: FINISH,
        message: openObject(
          { role: enumOf('assistant'), content: orNull(TEXT) },
          { refusal: orNull(TEXT), tool_calls: arrayOf(CALL, 1), reasoning_content: TEXT },
        ),
      }),
    ),
  },
  { usage: USAGE },
);

const CALL_DELTA = openObject(
  { index: COUNT },
  {
    id: NON_EMPTY_TEXT,
    type: enumOf('function', 'custom'),
    function: closedObject({}, { name: NON_EMPTY_TEXT, arguments: TEXT }),
    custom: closedObject({}, { name: NON_EMPTY_TEXT, input: TEXT }),
  },
);

export const CHAT_CHUNK_SCHEMA = openObject(
  {
    ...ENVELOPE,
    object: enumOf('chat.completion.chunk'),
    choices: arrayOf(
      openObject({
        index: COUNT,
        finish_reason: orNull(FINISH),
        delta: openObject(
          {},
          {
            role: enumOf('assistant'),
            content: orNull(TEXT),
            refusal: orNull(TEXT),
            tool_calls: arrayOf(CALL_DELTA, 1),
          },
        ),
      }),
    ),
  },
  { usage: orNull(USAGE) },
);

/** Of every OpenAI surface. */
export const OPENAI_ERROR_SCHEMA = openObject({
  error: openObject(
    { message: NON_EMPTY_TEXT, type: NON_EMPTY_TEXT },
    { code: orNull(oneOf(TEXT, NUMBER)), param: orNull(TEXT) },
  ),
});
