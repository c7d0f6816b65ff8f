// The parts of Messages that Floe writes, as Anthropic documents them (docs.anthropic.com/en/api/messages).
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
  nullableSchema,
  numberBetween,
  openObject,
  STRING_SCHEMA,
} from './schema-builders.ts';

const MARK = {
  cache_control: closedObject({ type: enumOf('ephemeral') }, { ttl: enumOf('5m', '1h') }),
};
const IMAGE = closedObject(
  {
    type: enumOf('image'),
    source: anyOf(
      closedObject({
        type: enumOf('base64'),
        media_type: enumOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
        data: NON_EMPTY_STRING_SCHEMA,
      }),
      closedObject({ type: enumOf('url'), url: NON_EMPTY_STRING_SCHEMA }),
      closedObject({ type: enumOf('file'), file_id: NON_EMPTY_STRING_SCHEMA }),
    ),
  },
  MARK,
);
const DOCUMENT = closedObject(
  {
    type: enumOf('document'),
    source: anyOf(
      closedObject({
        type: enumOf('base64'),
        media_type: enumOf('application/pdf'),
        data: NON_EMPTY_STRING_SCHEMA,
      }),
      closedObject({ type: enumOf('text'), media_type: enumOf('text/plain'), data: STRING_SCHEMA }),
      closedObject({ type: enumOf('url'), url: NON_EMPTY_STRING_SCHEMA }),
      closedObject({ type: enumOf('file'), file_id: NON_EMPTY_STRING_SCHEMA }),
    ),
  },
  {
    ...MARK,
    title: nullableSchema(STRING_SCHEMA),
    context: nullableSchema(STRING_SCHEMA),
    citations: closedObject({ enabled: BOOLEAN_SCHEMA }),
  },
);
const TEXT_BLOCK = closedObject({ type: enumOf('text'), text: NON_EMPTY_STRING_SCHEMA }, MARK);
const THINKING = { type: enumOf('thinking'), thinking: STRING_SCHEMA, signature: STRING_SCHEMA };
const REDACTED = { type: enumOf('redacted_thinking'), data: NON_EMPTY_STRING_SCHEMA };
const CALL_ID = NON_EMPTY_STRING_SCHEMA;
const BLOCK = anyOf(
  TEXT_BLOCK,
  IMAGE,
  DOCUMENT,
  closedObject(THINKING),
  closedObject(REDACTED),
  closedObject(
    { type: enumOf('tool_use'), id: CALL_ID, name: NON_EMPTY_STRING_SCHEMA, input: ANY_OBJECT_SCHEMA },
    MARK,
  ),
  closedObject(
    { type: enumOf('tool_result'), tool_use_id: CALL_ID },
    {
      ...MARK,
      content: anyOf(STRING_SCHEMA, arrayOf(anyOf(TEXT_BLOCK, IMAGE, DOCUMENT))),
      is_error: BOOLEAN_SCHEMA,
    },
  ),
);

