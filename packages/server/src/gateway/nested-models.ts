import { Fault } from '@floe/contract/faults';
import type { KeyRecord } from '../platform/keyring.ts';
import type { Provider } from '../providers/configured-provider.ts';
import type { AuthenticatedCaller } from './caller.ts';
import type { ClientRequest } from './client-request.ts';
import { findNestedModels } from './opaque/body-references.ts';
import { parseModelId, type ResolvedRoute } from './org-catalog.ts';

/**
 * The models that a prompt names in addition to its `model`, and the route with only the targets at which the key
 * may use all of these models.
 */
export interface NestedModelCheckResult {
  readonly models: readonly string[];
  readonly route: ResolvedRoute;
}

/**
 * Finds the models that the prompt names in addition to its `model`, such as a fallback or the model of a hosted tool,
 * and returns the route without the targets at which the key may not use them. Does not search the prompt if
 * neither the key, an allowlist, a limit nor a budget depends on them.
 * @throws Fault `model_not_allowed` if no target remains, `invalid_request` if the models are ambiguous or too many
 */
export function requireAllowedNestedModels(
  { body, members }: ClientRequest,
  { key, catalog }: Pick<AuthenticatedCaller, 'key' | 'catalog'>,
  route: ResolvedRoute,
): NestedModelCheckResult {
  const isOpen = key.models === null && route.targets.every(({ provider }) => provider.models.includes('*'));
  const models = isOpen && !catalog.rules?.hasModelRules ? [] : findNestedModels(body, members);
  if (isOpen || models.length === 0) return { models, route };
  const targets = route.targets.filter(({ provider }) =>
    models.every((model) => canUseQualifiedModel(provider, key, model)),
  );
  if (targets.length === 0) throw createNestedModelNotAllowedFault(models);
  return { models, route: { ...route, targets } };
}

/**
 * Returns whether the key may use a model that a body names by the provider's model id or as
 * `<provider>/<model>`.
 */
export function canUseQualifiedModel(provider: Provider, key: KeyRecord, model: string): boolean {
  const named = parseModelId(model);
  const bare = named?.provider === provider.id ? named.model : model;
  return provider.allows(bare) && (key.models === null || key.models(`${provider.id}/${bare}`));
}

/** Creates the fault for a body that names several models, if no target allows this key to use all of them. */
export function createNestedModelNotAllowedFault(models: readonly string[]): Fault {
  return new Fault(
    'model_not_allowed',
    `No available provider allows this key to use all models that the request body names: ${models.join(', ').slice(0, 500)}. Use other models, or ask an admin to allow these models for the provider and the key.`,
    { param: 'model' },
  );
}
