import type { JsonObject } from '@floe/contract/json';
import type { StoredResponseFilter } from '../../store/stored-responses.ts';
import { type ClientRequest, parseClientRequestBody } from '../client-request.ts';
import { type ConversationItem, listConversationItems, toInputItems } from './conversation-items.ts';
import type { StoredTurn, TurnStore } from './turn-store.ts';

const ITEM_REFERENCE_TYPE = Buffer.from('"item_reference"');
/**
 * Matches ids of items that Floe created. They contain the id of their response: `msg_<exchange>_<index>`.
 */
const FLOE_ITEM_ID = /^(?:msg|rs|fc|ctc)_([A-Za-z0-9]{1,40})_\d+$/;
/** Maximum number of responses that one request may refer to. */
const MAX_RESPONSES = 500;

/**
 * Looks up the items that `input` references. Searches stored responses and the previous conversation. Returns the
 * items by id. References that are not found remain in the request, because the provider resolves them.
 */
export async function resolveItemReferences(
  store: TurnStore,
  owner: StoredResponseFilter,
  prompt: ClientRequest,
  conversation: readonly StoredTurn[],
): Promise<ReadonlyMap<string, ConversationItem>> {
  const found = new Map<string, ConversationItem>();
  if (!prompt.body.includes(ITEM_REFERENCE_TYPE)) return found;
  const wanted = new Set(toInputItems(parseClientRequestBody(prompt)['input']).flatMap(referencedIds));
  const responses = new Set([...wanted].flatMap((id) => FLOE_ITEM_ID.exec(id)?.[1] ?? []));
  const turns = [...conversation];
  for (const id of [...responses].slice(0, MAX_RESPONSES)) {
    const turn = await store.find(owner, `resp_${id}`);
    if (turn) turns.push(turn);
  }
  for (const entry of listConversationItems(turns)) {
    const id = String(entry.item['id'] ?? '');
    if (wanted.has(id)) found.set(id, entry);
  }
  return found;
}

function referencedIds(item: JsonObject): string[] {
  return item['type'] === 'item_reference' && typeof item['id'] === 'string' ? [item['id']] : [];
}
