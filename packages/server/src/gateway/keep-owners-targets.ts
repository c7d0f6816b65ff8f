import { Fault } from '@floe/contract/faults';
import { readBooleanAt } from '@floe/wire/json-edits';
import type { ClientRequest } from './client-request.ts';
import type { Exchange } from './exchange-record.ts';
import { findBodyReferences } from './opaque/body-references.ts';
import { findCommonOwner } from './opaque/find-resource-owner.ts';
import { listContainers, recordResourceOwnersLater } from './opaque/owned-resources.ts';
import type { ResolvedRoute, Target } from './org-catalog.ts';

/**
 * Returns the route without the targets that would receive ids of resources in another account. The caller must own
 * these resources. A translation does not contain ids, so it rejects or reports them itself. The ids of responses that
 * Floe stores are checked when Floe loads them.
 * @throws Fault `not_found` or `previous_response_not_found`
 */
export async function keepOwnersTargets(
  x: Exchange,
  prompt: ClientRequest,
  route: ResolvedRoute,
): Promise<ResolvedRoute> {
  const isForwarded = (target: Target) => isForwardedTo(x, prompt, target);
  if (!route.targets.some(isForwarded)) return route;
  const { ids, previousResponseId } = findBodyReferences(prompt.body, prompt.members, 'prompt');
  const isStored = x.surface.dialect === 'responses' && x.caller.catalog.storedResponses;
  const foreign = isStored ? ids.filter((id) => id !== previousResponseId) : ids;
  if (foreign.length === 0) return route;
  const { provider, credential } = await findCommonOwner(x, foreign, previousResponseId);
  const isOwners = (target: Target) =>
    target.provider.id === provider && target.credential === target.provider.credential(credential);
  const targets = route.targets.filter((target) => isOwners(target) || !isForwarded(target));
  if (targets.length > 0) return { ...route, targets };
  throw new Fault(
    'not_found',
    `The object that this request refers to is stored at "${provider}" with the credential "${credential}", which the model "${prompt.model.slice(0, 200)}" does not use. Use a model from "${provider}".`,
  );
}

function isForwardedTo({ surface }: Exchange, { canonical }: ClientRequest, target: Target): boolean {
  return canonical === undefined && target.provider.supportsDialect(surface.dialect, target.model);
}

/**
 * Records the owner of the containers that the provider created for a response, and of a response that only the
 * provider stores. The client may use them before the commit, so the exchange does not wait.
 */
export function recordProviderResources(x: Exchange, prompt: ClientRequest): void {
  const { target, answer, caller, surface } = x;
  const { responseId, containerIds } = answer;
  const isUnstored = surface.dialect !== 'responses' || caller.catalog.storedResponses;
  if ((isUnstored || responseId === null) && containerIds.length === 0) return;
  if (target === null || !isForwardedTo(x, prompt, target)) return;
  const made = listContainers(answer);
  const store = prompt.members.get('store');
  const isStored = store === undefined || readBooleanAt(prompt.body, store) !== false;
  if (!isUnstored && isStored && responseId !== null) made.push({ id: responseId, kind: 'responses' });
  if (made.length > 0) recordResourceOwnersLater(x, target, made);
}
