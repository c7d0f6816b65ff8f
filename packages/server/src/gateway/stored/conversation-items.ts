import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { isPackedSeal, packSeal } from '@floe/wire/seal';
import type { StoredTurn } from './turn-store.ts';

/** An item of an earlier turn, and who made or took it. */
export interface ConversationItem {
  readonly item: JsonObject;
  /** Provider and credential of its turn. */
  readonly origin: string;
  /** That provider keeps it under its id. */
  readonly held: boolean;
}

/** Items any provider of the Responses dialect can take back; others are traces of one provider's own tools. */
const PORTABLE_ITEM_TYPES = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

/** `input` of a request as a list of items, whatever form it came in. */
export function toInputItems(input: Json | undefined): JsonObject[] {
  if (input === undefined || input === null || input === '') return [];
  const list = Array.isArray(input) ? input : [input];
  return list.map((entry) =>
    isObject(entry) ? entry : { type: 'message', role: 'user', content: String(entry) },
  );
}

/** Everything said in these turns, in order. */
export function conversationItems(turns: readonly StoredTurn[]): ConversationItem[] {
  return turns.flatMap(({ input, response, origin, held }) =>
    [...input, ...toInputItems(response['output'])].map((item) => ({ item, origin, held })),
  );
}

/** For a reader of the vocabulary: proofs carry the name of their maker, so that no other target gets them. */
export function packItemSeal({ item, origin }: ConversationItem): JsonObject {
  const proof = item['encrypted_content'];
  if (typeof proof !== 'string' || isPackedSeal(proof)) return item;
  return { ...item, encrypted_content: packSeal({ dialect: 'responses', value: proof }, origin) };
}

/**
 * For an upstream of the Responses dialect that does not have the conversation itself: items without their ids,
 * which it would look up in vain, and without what only another provider understands. Undefined when nothing is left.
 */
export function toNativeItem({ item, origin }: ConversationItem, target: string): JsonObject | undefined {
  const { id: _, ...said } = item;
  const type = typeof item['type'] === 'string' ? item['type'] : 'message';
  if (type === 'reasoning') {
    const proof = item['encrypted_content'];
    return origin === target && typeof proof === 'string' && !isPackedSeal(proof) ? said : undefined;
  }
  if (PORTABLE_ITEM_TYPES.has(type)) return item['role'] === 'assistant' ? flattenMessage(said) : said;
  return origin === target ? item : undefined;
}

/** An assistant's words as one text: as parts they belong to an answer with an id, and are refused without it. */
function flattenMessage(message: JsonObject): JsonObject {
  const content = message['content'];
  if (!Array.isArray(content)) return message;
  const words = content.map((part) => (isObject(part) ? (part['text'] ?? part['refusal']) : part));
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return message;
  const { status: _, ...rest } = message;
  return { ...rest, content: words.join('') };
}
