import { createHash } from 'node:crypto';
import type { CanonicalRequest } from '@floe/wire/request';
import type { ClientRequest } from './client-request.ts';
import { findSessionId } from './conversation-id.ts';
import type { Exchange } from './exchange-record.ts';

/** Number of characters at the start of a conversation that identify it. */
const MAX_HEAD_CHARACTERS = 2_000;

/**
 * Returns the key that identifies a conversation in a provider's prompt cache. All requests of a
 * conversation have the same key. The key reveals nothing to a provider or another organization. If
 * the client sends no session id, the conversation is identified by its system prompt and first
 * user message.
 */
export function computePromptCacheKey(
  x: Exchange,
  prompt: ClientRequest,
  canonical: CanonicalRequest,
): string {
  const hash = createHash('sha256').update(`${x.caller.key.orgId}\n`);
  const session = findSessionId(x.client.headers, prompt);
  if (session !== null) hash.update(`session\n${session}`);
  else for (const text of conversationHead(canonical)) hash.update(`\n${text.length}\n${text}`);
  return `floe-${hash.digest('base64url').slice(0, 32)}`;
}

function conversationHead({ system, turns, tools }: CanonicalRequest): string[] {
  const first = turns.find(({ role }) => role === 'user');
  const texts = [...system, ...(first?.parts ?? [])].map((part) =>
    part.type === 'text' ? part.text : part.type,
  );
  return [...texts.map((text) => text.slice(0, MAX_HEAD_CHARACTERS)), ...tools.map(({ name }) => name)];
}
