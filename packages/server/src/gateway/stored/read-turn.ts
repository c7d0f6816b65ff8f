import { Fault } from '@floe/contract/faults';
import { readBoolean, readString } from '@floe/wire/splice';
import type { Ask } from '../ask.ts';
import type { Catalog } from '../catalog.ts';
import type { Exchange } from '../exchange-record.ts';
import { finishedTurns } from './current-response.ts';
import { OpenTurn } from './open-turn.ts';
import { findReferences } from './references.ts';
import type { Turn } from './turn-store.ts';

/**
 * Reads what the request says about stored turns. Null when it neither refers to one nor becomes one.
 *
 * @throws Fault `previous_response_not_found` for an id that is unknown, expired, deleted or another key's,
 *   `invalid_request` for one whose answer is still being made.
 */
export async function openTurn(x: Exchange, ask: Ask): Promise<OpenTurn | null> {
  const { catalog, key } = x.caller;
  if (!catalog.storedResponses) return null;
  const owner = { orgId: key.orgId, keyId: catalog.resourceScope === 'org' ? null : key.id };
  const previous = ask.members.get('previous_response_id');
  const previousId = previous && readString(ask.body, previous);
  const conversation = previousId ? await conversationOf(x, catalog, owner, previousId) : [];
  const references = await findReferences(x.gateway.turns, owner, ask, conversation);
  const keeps = isKept(ask);
  if (!keeps && conversation.length === 0 && references.size === 0) return null;
  return new OpenTurn(ask, keeps, conversation, references);
}

async function conversationOf(
  { gateway }: Exchange,
  catalog: Catalog,
  owner: { readonly orgId: string; readonly keyId: string | null },
  responseId: string,
): Promise<readonly Turn[]> {
  const { turns } = gateway;
  const turn = await turns.find(owner, responseId);
  const conversation = turn && (await turns.conversation(turn));
  if (conversation) return finishedTurns(gateway, catalog, conversation);
  const shown = responseId.slice(0, 100);
  const why = turn
    ? `An earlier response that "${shown}" was built on has been deleted.`
    : `There is no stored response "${shown}": it was never stored, was deleted, has expired or belongs to another key.`;
  throw new Fault('previous_response_not_found', `${why} Send the conversation in "input".`, {
    param: 'previous_response_id',
  });
}

/** `store` is on unless said otherwise; what leans on a provider's own state cannot be told again elsewhere. */
function isKept({ body, members }: Ask): boolean {
  const store = members.get('store');
  if (store && readBoolean(body, store) === false) return false;
  return !['conversation', 'prompt'].some((name) => {
    const span = members.get(name);
    return span !== undefined && body[span.start] !== 0x6e;
  });
}
