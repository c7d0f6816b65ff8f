// The official schemas of the responses of providers, which are next to the project.
import type { Json, JsonObject } from '@floe/contract/json';
import { asArray, asObject, asString } from '@floe/wire/json-narrowing';
import { loadSpecification, type SchemaInDocument } from './official-requests.ts';

/** The schemas of a complete response and of an event of a stream. */
export interface ResponseSchemas {
  readonly response: SchemaInDocument;
  readonly event: SchemaInDocument;
}

/** The official schemas of responses. Empty if the specifications are not available. Cohere publishes none. */
export function loadOfficialResponseSchemas(): Readonly<
  Partial<Record<'chat' | 'responses' | 'messages' | 'gemini' | 'converse', ResponseSchemas>>
> {
  const openai = loadSpecification('openai-openapi.json');
  if (openai['components'] === undefined) return {};
  const inOpenai = (name: string): SchemaInDocument => ({
    schema: { $ref: `#/components/schemas/${name}` },
    document: openai,
  });
  const own = (file: string): SchemaInDocument => {
    const document = loadSpecification(file);
    return { schema: { $ref: document['$ref'] ?? null }, document };
  };
  const gemini = own('gemini-generate-content-response.schema.json');
  const bedrock = convertServiceModel(loadSpecification('bedrock-runtime-2023-09-30.service-2.json'));
  const inBedrock = (name: string): SchemaInDocument => ({
    schema: { $ref: `#/definitions/${name}` },
    document: bedrock,
  });
  return {
    chat: {
      response: inOpenai('CreateChatCompletionResponse'),
      event: inOpenai('CreateChatCompletionStreamResponse'),
    },
    responses: { response: inOpenai('Response'), event: inOpenai('ResponseStreamEvent') },
    messages: {
      response: own('anthropic-beta-message.schema.json'),
      event: own('anthropic-beta-stream-event.schema.json'),
    },
    gemini: { response: gemini, event: gemini },
    converse: { response: inBedrock('ConverseResponse'), event: inBedrock('ConverseStreamOutput') },
  };
}

const PLAIN_TYPES: Readonly<Record<string, string>> = {
  integer: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  boolean: 'boolean',
};

/** Converts the shapes of an AWS service model to JSON schemas. */
function convertServiceModel(model: JsonObject): JsonObject {
  const shapes = Object.entries(asObject(model['shapes']) ?? {});
  return { definitions: Object.fromEntries(shapes.map(([name, shape]) => [name, convertShape(shape)])) };
}

function convertShape(given: Json | undefined): JsonObject {
  const shape = asObject(given) ?? {};
  const reference = (member: Json | undefined): JsonObject => ({
    $ref: `#/definitions/${asString(asObject(member)?.['shape'])}`,
  });
  const type = asString(shape['type']) ?? '';
  // A document is JSON of any form.
  if (shape['document'] === true) return {};
  if (type === 'list') return { type: 'array', items: reference(shape['member']) };
  if (type !== 'structure') {
    const allowed = asArray(shape['enum']);
    return allowed.length > 0 ? { enum: allowed } : { type: PLAIN_TYPES[type] ?? 'string' };
  }
  const members = Object.entries(asObject(shape['members']) ?? {});
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, reference(member)])),
    required: asArray(shape['required']),
  };
}
