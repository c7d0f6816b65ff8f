// Messages as Anthropic documents it (docs.anthropic.com/en/api/messages), as far as we write it.
import {
  ANY_OBJECT,
  arrayOf,
  BOOLEAN,
  COUNT,
  closedObject,
  enumOf,
  INTEGER,
  NON_EMPTY_TEXT,
  numberBetween,
  oneOf,
  openObject,
  orNull,
  TEXT,
} from './schema-builders.ts';

const MARK = {
  cache_control: closedObject({ type: enumOf('ephemeral') }, { ttl: enumOf('5m', '1h') }),
};
const IMAGE = closedObject(
  {
    type: enumOf('image'),
    source: oneOf(
      closedObject({
        type: enumOf('base64'),
        media_type: enumOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
        data: NON_EMPTY_TEXT,
      }),
      closedObject({ type: enumOf('url'), url: NON_EMPTY_TEXT }),
      closedObject({ type: enumOf('file'), file_id: NON_EMPTY_TEXT }),
    ),
  },
  MARK,
);
const DOCUMENT = closedObject(
  {
    type: enumOf('document'),
    source: oneOf(
      closedObject({ type: enumOf('base64'), media_type: enumOf('application/pdf'), data: NON_EMPTY_TEXT }),
      closedObject({ type: enumOf('text'), media_type: enumOf('text/plain'), data: TEXT }),
      closedObject({ type: enumOf('url'), url: NON_EMPTY_TEXT }),
      closedObject({ type: enumOf('file'), file_id: NON_EMPTY_TEXT }),
    ),
  },
  { ...MARK, title: orNull(TEXT), context: orNull(TEXT), citations: closedObject({ enabled: BOOLEAN }) },
);
const TEXT_BLOCK = closedObject({ type: enumOf('text'), text: NON_EMPTY_TEXT }, MARK);
const THINKING = { type: enumOf('thinking'), thinking: TEXT, signature: TEXT };
const REDACTED = { type: enumOf('redacted_thinking'), data: NON_EMPTY_TEXT };
const CALL_ID = NON_EMPTY_TEXT;
const BLOCK = oneOf(
  TEXT_BLOCK,
  IMAGE,
  DOCUMENT,
  closedObject(THINKING),
  closedObject(REDACTED),
  closedObject({ type: enumOf('tool_use'), id: CALL_ID, name: NON_EMPTY_TEXT, input: ANY_OBJECT }, MARK),
  closedObject(
    { type: enumOf('tool_result'), tool_use_id: CALL_ID },
    { ...MARK, content: oneOf(TEXT, arrayOf(oneOf(TEXT_BLOCK, IMAGE, DOCUMENT))), is_error: BOOLEAN },
  ),
);

export const MESSAGES_REQUEST_SCHEMA = closedObject(
  {
    model: NON_EMPTY_TEXT,
    max_tokens: { type: 'integer', minimum: 1 },
    messages: arrayOf(
      closedObject({ role: enumOf('user', 'assistant', 'system'), content: oneOf(TEXT, arrayOf(BLOCK, 1)) }),
      1,
    ),
  },
  {
    system: oneOf(TEXT, arrayOf(TEXT_BLOCK, 1)),
    tools: arrayOf(
      closedObject(
        { name: NON_EMPTY_TEXT, input_schema: openObject({ type: enumOf('object') }) },
        { ...MARK, description: TEXT, strict: BOOLEAN },
      ),
      1,
    ),
    tool_choice: oneOf(
      closedObject({ type: enumOf('auto', 'any') }, { disable_parallel_tool_use: BOOLEAN }),
      closedObject({ type: enumOf('none') }),
      closedObject({ type: enumOf('tool'), name: NON_EMPTY_TEXT }, { disable_parallel_tool_use: BOOLEAN }),
    ),
    temperature: numberBetween(0, 1),
    top_p: numberBetween(0, 1),
    top_k: INTEGER,
    stop_sequences: arrayOf(TEXT),
    thinking: oneOf(
      closedObject({ type: enumOf('enabled'), budget_tokens: { type: 'integer', minimum: 1024 } }),
      closedObject({ type: enumOf('adaptive') }, { display: enumOf('summarized', 'omitted') }),
      closedObject({ type: enumOf('disabled') }),
    ),
    output_config: closedObject(
      {},
      {
        effort: enumOf('low', 'medium', 'high', 'xhigh', 'max'),
        format: closedObject({ type: enumOf('json_schema'), schema: ANY_OBJECT }),
      },
    ),
    metadata: closedObject({}, { user_id: orNull(TEXT) }),
    service_tier: enumOf('auto', 'standard_only'),
    stream: BOOLEAN,
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
  { input_tokens: COUNT, output_tokens: COUNT },
  { cache_creation_input_tokens: orNull(COUNT), cache_read_input_tokens: orNull(COUNT) },
);
const OUTPUT_BLOCK = oneOf(
  openObject({ type: enumOf('text'), text: TEXT }),
  openObject(THINKING),
  openObject(REDACTED),
  openObject({ type: enumOf('tool_use'), id: CALL_ID, name: NON_EMPTY_TEXT, input: ANY_OBJECT }),
);

export const MESSAGES_ANSWER_SCHEMA = openObject({
  id: NON_EMPTY_TEXT,
  type: enumOf('message'),
  role: enumOf('assistant'),
  model: NON_EMPTY_TEXT,
  content: arrayOf(OUTPUT_BLOCK),
  stop_reason: orNull(STOP),
  stop_sequence: orNull(TEXT),
  usage: USAGE,
});

const DELTA = oneOf(
  openObject({ type: enumOf('text_delta'), text: TEXT }),
  openObject({ type: enumOf('thinking_delta'), thinking: TEXT }),
  openObject({ type: enumOf('signature_delta'), signature: TEXT }),
  openObject({ type: enumOf('input_json_delta'), partial_json: TEXT }),
);

export const MESSAGES_EVENT_SCHEMA = oneOf(
  openObject({ type: enumOf('message_start'), message: MESSAGES_ANSWER_SCHEMA }),
  openObject({ type: enumOf('content_block_start'), index: COUNT, content_block: OUTPUT_BLOCK }),
  openObject({ type: enumOf('content_block_delta'), index: COUNT, delta: DELTA }),
  openObject({ type: enumOf('content_block_stop'), index: COUNT }),
  openObject({
    type: enumOf('message_delta'),
    delta: openObject({ stop_reason: orNull(STOP), stop_sequence: orNull(TEXT) }),
    usage: openObject({ output_tokens: COUNT }),
  }),
  openObject({ type: enumOf('message_stop', 'ping') }),
  openObject({ type: enumOf('error'), error: openObject({ type: NON_EMPTY_TEXT, message: NON_EMPTY_TEXT }) }),
);
