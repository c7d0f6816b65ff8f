import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { isPackedSeal, packSeal } from '@floe/wire/seal';
import type { StoredTurn } from './turn-store.ts';

/** A conversation item from an earlier turn, and the target that produced it. */
export interface ConversationItem {
  readonly item: JsonObject;
  /** The provider and credential of the turn that contains the item. */
  readonly origin: string;
  /** Whether that provider stores the item under its id. */
  readonly held: boolean;
}

/**
 * Types of items that every provider of the Responses dialect accepts. All other types belong to hosted tools
 * of one provider.
 */
const PORTABLE_ITEM_TYPES = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
]);

/** Returns the `input` of a request as a list of items, whichever form it has. */
export function toInputItems(input: Json | undefined): JsonObject[] {
  if (input === undefined || input === null || input === '') return [];
  const list = Array.isArray(input) ? input : [input];
  return list.map((entry) =>
    isJsonObject(entry) ? entry : { type: 'message', role: 'user', content: String(entry) },
  );
}

/** Returns the items of all given turns, in order. */
export function listConversationItems(turns: readonly StoredTurn[]): ConversationItem[] {
  return turns.flatMap(({ input, response, origin, held }) =>
    [...input, ...toInputItems(response['output'])].map((item) => ({ item, origin, held })),
  );
}

/**
 * Converts a stored item to an item for the canonical request. Adds the origin to the seal of the
 * item, so that no other target receives the seal.
 */
export function toCanonicalItem({ item, origin }: ConversationItem): JsonObject {
  const proof = item['encrypted_content'];
  if (typeof proof !== 'string' || isPackedSeal(proof)) return item;
  return { ...item, encrypted_content: packSeal({ dialect: 'responses', value: proof }, origin) };
}

/**
 * Converts a stored item for a provider that uses the Responses dialect but has not stored the
 * conversation. Removes the item id, which the provider would not find, and content that only
 * another provider can read. Returns undefined if nothing remains.
 */
export function toNativeItem(stored: ConversationItem, target: string): JsonObject | undefined {
  const { item, origin } = stored;
  const { id: _, ...said } = item;
  const type = typeof item['type'] === 'string' ? item['type'] : 'message';
  if (type === 'reasoning') {
    const proof = item['encrypted_content'];
    // Packed with its origin, because seals without one are those of the usual target. The forwarded request
    // contains the seal itself.
    const isOwn = origin === target && typeof proof === 'string' && !isPackedSeal(proof);
    return isOwn
      ? { ...said, encrypted_content: packSeal({ dialect: 'responses', value: proof }, origin) }
      : undefined;
  }
  // A compaction replaces the conversation before it. A target that cannot read the compaction must not be used.
  if (type === 'compaction') return toCanonicalItem(stored);
  if (PORTABLE_ITEM_TYPES.has(type)) return item['role'] === 'assistant' ? flattenMessage(said) : said;
  return origin === target ? toCanonicalItem(stored) : undefined;
}

/**
 * Converts an assistant message to a single text. Providers accept its parts only together with the id of
 * their response.
 */
function flattenMessage(message: JsonObject): JsonObject {
  const content = message['content'];
  if (!Array.isArray(content)) return message;
  const words = content.map((part) => (isJsonObject(part) ? (part['text'] ?? part['refusal']) : part));
  if (words.length === 0 || !words.every((word) => typeof word === 'string')) return message;
  const { status: _, ...rest } = message;
  return { ...rest, content: words.join('') };
}
