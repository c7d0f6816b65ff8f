// The parts of Converse that Floe writes, as AWS documents them (docs.aws.amazon.com/bedrock,
// API_runtime_Converse). The service rejects unknown members, and unions with two members.
import {
  ANY_OBJECT_SCHEMA,
  anyOf,
  arrayOf,
  BOOLEAN_SCHEMA,
  closedObject,
  enumOf,
  NON_EMPTY_STRING_SCHEMA,
  numberBetween,
  STRING_SCHEMA,
} from './schema-builders.ts';

const CACHE_POINT = closedObject({
  cachePoint: closedObject({ type: enumOf('default') }, { ttl: enumOf('5m', '1h') }),
});
const BYTES = closedObject({ bytes: STRING_SCHEMA });
const IMAGE = closedObject({
  image: closedObject({ format: enumOf('png', 'jpeg', 'gif', 'webp'), source: BYTES }),
});
const DOCUMENT = closedObject({
  document: closedObject({
    format: enumOf('pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md'),
    name: { type: 'string', minLength: 1, maxLength: 200 },
    source: BYTES,
  }),
});
const CALL_ID = { type: 'string', minLength: 1, maxLength: 64 };
const NAME = { type: 'string', minLength: 1, maxLength: 64 };
const SAID_TEXT = closedObject({ text: NON_EMPTY_STRING_SCHEMA });
const BLOCK = anyOf(
  SAID_TEXT,
  IMAGE,
  DOCUMENT,
  CACHE_POINT,
  closedObject({
    reasoningContent: anyOf(
      closedObject({ reasoningText: closedObject({ text: STRING_SCHEMA }, { signature: STRING_SCHEMA }) }),
      closedObject({ redactedContent: STRING_SCHEMA }),
    ),
  }),
  closedObject({ toolUse: closedObject({ toolUseId: CALL_ID, name: NAME, input: ANY_OBJECT_SCHEMA }) }),
  closedObject({
    toolResult: closedObject(
      {
        toolUseId: CALL_ID,
        content: arrayOf(anyOf(SAID_TEXT, IMAGE, DOCUMENT, closedObject({ json: ANY_OBJECT_SCHEMA })), 1),
      },
      { status: enumOf('success', 'error') },
    ),
  }),
);
const TOOL = anyOf(
  closedObject({
    toolSpec: closedObject(
      { name: NAME, inputSchema: closedObject({ json: ANY_OBJECT_SCHEMA }) },
      { description: NON_EMPTY_STRING_SCHEMA, strict: BOOLEAN_SCHEMA },
    ),
  }),
  CACHE_POINT,
);

export const CONVERSE_REQUEST_SCHEMA = closedObject(
  { messages: arrayOf(closedObject({ role: enumOf('user', 'assistant'), content: arrayOf(BLOCK, 1) }), 1) },
  {
    system: arrayOf(anyOf(SAID_TEXT, CACHE_POINT), 1),
    inferenceConfig: closedObject(
      {},
      {
        maxTokens: { type: 'integer', minimum: 1 },
        temperature: numberBetween(0, 1),
        topP: numberBetween(0, 1),
        stopSequences: arrayOf(NON_EMPTY_STRING_SCHEMA, 0, 2500),
      },
    ),
    toolConfig: closedObject(
      { tools: arrayOf(TOOL, 1) },
      {
        toolChoice: anyOf(
          closedObject({ auto: ANY_OBJECT_SCHEMA }),
          closedObject({ any: ANY_OBJECT_SCHEMA }),
          closedObject({ tool: closedObject({ name: NAME }) }),
        ),
      },
    ),
    additionalModelRequestFields: ANY_OBJECT_SCHEMA,
    outputConfig: closedObject(
      {},
      {
        textFormat: closedObject({
          type: enumOf('json_schema'),
          structure: closedObject({
            jsonSchema: closedObject(
              { schema: NON_EMPTY_STRING_SCHEMA },
              { name: NON_EMPTY_STRING_SCHEMA, description: STRING_SCHEMA },
            ),
          }),
        }),
      },
    ),
    requestMetadata: ANY_OBJECT_SCHEMA,
    serviceTier: closedObject({ type: enumOf('default', 'priority', 'flex', 'reserved') }),
    performanceConfig: closedObject({ latency: enumOf('standard', 'optimized') }),
    guardrailConfig: ANY_OBJECT_SCHEMA,
  },
);
