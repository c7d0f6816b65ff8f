import type { JsonObject } from '@floe/contract/json';
import { selectConversation } from '@floe/wire/ide/conversation-source';
import type { Exchange } from '../exchange-record.ts';
import { conversationItems, packItemSeal } from '../stored/conversation-items.ts';

/**
 * The body with the conversation that its `previous_response_id` stands for in front of its own. A body that
 * names none, or one that is not kept here for this key, stays as it is.
 */
export async function withStoredHistory(x: Exchange, body: JsonObject): Promise<JsonObject> {
  const {
    caller: { catalog, key },
    gateway,
  } = x;
  const { previous_response_id: id, ...rest } = body;
  if (typeof id !== 'string' || id === '' || !catalog.storedResponses) return body;
  const owner = { orgId: key.orgId, keyId: catalog.resourceScope === 'org' ? null : key.id };
  const turn = await gateway.turns.find(owner, id);
  const conversation = turn && (await gateway.turns.conversation(turn));
  if (!conversation) return body;
  const { elements } = selectConversation(body);
  return {
    ...rest,
    messages: null,
    input: [...conversationItems(conversation).map(packItemSeal), ...elements],
  };
}
