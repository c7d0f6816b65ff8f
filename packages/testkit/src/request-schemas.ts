// Validates requests to providers with Floe's schemas, and with official specifications if ../shared is
// present.
import type { Json } from '@floe/contract/json';
import { findSchemaViolations } from './json-schema.ts';
import { findOfficialViolations, type RequestDialect } from './official-requests.ts';
import { CHAT_REQUEST_SCHEMA } from './schemas/chat.ts';
import { CONVERSE_REQUEST_SCHEMA } from './schemas/converse.ts';
import { GEMINI_REQUEST_SCHEMA } from './schemas/gemini.ts';
import { MESSAGES_REQUEST_SCHEMA } from './schemas/messages.ts';
import { RESPONSES_REQUEST_SCHEMA } from './schemas/responses.ts';

const PROJECT_SCHEMAS: Readonly<Partial<Record<RequestDialect, Json>>> = {
  chat: CHAT_REQUEST_SCHEMA,
  responses: RESPONSES_REQUEST_SCHEMA,
  messages: MESSAGES_REQUEST_SCHEMA,
  gemini: GEMINI_REQUEST_SCHEMA,
  converse: CONVERSE_REQUEST_SCHEMA,
};
const NO_MEMBERS: ReadonlySet<string> = new Set();

/**
 * Returns descriptions of how a request violates its schema. There is no schema for Cohere. `optional`
 * lists members that an official specification requires but its API does not.
 */
export function findRequestViolations(
  dialect: RequestDialect,
  body: Json,
  optional: ReadonlySet<string> = NO_MEMBERS,
): readonly string[] {
  const own = findSchemaViolations(body, PROJECT_SCHEMAS[dialect], {}, { optional: NO_MEMBERS });
  return [...own, ...findOfficialViolations(dialect, body, optional)];
}
