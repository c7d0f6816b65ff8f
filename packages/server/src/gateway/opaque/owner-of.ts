import { Fault } from '@floe/contract/faults';
import type { Exchange } from '../exchange-record.ts';
import type { OpaqueAsk } from './opaque-ask.ts';
import { sees } from './owned-answers.ts';
import type { Owner } from './owners.ts';
import type { Passing } from './passing.ts';

/** Who made the things this request names. Throws 404 when one is not there for the caller. */
export async function ownerOf(
  x: Exchange,
  { meaning, key, catalog }: Pick<Passing, 'meaning' | 'key' | 'catalog'>,
  ask: OpaqueAsk,
): Promise<Owner | null> {
  const named = meaning.collection !== null && meaning.id !== null ? [meaning.id] : [];
  const ids = [...named, ...ask.things.ids];
  if (ids.length === 0) return null;
  const known = await x.gateway.owners.of(key.orgId, ids);
  let owner: Owner | null = null;
  for (const id of ids) {
    const mine = known.get(id)?.find((one) => sees(catalog.resourceScope, key, one));
    if (!mine) throw notThere(id, id === ask.things.previous);
    owner ??= mine;
  }
  return owner;
}

function notThere(id: string, isPrevious: boolean): Fault {
  const message = `There is no "${id.slice(0, 100)}" that this key may see.`;
  return isPrevious
    ? new Fault('previous_response_not_found', message, { param: 'previous_response_id' })
    : new Fault('not_found', message);
}
