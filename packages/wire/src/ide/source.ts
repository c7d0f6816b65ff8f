import type { Json, JsonArray, JsonObject } from '@floe/contract/json';
import { invalid } from '../ask-draft.ts';
import { isArray, isObject, listOf, objectsIn, says } from '../json-read.ts';

/** Where the conversation of a body stands: its elements, and the member they came from. */
export interface Source {
  readonly member: 'messages' | 'input';
  readonly elements: JsonArray;
}

/**
 * The conversation of a body that may hold two. IDEs send both, one of them without the tool results: the one
 * with more of them counts, `input` when they are even, and they are never joined.
 *
 * @example
 * const messages = [{ role: 'user', content: 'Hello' }];
 * conversationIn({ messages, input: [] }); // { member: 'messages', elements: messages }
 */
export function conversationIn(body: JsonObject): Source {
  const messages: Source = { member: 'messages', elements: elementsOf(body['messages'], 'messages') };
  const input: Source = { member: 'input', elements: elementsOf(body['input'], 'input') };
  if (input.elements.length === 0) return messages;
  if (messages.elements.length === 0) return input;
  return resultsIn(messages.elements) > resultsIn(input.elements) ? messages : input;
}

function elementsOf(value: Json | undefined, member: string): JsonArray {
  if (!says(value)) return [];
  if (isArray(value)) return value;
  if (member === 'input' && (typeof value === 'string' || isObject(value))) return [value];
  throw invalid(`\`${member}\` must be an array.`, member);
}

/** Results of tool calls, in whichever of the dialects' forms. */
function resultsIn(elements: JsonArray): number {
  let count = 0;
  for (const entry of elements) {
    if (!isObject(entry)) continue;
    const { role, type, content } = entry;
    const isResult =
      role === 'tool' ||
      role === 'function' ||
      type === 'tool_result' ||
      String(type).endsWith('_call_output');
    if (isResult) count += 1;
    else count += objectsIn(listOf(content)).filter((part) => part['type'] === 'tool_result').length;
  }
  return count;
}
