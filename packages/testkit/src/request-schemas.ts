// Validates requests to providers against our own schemas, and against the official ones when ../shared is present.
import type { Json } from '@floe/contract/json';
import { violations } from './json-schema.ts';
import { officialViolations, type RequestDialect } from './official-requests.ts';
import { CHAT_REQUEST } from './schemas/chat.ts';
import { CONVERSE_REQUEST } from './schemas/converse.ts';
import { GEMINI_REQUEST } from './schemas/gemini.ts';
import { MESSAGES_REQUEST } from './schemas/messages.ts';
import { RESPONSES_REQUEST } from './schemas/responses.ts';

const OWN: Readonly<Partial<Record<RequestDialect, Json>>> = {
  chat: CHAT_REQUEST,
  responses: RESPONSES_REQUEST,
  messages: MESSAGES_REQUEST,
  gemini: GEMINI_REQUEST,
  converse: CONVERSE_REQUEST,
};
const NOTHING: ReadonlySet<string> = new Set();

/**
 * What a request breaks of its dialect, as sentences. Cohere has no schema here. `optional`: members an official
 * specification demands and its API does not.
 */
export function requestViolations(
  dialect: RequestDialect,
  body: Json,
  optional: ReadonlySet<string> = NOTHING,
): readonly string[] {
  const own = violations(body, OWN[dialect], {}, { optional: NOTHING });
  return [...own, ...officialViolations(dialect, body, optional)];
}
