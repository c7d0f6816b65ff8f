// Converse as AWS documents it (docs.aws.amazon.com/bedrock, API_runtime_Converse), as far as we write it. The service
// refuses members it does not know, and unions with two members.
import { BOOLEAN, between, closed, list, MAP, oneOf, SAID, TEXT, word } from './schema-words.ts';

const CACHE_POINT = closed({ cachePoint: closed({ type: word('default') }, { ttl: word('5m', '1h') }) });
const BYTES = closed({ bytes: TEXT });
const IMAGE = closed({ image: closed({ format: word('png', 'jpeg', 'gif', 'webp'), source: BYTES }) });
const DOCUMENT = closed({
  document: closed({
    format: word('pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'),
    name: { type: 'string', minLength: 1, maxLength: 200 },
    source: BYTES,
  }),
});
const CALL_ID = { type: 'string', minLength: 1, maxLength: 64 };
const NAME = { type: 'string', minLength: 1, maxLength: 64 };
const SAID_TEXT = closed({ text: SAID });
const BLOCK = oneOf(
  SAID_TEXT,
  IMAGE,
  DOCUMENT,
  CACHE_POINT,
  closed({
    reasoningContent: oneOf(
      closed({ reasoningText: closed({ text: TEXT }, { signature: TEXT }) }),
      closed({ redactedContent: TEXT }),
    ),
  }),
  closed({ toolUse: closed({ toolUseId: CALL_ID, name: NAME, input: MAP }) }),
  closed({
    toolResult: closed(
      { toolUseId: CALL_ID, content: list(oneOf(SAID_TEXT, IMAGE, DOCUMENT, closed({ json: MAP })), 1) },
      { status: word('success', 'error') },
    ),
  }),
);
const TOOL = oneOf(
  closed({
    toolSpec: closed(
      { name: NAME, inputSchema: closed({ json: MAP }) },
      { description: SAID, strict: BOOLEAN },
    ),
  }),
  CACHE_POINT,
);

export const CONVERSE_REQUEST = closed(
  { messages: list(closed({ role: word('user', 'assistant'), content: list(BLOCK, 1) }), 1) },
  {
    system: list(oneOf(SAID_TEXT, CACHE_POINT), 1),
    inferenceConfig: closed(
      {},
      {
        maxTokens: { type: 'integer', minimum: 1 },
        temperature: between(0, 1),
        topP: between(0, 1),
        stopSequences: list(SAID, 0, 2500),
      },
    ),
    toolConfig: closed(
      { tools: list(TOOL, 1) },
      {
        toolChoice: oneOf(
          closed({ auto: MAP }),
          closed({ any: MAP }),
          closed({ tool: closed({ name: NAME }) }),
        ),
      },
    ),
    additionalModelRequestFields: MAP,
    outputConfig: closed(
      {},
      {
        textFormat: closed({
          type: word('json_schema'),
          structure: closed({ jsonSchema: closed({ schema: SAID }, { name: SAID, description: TEXT }) }),
        }),
      },
    ),
    requestMetadata: MAP,
    serviceTier: closed({ type: word('default', 'priority', 'flex', 'reserved') }),
    performanceConfig: closed({ latency: word('standard', 'optimized') }),
    guardrailConfig: MAP,
  },
);
