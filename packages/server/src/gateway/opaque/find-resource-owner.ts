import { Fault } from '@floe/contract/faults';
import type { Exchange } from '../exchange-record.ts';
import type { OpaqueContext } from './opaque-context.ts';
import type { OpaqueRequest } from './opaque-request.ts';
import { canAccessResource } from './owned-resources.ts';
import type { ResourceOwner } from './resource-owner-store.ts';

/**
 * Returns the owner of the resources that a request refers to. Returns null if it refers to none.
 * @throws Fault with status 404 if the caller has no access to one of them
 */
export async function findResourceOwner(
  x: Exchange,
  { resource, key, catalog }: Pick<OpaqueContext, 'resource' | 'key' | 'catalog'>,
  opaque: OpaqueRequest,
): Promise<ResourceOwner | null> {
  const named = resource.collection !== null && resource.id !== null ? [resource.id] : [];
  const ids = [...named, ...opaque.references.ids];
  if (ids.length === 0) return null;
  const known = await x.gateway.resourceOwners.find(key.orgId, ids);
  let owner: ResourceOwner | null = null;
  for (const id of ids) {
    const mine = known.get(id)?.find((one) => canAccessResource(catalog.resourceScope, key, one));
    if (!mine) throw resourceNotFoundFault(id, id === opaque.references.previousResponseId);
    owner ??= mine;
  }
  return owner;
}

function resourceNotFoundFault(id: string, isPrevious: boolean): Fault {
  const message = `The object "${id.slice(0, 100)}" does not exist, or this key cannot access it. Check the id, or use the key that created the object.`;
  return isPrevious
    ? new Fault('previous_response_not_found', message, { param: 'previous_response_id' })
    : new Fault('not_found', message);
}
