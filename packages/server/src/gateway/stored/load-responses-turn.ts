import { Fault } from '@floe/contract/faults';
import { readBooleanAt, readStringAt } from '@floe/wire/json-edits';
import type { ClientRequest } from '../client-request.ts';
import type { Exchange } from '../exchange-record.ts';
import { resolveItemReferences } from './item-references.ts';
import { refreshTurns } from './refresh-response.ts';
import { ResponsesTurn } from './responses-turn.ts';
import type { StoredTurn } from './turn-store.ts';

/**
 * Loads the earlier turns of the stored conversation that a request continues. Returns null if the
 * request does not continue a stored response and will not be stored.
 * @throws Fault `previous_response_not_found` if the id is unknown, expired, deleted or belongs to
 * another key; `invalid_request` if the stored response is still in progress; `policy_denied`
 */
export async function loadResponsesTurn(x: Exchange, prompt: ClientRequest): Promise<ResponsesTurn | null> {
  const { catalog, key } = x.caller;
  if (!catalog.storedResponses) return null;
  const owner = { orgId: key.orgId, keyId: catalog.resourceScope === 'org' ? null : key.id };
  const previous = prompt.members.get('previous_response_id');
  const previousId = previous && readStringAt(prompt.body, previous);
  const conversation = previousId ? await loadConversation(x, owner, previousId) : [];
  const references = await resolveItemReferences(x.gateway.turns, owner, prompt, conversation);
  const keeps = isStoredRequest(prompt);
  if (!keeps && conversation.length === 0 && references.size === 0) return null;
  return new ResponsesTurn(prompt, keeps, conversation, references);
}

async function loadConversation(
  x: Exchange,
  owner: { readonly orgId: string; readonly keyId: string | null },
  responseId: string,
): Promise<readonly StoredTurn[]> {
  const { turns } = x.gateway;
  const turn = await turns.find(owner, responseId);
  const conversation = turn && (await turns.conversation(turn));
  if (conversation) return refreshTurns(x, conversation);
  const shown = responseId.slice(0, 100);
  const why = turn
    ? `An earlier response in the conversation of "${shown}" has been deleted.`
    : `There is no stored response "${shown}": it was never stored, was deleted, has expired or belongs to another key.`;
  throw new Fault('previous_response_not_found', `${why} Send the full conversation in "input".`, {
    param: 'previous_response_id',
  });
}

/**
 * Returns whether the request is stored; `store` defaults to true. A request that depends on state of a
 * provider is not stored, because another provider cannot continue it.
 */
function isStoredRequest({ body, members }: ClientRequest): boolean {
  const store = members.get('store');
  if (store && readBooleanAt(body, store) === false) return false;
  return !['conversation', 'prompt'].some((name) => {
    const span = members.get(name);
    return span !== undefined && body[span.start] !== 0x6e;
  });
}
