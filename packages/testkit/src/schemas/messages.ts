// Messages as Anthropic documents it (docs.anthropic.com/en/api/messages), as far as we write it.
import {
  BOOLEAN,
  between,
  COUNT,
  closed,
  INTEGER,
  list,
  MAP,
  nullable,
  oneOf,
  open,
  SAID,
  TEXT,
  word,
} from './schema-words.ts';

const MARK = {
  cache_control: closed({ type: word('ephemeral') }, { ttl: word('5m', '1h') }),
};
const IMAGE = closed(
  {
    type: word('image'),
    source: oneOf(
      closed({
        type: word('base64'),
        media_type: word('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
        data: SAID,
      }),
      closed({ type: word('url'), url: SAID }),
      closed({ type: word('file'), file_id: SAID }),
    ),
  },
  MARK,
);
const DOCUMENT = closed(
  {
    type: word('document'),
    source: oneOf(
      closed({ type: word('base64'), media_type: word('application/pdf'), data: SAID }),
      closed({ type: word('text'), media_type: word('text/plain'), data: TEXT }),
      closed({ type: word('url'), url: SAID }),
      closed({ type: word('file'), file_id: SAID }),
    ),
  },
  { ...MARK, title: nullable(TEXT), context: nullable(TEXT), citations: closed({ enabled: BOOLEAN }) },
);
const TEXT_BLOCK = closed({ type: word('text'), text: SAID }, MARK);
const THINKING = { type: word('thinking'), thinking: TEXT, signature: TEXT };
const REDACTED = { type: word('redacted_thinking'), data: SAID };
const CALL_ID = SAID;
const BLOCK = oneOf(
  TEXT_BLOCK,
  IMAGE,
  DOCUMENT,
  closed(THINKING),
  closed(REDACTED),
  closed({ type: word('tool_use'), id: CALL_ID, name: SAID, input: MAP }, MARK),
  closed(
    { type: word('tool_result'), tool_use_id: CALL_ID },
    { ...MARK, content: oneOf(TEXT, list(oneOf(TEXT_BLOCK, IMAGE, DOCUMENT))), is_error: BOOLEAN },
  ),
);

export const MESSAGES_REQUEST = closed(
  {
    model: SAID,
    max_tokens: { type: 'integer', minimum: 1 },
    messages: list(
      closed({ role: word('user', 'assistant', 'system'), content: oneOf(TEXT, list(BLOCK, 1)) }),
      1,
    ),
  },
  {
    system: oneOf(TEXT, list(TEXT_BLOCK, 1)),
    tools: list(
      closed(
        { name: SAID, input_schema: open({ type: word('object') }) },
        { ...MARK, description: TEXT, strict: BOOLEAN },
      ),
      1,
    ),
    tool_choice: oneOf(
      closed({ type: word('auto', 'any') }, { disable_parallel_tool_use: BOOLEAN }),
      closed({ type: word('none') }),
      closed({ type: word('tool'), name: SAID }, { disable_parallel_tool_use: BOOLEAN }),
    ),
    temperature: between(0, 1),
    top_p: between(0, 1),
    top_k: INTEGER,
    stop_sequences: list(TEXT),
    thinking: oneOf(
      closed({ type: word('enabled'), budget_tokens: { type: 'integer', minimum: 1024 } }),
      closed({ type: word('adaptive') }, { display: word('summarized', 'omitted') }),
      closed({ type: word('disabled') }),
    ),
    output_config: closed(
      {},
      {
        effort: word('low', 'medium', 'high', 'xhigh', 'max'),
        format: closed({ type: word('json_schema'), schema: MAP }),
      },
    ),
    metadata: closed({}, { user_id: nullable(TEXT) }),
    service_tier: word('auto', 'standard_only'),
    stream: BOOLEAN,
  },
);

const STOP = word(
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
);
const USAGE = open(
  { input_tokens: COUNT, output_tokens: COUNT },
  { cache_creation_input_tokens: nullable(COUNT), cache_read_input_tokens: nullable(COUNT) },
);
const SAID_BLOCK = oneOf(
  open({ type: word('text'), text: TEXT }),
  open(THINKING),
  open(REDACTED),
  open({ type: word('tool_use'), id: CALL_ID, name: SAID, input: MAP }),
);

export const MESSAGES_ANSWER = open({
  id: SAID,
  type: word('message'),
  role: word('assistant'),
  model: SAID,
  content: list(SAID_BLOCK),
  stop_reason: nullable(STOP),
  stop_sequence: nullable(TEXT),
  usage: USAGE,
});

const DELTA = oneOf(
  open({ type: word('text_delta'), text: TEXT }),
  open({ type: word('thinking_delta'), thinking: TEXT }),
  open({ type: word('signature_delta'), signature: TEXT }),
  open({ type: word('input_json_delta'), partial_json: TEXT }),
);

export const MESSAGES_EVENT = oneOf(
  open({ type: word('message_start'), message: MESSAGES_ANSWER }),
  open({ type: word('content_block_start'), index: COUNT, content_block: SAID_BLOCK }),
  open({ type: word('content_block_delta'), index: COUNT, delta: DELTA }),
  open({ type: word('content_block_stop'), index: COUNT }),
  open({
    type: word('message_delta'),
    delta: open({ stop_reason: nullable(STOP), stop_sequence: nullable(TEXT) }),
    usage: open({ output_tokens: COUNT }),
  }),
  open({ type: word('message_stop', 'ping') }),
  open({ type: word('error'), error: open({ type: SAID, message: SAID }) }),
);
