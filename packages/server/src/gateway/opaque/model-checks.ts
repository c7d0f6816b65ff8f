import { Fault } from '@floe/contract/faults';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Exchange } from '../exchange-record.ts';
import type { OpaqueContext } from './opaque-context.ts';
import type { OpaqueRequest } from './opaque-request.ts';
import type { ResourceReference } from './resource-reference.ts';

/**
 * Returns whether the query determines the model. Other endpoints read the model in the body, so their query must not
 * replace a missing model in the checks.
 */
export function isModelInQuery({ endpoint }: ResourceReference, { body }: OpaqueRequest): boolean {
  return body.kind === 'upload' && (endpoint === 'realtime' || endpoint === 'realtime/calls');
}

/**
 * Returns a function that checks whether the models in an upload may be used; null if the key may use every
 * model. Requires that the provider of the upload is known.
 */
export function createModelCheck(
  x: Exchange,
  { base, key, catalog }: OpaqueContext,
): ((model: string) => boolean) | null {
  const open = [...catalog.providers.values()].every(({ models }) => models.includes('*'));
  if (key.models === null && open) return null;
  return (model) => x.target !== null && base.allowsModel(x.target.provider, key, model);
}

/**
 * Rejects a unified request without a model in its body, if it is billed by tokens. Without the model, limits and
 * budgets could not estimate the request, and some providers would use a default model.
 * @throws Fault `missing_required_parameter`
 */
export function rejectMissingModel({ surface: { routeMode, billing } }: Exchange): void {
  if (routeMode !== 'unified' || billing !== 'tokens') return;
  throw new Fault('missing_required_parameter', 'Missing required parameter: "model".', { param: 'model' });
}

/** Requires that a key that is restricted to some models may use paths without a model. */
export function requireAllowedPath(key: KeyRecord, { base, path: { segments } }: OpaqueContext): void {
  if (key.models === null) return;
  const path = [base.basePath, ...segments].join('/');
  if (
    (key.paths ?? []).some((open) => path === open || path.startsWith(open.endsWith('/') ? open : `${open}/`))
  )
    return;
  throw new Fault(
    'model_not_allowed',
    `This key is restricted to certain models, and this request does not name a model. Ask an admin to add ${path.slice(0, 200)} to the paths of the key.`,
  );
}
