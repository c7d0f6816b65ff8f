import { Fault } from '@floe/contract/faults';
import type { Exchange } from '../exchange-record.ts';
import type { OpaqueContext } from './opaque-context.ts';
import type { OpaqueRequest } from './opaque-request.ts';
import { canAccessResource } from './owned-resources.ts';
import type { ResourceOwner } from './resource-owner-store.ts';

/** The header with the id of a user profile (Anthropic). */
const USER_PROFILE_HEADER = 'anthropic-user-profile-id';

/**
 * Returns the owner of the resources that a request refers to. Returns null if it refers to none.
 * @throws Fault with status 404 if the caller has no access to one of them
 */
export async function findResourceOwner(
  x: Exchange,
  { resource }: Pick<OpaqueContext, 'resource'>,
  opaque: OpaqueRequest,
): Promise<ResourceOwner | null> {
  const named = resource.collection !== null && resource.id !== null ? [resource.id] : [];
  const { ids, previousResponseId } = opaque.references;
  const profile = x.client.headers[USER_PROFILE_HEADER];
  const all = [...named, ...ids];
  if (typeof profile === 'string') all.push(profile);
  return all.length === 0 ? null : findCommonOwner(x, all, previousResponseId);
}

/**
 * Returns the owner of the first id. All ids must belong to the caller at one provider, because ids of different
 * providers may be equal, and the provider of an organization may return any id.
 * @param provider the only possible provider; null if every provider is possible
 * @throws Fault with status 404 if there is no such provider
 */
export async function findCommonOwner(
  { gateway, caller: { key, catalog } }: Exchange,
  ids: readonly string[],
  previousResponseId: string | null,
  provider: string | null = null,
): Promise<ResourceOwner> {
  const find = async (isFresh: boolean) => {
    const known = await gateway.resourceOwners.find(key.orgId, ids, isFresh);
    const ownersOf = (id: string) =>
      (known.get(id) ?? []).filter(
        (owner) =>
          (provider === null || owner.provider === provider) &&
          canAccessResource(catalog.resourceScope, key, owner),
      );
    return selectCommonOwner(ids, ownersOf);
  };
  let owner = await find(false);
  // Another process may have recorded an owner at a second provider.
  if (typeof owner === 'string') owner = await find(true);
  if (typeof owner === 'string') throw resourceNotFoundFault(owner, owner === previousResponseId);
  return owner;
}

/** Returns an owner of the first id at a provider that has all ids, or the first id for which there is none. */
function selectCommonOwner(
  ids: readonly string[],
  ownersOf: (id: string) => readonly ResourceOwner[],
): ResourceOwner | string {
  const [firstId = '', ...others] = ids;
  let common = ownersOf(firstId);
  if (common.length === 0) return firstId;
  for (const id of others) {
    const at = new Set(ownersOf(id).map(({ provider }) => provider));
    common = common.filter(({ provider }) => at.has(provider));
    if (common.length === 0) return id;
  }
  return common[0] ?? firstId;
}

function resourceNotFoundFault(id: string, isPrevious: boolean): Fault {
  const message = `The object "${id.slice(0, 100)}" does not exist, or this key cannot access it. Check the id, or use the key that created the object.`;
  return isPrevious
    ? new Fault('previous_response_not_found', message, { param: 'previous_response_id' })
    : new Fault('not_found', message);
}
