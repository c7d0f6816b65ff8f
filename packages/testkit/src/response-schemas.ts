// Validates responses to clients with Floe's schemas of the three client dialects.
import type { Json, JsonObject } from '@floe/contract/json';
import { asString } from '@floe/wire/json-narrowing';
import { findSchemaViolations } from './json-schema.ts';
import { CHAT_CHUNK_SCHEMA, CHAT_RESPONSE_SCHEMA, OPENAI_ERROR_SCHEMA } from './schemas/chat.ts';
import { MESSAGES_EVENT_SCHEMA, MESSAGES_RESPONSE_SCHEMA } from './schemas/messages.ts';
import { findResponsesEventSchema, RESPONSES_RESPONSE_SCHEMA } from './schemas/responses.ts';

type ClientDialect = 'chat' | 'responses' | 'messages';

const ANSWER_SCHEMAS: Readonly<Record<ClientDialect, Json>> = {
  chat: CHAT_RESPONSE_SCHEMA,
  responses: RESPONSES_RESPONSE_SCHEMA,
  messages: MESSAGES_RESPONSE_SCHEMA,
};

/** Returns descriptions of how a complete response violates its schema. */
export function findResponseViolations(dialect: ClientDialect, body: Json): readonly string[] {
  return violationsOf(body, ANSWER_SCHEMAS[dialect]);
}

/** Returns descriptions of how one event of a stream violates its schema. */
export function findEventViolations(dialect: ClientDialect, data: JsonObject): readonly string[] {
  if (dialect === 'chat')
    return violationsOf(data, data['error'] === undefined ? CHAT_CHUNK_SCHEMA : OPENAI_ERROR_SCHEMA);
  if (dialect === 'messages') return violationsOf(data, MESSAGES_EVENT_SCHEMA);
  const type = asString(data['type']) ?? '';
  const schema = findResponsesEventSchema(type);
  return schema === undefined ? [`no schema for the event "${type}"`] : violationsOf(data, schema);
}

function violationsOf(value: Json, schema: Json): readonly string[] {
  return findSchemaViolations(value, schema, {}, { optional: new Set() });
}
