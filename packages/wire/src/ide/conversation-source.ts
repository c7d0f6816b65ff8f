import type { Json, JsonArray, JsonObject } from '@floe/contract/json';
import { asArray, asObjects, isJsonArray, isJsonObject, isNonEmpty } from '../json-narrowing.ts';
import { createInvalidFieldFault } from '../request-read-context.ts';

/** The elements of a conversation, and the name of the member that contains them. */
export interface ConversationSource {
  readonly member: 'messages' | 'input';
  readonly elements: JsonArray;
}

/**
 * Returns the conversation in a body. IDEs may send both `messages` and `input`, one of them without
 * tool results. If both are present, returns the one with more tool results, or `input` if they have the same
 * number. The two are never merged.
 * @example
 * const messages = [{ role: 'user', content: 'Hello' }];
 * selectConversation({ messages, input: [] }); // { member: 'messages', elements: messages }
 */
export function selectConversation(body: JsonObject): ConversationSource {
  const messages: ConversationSource = {
    member: 'messages',
    elements: readElementList(body['messages'], 'messages'),
  };
  const input: ConversationSource = { member: 'input', elements: readElementList(body['input'], 'input') };
  if (input.elements.length === 0) return messages;
  if (messages.elements.length === 0) return input;
  return countToolResults(messages.elements) > countToolResults(input.elements) ? messages : input;
}

function readElementList(value: Json | undefined, member: string): JsonArray {
  if (!isNonEmpty(value)) return [];
  if (isJsonArray(value)) return value;
  if (member === 'input' && (typeof value === 'string' || isJsonObject(value))) return [value];
  throw createInvalidFieldFault(`\`${member}\` must be an array.`, member);
}

/** Counts the results of tool calls, in the form of any dialect. */
function countToolResults(elements: JsonArray): number {
  let count = 0;
  for (const entry of elements) {
    if (!isJsonObject(entry)) continue;
    const { role, type, content } = entry;
    const isResult =
      role === 'tool' ||
      role === 'function' ||
      type === 'tool_result' ||
      String(type).endsWith('_call_output');
    if (isResult) count += 1;
    else count += asObjects(asArray(content)).filter((part) => part['type'] === 'tool_result').length;
  }
  return count;
}