export const MESSAGES_REQUEST_SCHEMA = closedObject(
  {
    model: NON_EMPTY_STRING_SCHEMA,
    max_tokens: { type: 'integer', minimum: 1 },
    messages: arrayOf(
      closedObject({
        role: enumOf('user', 'assistant', 'system'),
        content: anyOf(STRING_SCHEMA, arrayOf(BLOCK, 1)),
      }),
      1,
    ),
  },
  {
    system: anyOf(STRING_SCHEMA, arrayOf(TEXT_BLOCK, 1)),
    tools: arrayOf(
      closedObject(
        { name: NON_EMPTY_STRING_SCHEMA, input_schema: openObject({ type: enumOf('object') }) },
        { ...MARK, description: STRING_SCHEMA, strict: BOOLEAN_SCHEMA },
      ),
      1,
    ),
    tool_choice: anyOf(
      closedObject({ type: enumOf('auto', 'any') }, { disable_parallel_tool_use: BOOLEAN_SCHEMA }),
      closedObject({ type: enumOf('none') }),
      closedObject(
        { type: enumOf('tool'), name: NON_EMPTY_STRING_SCHEMA },
        { disable_parallel_tool_use: BOOLEAN_SCHEMA },
      ),
    ),
    temperature: numberBetween(0, 1),
    top_p: numberBetween(0, 1),
    top_k: INTEGER_SCHEMA,
    stop_sequences: arrayOf(STRING_SCHEMA),
    thinking: anyOf(
      closedObject({ type: enumOf('enabled'), budget_tokens: { type: 'integer', minimum: 1024 } }),
      closedObject({ type: enumOf('adaptive') }, { display: enumOf('summarized', 'omitted') }),
      closedObject({ type: enumOf('disabled') }),
    ),
    output_config: closedObject(
      {},
      {
        effort: enumOf('low', 'medium', 'high', 'xhigh', 'max'),
        format: closedObject({ type: enumOf('json_schema'), schema: ANY_OBJECT_SCHEMA }),
      },
    ),
    metadata: closedObject({}, { user_id: nullableSchema(STRING_SCHEMA) }),
    service_tier: enumOf('auto', 'standard_only'),
    stream: BOOLEAN_SCHEMA,
  },
);

const STOP = enumOf(
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
);
const USAGE = openObject(
  { input_tokens: COUNT_SCHEMA, output_tokens: COUNT_SCHEMA },
  {
    cache_creation_input_tokens: nullableSchema(COUNT_SCHEMA),
    cache_read_input_tokens: nullableSchema(COUNT_SCHEMA),
  },
);
const OUTPUT_BLOCK = anyOf(
  openObject({ type: enumOf('text'), text: STRING_SCHEMA }),
  openObject(THINKING),
  openObject(REDACTED),
  openObject({
    type: enumOf('tool_use'),
    id: CALL_ID,
    name: NON_EMPTY_STRING_SCHEMA,
    input: ANY_OBJECT_SCHEMA,
  }),
);

export const MESSAGES_RESPONSE_SCHEMA = openObject({
  id: NON_EMPTY_STRING_SCHEMA,
  type: enumOf('message'),
  role: enumOf('assistant'),
  model: NON_EMPTY_STRING_SCHEMA,
  content: arrayOf(OUTPUT_BLOCK),
  stop_reason: nullableSchema(STOP),
  stop_sequence: nullableSchema(STRING_SCHEMA),
  usage: USAGE,
});

const DELTA = anyOf(
  openObject({ type: enumOf('text_delta'), text: STRING_SCHEMA }),
  openObject({ type: enumOf('thinking_delta'), thinking: STRING_SCHEMA }),
  openObject({ type: enumOf('signature_delta'), signature: STRING_SCHEMA }),
  openObject({ type: enumOf('input_json_delta'), partial_json: STRING_SCHEMA }),
);

export const MESSAGES_EVENT_SCHEMA = anyOf(
  openObject({ type: enumOf('message_start'), message: MESSAGES_RESPONSE_SCHEMA }),
  openObject({ type: enumOf('content_block_start'), index: COUNT_SCHEMA, content_block: OUTPUT_BLOCK }),
  openObject({ type: enumOf('content_block_delta'), index: COUNT_SCHEMA, delta: DELTA }),
  openObject({ type: enumOf('content_block_stop'), index: COUNT_SCHEMA }),
  openObject({
    type: enumOf('message_delta'),
    delta: openObject({ stop_reason: nullableSchema(STOP), stop_sequence: nullableSchema(STRING_SCHEMA) }),
    usage: openObject({ output_tokens: COUNT_SCHEMA }),
  }),
  openObject({ type: enumOf('message_stop', 'ping') }),
  openObject({
    type: enumOf('error'),
    error: openObject({ type: NON_EMPTY_STRING_SCHEMA, message: NON_EMPTY_STRING_SCHEMA }),
  }),
);
