// Validates answers to clients against our own schemas of the three client dialects.
import type { Json, JsonObject } from '@floe/contract/json';
import { textOf } from '@floe/wire/json-read';
import { violations } from './json-schema.ts';
import { CHAT_ANSWER, CHAT_CHUNK, OPENAI_ERROR } from './schemas/chat.ts';
import { MESSAGES_ANSWER, MESSAGES_EVENT } from './schemas/messages.ts';
import { RESPONSES_ANSWER, responsesEvent } from './schemas/responses.ts';

type ClientDialect = 'chat' | 'responses' | 'messages';

const WHOLE: Readonly<Record<ClientDialect, Json>> = {
  chat: CHAT_ANSWER,
  responses: RESPONSES_ANSWER,
  messages: MESSAGES_ANSWER,
};

/** The violations of a whole answer, as sentences. */
export function answerViolations(dialect: ClientDialect, body: Json): readonly string[] {
  return broken(body, WHOLE[dialect]);
}

/** The violations of one event of a stream, as sentences. */
export function eventViolations(dialect: ClientDialect, data: JsonObject): readonly string[] {
  if (dialect === 'chat') return broken(data, data['error'] === undefined ? CHAT_CHUNK : OPENAI_ERROR);
  if (dialect === 'messages') return broken(data, MESSAGES_EVENT);
  const type = textOf(data['type']) ?? '';
  const schema = responsesEvent(type);
  return schema === undefined ? [`no schema for the event "${type}"`] : broken(data, schema);
}

function broken(value: Json, schema: Json): readonly string[] {
  return violations(value, schema, {}, { optional: new Set() });
}
