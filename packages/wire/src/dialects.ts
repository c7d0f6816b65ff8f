import { chat } from './chat/dialect.ts';
import { cohere } from './cohere/dialect.ts';
import { converse } from './converse/dialect.ts';
import type { ClientDialect, UpstreamDialect } from './dialect.ts';
import { gemini } from './gemini/dialect.ts';
import { messages } from './messages/dialect.ts';
import { responses } from './responses/dialect.ts';

/** Dialects clients speak. */
export const CLIENT_DIALECTS = { chat, responses, messages } as const satisfies Record<string, ClientDialect>;

/** Dialects providers speak. */
export const UPSTREAM_DIALECTS = {
  chat,
  responses,
  messages,
  gemini,
  converse,
  cohere,
} as const satisfies Record<string, UpstreamDialect>;
