// Chat Completions as OpenAI documents it (platform.openai.com/docs/api-reference/chat), as far as we write it.
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
  TEXT,
  word,
} from './schema-words.ts';

const CACHE = { cache_control: MAP };
const TEXT_PART = closed({ type: word('text'), text: TEXT }, CACHE);
const USER_PART = oneOf(
  TEXT_PART,
  closed({
    type: word('image_url'),
    image_url: closed({ url: SAID }, { detail: word('auto', 'low', 'high', 'original') }),
  }),
  closed({
    type: word('input_audio'),
    input_audio: closed({ data: SAID, format: word('wav', 'mp3') }),
  }),
  closed({
    type: word('file'),
    file: oneOf(closed({ file_id: SAID }), closed({ file_data: SAID, filename: TEXT })),
  }),
);
const CALL = oneOf(
  closed({ id: SAID, type: word('function'), function: closed({ name: SAID, arguments: TEXT }) }),
  closed({ id: SAID, type: word('custom'), custom: closed({ name: SAID, input: TEXT }) }),
);
const texts = oneOf(TEXT, list(TEXT_PART, 1));
const MESSAGE = oneOf(
  closed({ role: word('system', 'developer'), content: texts }, { name: TEXT }),
  closed({ role: word('user'), content: oneOf(TEXT, list(USER_PART, 1)) }, { name: TEXT }),
  // Hosts take their own reasoning back in members of their own.
  open(
    { role: word('assistant') },
    { content: nullable(texts), refusal: nullable(TEXT), tool_calls: list(CALL, 1) },
  ),
  closed({ role: word('tool'), tool_call_id: SAID, content: texts }),
);
const NAMED = closed({ name: SAID });
const TOOL = oneOf(
  closed({
    type: word('function'),
    function: closed({ name: SAID }, { description: TEXT, parameters: MAP, strict: nullable(BOOLEAN) }),
  }),
  closed({ type: word('custom'), custom: closed({ name: SAID }, { description: TEXT, format: MAP }) }),
);
const CHOICE = oneOf(
  word('none', 'auto', 'required'),
  closed({ type: word('function'), function: NAMED }),
  closed({ type: word('custom'), custom: NAMED }),
  open({ type: word('allowed_tools'), allowed_tools: MAP }),
);
const FORMAT = oneOf(
  closed({ type: word('text', 'json_object') }),
  closed({
    type: word('json_schema'),
    json_schema: closed({ name: SAID }, { description: TEXT, schema: MAP, strict: nullable(BOOLEAN) }),
  }),
);

export const CHAT_REQUEST = open(
  { model: SAID, messages: list(MESSAGE, 1) },
  {
    tools: list(TOOL, 1),
    tool_choice: CHOICE,
    parallel_tool_calls: BOOLEAN,
    response_format: FORMAT,
    temperature: nullable(between(0, 2)),
    top_p: nullable(between(0, 1)),
    presence_penalty: nullable(between(-2, 2)),
    frequency_penalty: nullable(between(-2, 2)),
    stop: oneOf(TEXT, list(TEXT, 1, 4), NULL),
    seed: nullable(INTEGER),
    n: nullable({ type: 'integer', minimum: 1, maximum: 128 }),
    max_tokens: nullable(INTEGER),
    max_completion_tokens: nullable(INTEGER),
    reasoning_effort: nullable(word('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    verbosity: nullable(word('low', 'medium', 'high')),
    service_tier: nullable(word('auto', 'default', 'flex', 'scale', 'priority')),
    logit_bias: nullable(MAP),
    metadata: nullable(MAP),
    user: TEXT,
    prompt_cache_key: TEXT,
    safety_identifier: TEXT,
    stream: nullable(BOOLEAN),
    stream_options: nullable(closed({}, { include_usage: BOOLEAN, include_obfuscation: BOOLEAN })),
  },
);

const USAGE = open(
  { prompt_tokens: COUNT, completion_tokens: COUNT, total_tokens: COUNT },
  {
    prompt_tokens_details: open({}, { cached_tokens: COUNT, audio_tokens: COUNT }),
    completion_tokens_details: open({}, { reasoning_tokens: COUNT, audio_tokens: COUNT }),
  },
);
const FINISH = word('stop', 'length', 'tool_calls', 'content_filter', 'function_call');
const ENVELOPE = { id: SAID, created: INTEGER, model: TEXT };

export const CHAT_ANSWER = open(
  {
    ...ENVELOPE,
    object: word('chat.completion'),
    choices: list(
      open({
        index: COUNT,
        finish_reason: FINISH,
        message: open(
          { role: word('assistant'), content: nullable(TEXT) },
          { refusal: nullable(TEXT), tool_calls: list(CALL, 1), reasoning_content: TEXT },
        ),
      }),
    ),
  },
  { usage: USAGE },
);

const CALL_DELTA = open(
  { index: COUNT },
  {
    id: SAID,
    type: word('function', 'custom'),
    function: closed({}, { name: SAID, arguments: TEXT }),
    custom: closed({}, { name: SAID, input: TEXT }),
  },
);

export const CHAT_CHUNK = open(
  {
    ...ENVELOPE,
    object: word('chat.completion.chunk'),
    choices: list(
      open({
        index: COUNT,
        finish_reason: nullable(FINISH),
        delta: open(
          {},
          {
            role: word('assistant'),
            content: nullable(TEXT),
            refusal: nullable(TEXT),
            tool_calls: list(CALL_DELTA, 1),
          },
        ),
      }),
    ),
  },
  { usage: nullable(USAGE) },
);

/** Of every OpenAI surface. */
export const OPENAI_ERROR = open({
  error: open({ message: SAID, type: SAID }, { code: nullable(oneOf(TEXT, NUMBER)), param: nullable(TEXT) }),
});
