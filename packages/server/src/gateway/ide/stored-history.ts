import type { JsonObject } from '@floe/contract/json';
import { selectConversation } from '@floe/wire/ide/conversation-source';
import type { Exchange } from '../exchange-record.ts';
import { listConversationItems, toCanonicalItem } from '../stored/conversation-items.ts';
import { refreshTurns } from '../stored/refresh-response.ts';

/**
 * Inserts the conversation that `previous_response_id` refers to into a body. Returns the body
 * unchanged if it has no such id, or if no response with this id is stored for this key.
 * @throws Fault like `refreshTurns`
 */
export async function insertStoredHistory(x: Exchange, body: JsonObject): Promise<JsonObject> {
  const {
    caller: { catalog, key },
    gateway,
  } = x;
  const { previous_response_id: id, ...rest } = body;
  if (typeof id !== 'string' || id === '' || !catalog.storedResponses) return body;
  const owner = { orgId: key.orgId, keyId: catalog.resourceScope === 'org' ? null : key.id };
  const turn = await gateway.turns.find(owner, id);
  const turns = turn && (await gateway.turns.conversation(turn));
  if (!turns) return body;
  const conversation = await refreshTurns(x, turns);
  const { elements } = selectConversation(body);
  return {
    ...rest,
    messages: null,
    input: [...listConversationItems(conversation).map(toCanonicalItem), ...elements],
  };
}
