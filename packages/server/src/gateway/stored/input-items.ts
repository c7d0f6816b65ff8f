import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { listConversationItems, toInputItems } from './conversation-items.ts';
import type { StoredTurn } from './turn-store.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** A page of a response's input items, including those from earlier turns. */
export interface InputItemPage {
  readonly object: 'list';
  readonly data: readonly JsonObject[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/**
 * Lists the input items of a conversation's last turn, newest first unless `order=asc`.
 * @throws Fault with status 400 and `param` if the query is invalid
 */
export function listInputItems(conversation: readonly StoredTurn[], query: URLSearchParams): InputItemPage {
  const turn = conversation.at(-1);
  const shows = new Set([...query.getAll('include'), ...query.getAll('include[]')]);
  const earlier = listConversationItems(conversation.slice(0, -1)).map(({ item }) => item);
  const items = [...earlier, ...(turn?.input ?? [])].map((item, index) =>
    toListedItem(item, `${turn?.id.replace(/^[a-z]+_/, '')}_i${index}`, shows),
  );
  if (parseOrder(query) === 'desc') items.reverse();
  const after = query.get('after');
  const from = after === null ? 0 : items.findIndex((item) => item['id'] === after) + 1;
  if (after !== null && from === 0)
    throw new Fault('invalid_request', 'The parameter "after" must be the id of an item in this list.', {
      param: 'after',
    });
  const limit = parseLimit(query);
  const data = items.slice(from, from + limit);
  return {
    object: 'list',
    data,
    first_id: itemIdOf(data[0]),
    last_id: itemIdOf(data.at(-1)),
    has_more: from + limit < items.length,
  };
}

function itemIdOf(item: JsonObject | undefined): string | null {
  return typeof item?.['id'] === 'string' ? item['id'] : null;
}

function parseOrder(query: URLSearchParams): 'asc' | 'desc' {
  const order = query.get('order') ?? 'desc';
  if (order === 'asc' || order === 'desc') return order;
  throw new Fault('invalid_request', 'The parameter "order" must be "asc" or "desc".', { param: 'order' });
}

function parseLimit(query: URLSearchParams): number {
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new Fault('invalid_request', `The parameter "limit" must be an integer from 1 to ${MAX_LIMIT}.`, {
    param: 'limit',
  });
}

/**
 * Converts an item to the form in which it is listed: with an id and a type, and with parts if it is a
 * message.
 */
function toListedItem(item: JsonObject, madeId: string, shows: ReadonlySet<string>): JsonObject {
  const { encrypted_content, ...rest } = item;
  const type = typeof item['type'] === 'string' ? item['type'] : 'message';
  const id = itemIdOf(item) ?? `${ID_PREFIXES[type] ?? 'item'}_${madeId}`;
  const proof = shows.has('reasoning.encrypted_content') ? { encrypted_content } : {};
  if (type !== 'message') return { ...rest, ...proof, type, id };
  return { status: 'completed', ...rest, type, id, content: toContentParts(item['content'], item['role']) };
}

const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
};

function toContentParts(content: Json | undefined, role: Json | undefined): JsonObject[] {
  const said = (text: string): JsonObject =>
    role === 'assistant'
      ? { type: 'output_text', text, annotations: [], logprobs: [] }
      : { type: 'input_text', text };
  return (Array.isArray(content) ? content : toInputItems(content).length > 0 ? [content] : []).flatMap(
    (part) => (isJsonObject(part) ? [part] : typeof part === 'string' ? [said(part)] : []),
  );
}
