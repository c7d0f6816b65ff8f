import type { ClientHeaders } from './forward-request.ts';

/** Product names in `originator` or at the start of the user agent, in lower case. */
const PRODUCTS: readonly (readonly [RegExp, string])[] = [
  [/^claude-(?:cli|code)$/, 'claude-code'],
  [/^codex(?:[_-].+)?$/, 'codex'],
  [/^opencode(?:[_-].+)?$/, 'opencode'],
  [/^(?:github-?copilot.*|copilot(?:[_-].+)?)$/, 'copilot'],
  [/^qwen-?code$/, 'qwen-code'],
  [/^gemini-?cli.*$/, 'gemini-cli'],
  [/^(?:async)?openai$/, 'openai-sdk'],
  [/^(?:async)?anthropic$/, 'anthropic-sdk'],
  [/^agents$/, 'openai-agents'],
  [/^ai-sdk$/, 'ai-sdk'],
  [/^langchainjs?(?:-.+)?$/, 'langchain'],
  [/^mozilla$/, 'browser'],
];
const PRODUCT_WORD = /^[a-z][a-z0-9._-]{0,39}/;

/**
 * Returns the name of the client software from the request headers, such as `claude-code` or `copilot`, or the
 * first word of the user agent. Returns null if the headers contain no name. Clients can send any value, so
 * it must not be used for authorization.
 */
export function detectClientName(headers: ClientHeaders): string | null {
  if (headerValue(headers['x-claude-code-session-id']) !== null) return 'claude-code';
  if (headerValue(headers['x-initiator']) !== null && headerValue(headers['x-interaction-type']) !== null)
    return 'copilot';
  return (
    detectProduct(headerValue(headers['originator'])) ?? detectProduct(headerValue(headers['user-agent']))
  );
}

function detectProduct(text: string | null): string | null {
  const word = text === null ? null : (PRODUCT_WORD.exec(text.toLowerCase())?.[0] ?? null);
  if (word === null) return null;
  return PRODUCTS.find(([pattern]) => pattern.test(word))?.[1] ?? word;
}

function headerValue(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
