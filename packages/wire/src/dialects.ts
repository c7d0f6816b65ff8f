import { chatDialect } from './chat/dialect.ts';
import { cohereDialect } from './cohere/dialect.ts';
import { converseDialect } from './converse/dialect.ts';
import type { ClientDialect, UpstreamDialect } from './dialect.ts';
import { geminiDialect } from './gemini/dialect.ts';
import { messagesDialect } from './messages/dialect.ts';
import { responsesDialect } from './responses/dialect.ts';

/** The dialects that clients use. */
export const CLIENT_DIALECTS = {
  chat: chatDialect,
  responses: responsesDialect,
  messages: messagesDialect,
} as const satisfies Record<string, ClientDialect>;

/** The dialects that providers use. */
export const UPSTREAM_DIALECTS = {
  chat: chatDialect,
  responses: responsesDialect,
  messages: messagesDialect,
  gemini: geminiDialect,
  converse: converseDialect,
  cohere: cohereDialect,
} as const satisfies Record<string, UpstreamDialect>;
