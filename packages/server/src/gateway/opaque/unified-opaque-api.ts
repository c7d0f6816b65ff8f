import { Fault } from '@floe/contract/faults';
import type { Provider } from '../../providers/configured-provider.ts';
import type { OpaqueApi } from '../../providers/provider-definition.ts';
import { canUseQualifiedModel } from '../nested-models.ts';
import {
  createTarget,
  DEFAULT_RETRIES_PER_TARGET,
  type ResolvedRoute,
  resolveRoute,
} from '../org-catalog.ts';
import type { OpaqueApiRules, OpaqueRouteInput } from './opaque-api-rules.ts';
import { findRouteSettings } from './route-settings.ts';

/** The rules for requests below `/gateway/v1` that Floe forwards without parsing to providers that support them. */
export const UNIFIED_OPAQUE_API: OpaqueApiRules = {
  style: 'a',
  routeMode: 'unified',
  faultShape: 'openai',
  basePath: '/gateway/v1',
  pathPrefix: [],
  forwardsServerErrors: false,
  resolveRoute: (input) =>
    input.model === null ? resolveWithoutModel(input) : resolveWithModel(input, input.model),
  isRetryable: (method, collection) => method === 'POST' && collection === null,
  allowsModel: canUseQualifiedModel,
  targetPath: ({ provider, model }, segments) => provider.opaquePath(segments.join('/'), model),
};

function resolveWithModel({ catalog, key, resource, owner }: OpaqueRouteInput, model: string): ResolvedRoute {
  const route = resolveRoute(catalog, key.models ?? (() => true), model);
  const offering = route.targets.filter(({ provider }) => offersSurface(provider, resource.surface));
  if (offering.length === 0)
    throw new Fault(
      'unsupported_parameter',
      `None of the providers of the model "${model.slice(0, 200)}" (${route.targets.map(({ provider }) => provider.id).join(', ')}) supports the surface "${resource.surface}". Use a model from another provider.`,
      { param: 'model' },
    );
  const targets = owner
    ? offering
        .filter(({ provider }) => provider.id === owner.provider)
        .map((target) => ({ ...target, credential: target.provider.credential(owner.credential) }))
    : offering;
  if (targets.length === 0)
    throw new Fault(
      'not_found',
      `The object that this request refers to is stored at "${owner?.provider}", which is not a provider of the model "${model.slice(0, 200)}". Use a model from "${owner?.provider}".`,
    );
  return { ...route, targets };
}

/**
 * Resolves a request without a model. The owner of its resources determines the provider, or else the header
 * `x-floe-provider`.
 */
function resolveWithoutModel({ catalog, client, resource, owner }: OpaqueRouteInput): ResolvedRoute {
  const header = client.headers['x-floe-provider'];
  const id = owner?.provider ?? (typeof header === 'string' ? header : undefined);
  if (id === undefined)
    throw new Fault(
      'missing_required_parameter',
      `This request does not specify a provider. Set the header x-floe-provider to the id of a provider that supports the surface "${resource.surface}", or specify a model.`,
      { param: 'x-floe-provider' },
    );
  const provider = catalog.providers.get(id);
  if (!provider || !offersSurface(provider, resource.surface))
    throw new Fault(
      'not_found',
      provider
        ? `The provider "${id}" does not support the surface "${resource.surface}". Use another provider.`
        : `The provider "${id.slice(0, 100)}" is not enabled; enabled providers: ${[...catalog.providers.keys()].join(', ') || 'none'}.`,
      { param: 'x-floe-provider' },
    );
  const { timeouts } = findRouteSettings(catalog, `${provider.id}/`);
  const reads = client.method === 'GET' || client.method === 'HEAD';
  return {
    targets: [createTarget(provider, '', timeouts, provider.credential(owner?.credential))],
    retries: reads ? DEFAULT_RETRIES_PER_TARGET : 0,
    chatReasoning: 'forward',
    cache: undefined,
    strategy: 'failover',
    rescue: 'error',
    reason: owner
      ? 'the provider that created the object named in the request'
      : 'the header x-floe-provider',
    skipped: [],
    conversation: null,
  };
}

function offersSurface({ definition }: Provider, surface: string): boolean {
  return definition.opaqueApis?.some((offer: OpaqueApi) => offer === surface) ?? false;
}
