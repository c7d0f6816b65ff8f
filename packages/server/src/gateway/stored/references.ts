import type { JsonObject } from '@floe/contract/json';
import type { TurnOwner } from '../../store/stored-turns.ts';
import { type Ask, parseBody } from '../ask.ts';
import { historyOf, itemsOf, type ReplayItem } from './replay.ts';
import type { Turn, TurnStore } from './turn-store.ts';

const MARK = Buffer.from('"item_reference"');
/** Ids of items that were written here name their response: `msg_<exchange>_<index>`. */
const OWN_ID = /^(?:msg|rs|fc|ctc)_([A-Za-z0-9]{1,40})_\d+$/;
/** More responses than this in one request are no conversation. */
const MAX_RESPONSES = 500;

/**
 * The items that `input` only names. Those of a response written here are looked up, and those of the
 * conversation gone on from; a provider's own stay references, which it resolves itself.
 */
export async function findReferences(
  store: TurnStore,
  owner: TurnOwner,
  ask: Ask,
  conversation: readonly Turn[],
): Promise<ReadonlyMap<string, ReplayItem>> {
  const found = new Map<string, ReplayItem>();
  if (!ask.body.includes(MARK)) return found;
  const wanted = new Set(itemsOf(parseBody(ask)['input']).flatMap(referenceIn));
  const responses = new Set([...wanted].flatMap((id) => OWN_ID.exec(id)?.[1] ?? []));
  const turns = [...conversation];
  for (const id of [...responses].slice(0, MAX_RESPONSES)) {
    const turn = await store.find(owner, `resp_${id}`);
    if (turn) turns.push(turn);
  }
  for (const entry of historyOf(turns)) {
    const id = String(entry.item['id'] ?? '');
    if (wanted.has(id)) found.set(id, entry);
  }
  return found;
}

function referenceIn(item: JsonObject): string[] {
  return item['type'] === 'item_reference' && typeof item['id'] === 'string' ? [item['id']] : [];
}
