import { readBooleanAt } from '@floe/wire/json-edits';
import type { ClientRequest } from '../client-request.ts';

/**
 * Returns whether a request asks for a background response. When the provider has created such a response, the
 * provider generates it even if the connection closes, so the request must not be sent again.
 */
export function isBackgroundRequest(prompt: ClientRequest | null): boolean {
  const span = prompt?.members.get('background');
  return prompt !== null && span !== undefined && readBooleanAt(prompt.body, span) === true;
}
