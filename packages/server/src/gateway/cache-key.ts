import { createHash } from 'node:crypto';
import type { Ask as WireAsk } from '@floe/wire/request';
import type { Ask } from './ask.ts';
import { sessionNamed } from './conversation.ts';
import type { Exchange } from './exchange-record.ts';

/** The head of a conversation is told by so many characters of what was said first. */
const HEAD_CHARACTERS = 2_000;

/**
 * Names the conversation of a request for a provider's prompt cache: the same in every request of the conversation,
 * and nothing a provider or another org could tell anybody by. A client that names no session has one conversation
 * per system prompt and first question.
 */
export function cacheKeyOf(x: Exchange, ask: Ask, read: WireAsk): string {
  const hash = createHash('sha256').update(`${x.caller.key.orgId}\n`);
  const session = sessionNamed(x.client.headers, ask);
  if (session !== null) hash.update(`session\n${session}`);
  else for (const text of headOf(read)) hash.update(`\n${text.length}\n${text}`);
  return `floe-${hash.digest('base64url').slice(0, 32)}`;
}

function headOf({ system, turns, tools }: WireAsk): string[] {
  const first = turns.find(({ role }) => role === 'user');
  const texts = [...system, ...(first?.parts ?? [])].map((part) =>
    part.type === 'text' ? part.text : part.type,
  );
  return [...texts.map((text) => text.slice(0, HEAD_CHARACTERS)), ...tools.map(({ name }) => name)];
}
