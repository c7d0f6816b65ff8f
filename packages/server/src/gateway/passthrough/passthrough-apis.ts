import { Fault } from '@floe/contract/faults';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import type { OpaqueApiRules, OpaqueRouteInput } from '../opaque/opaque-api-rules.ts';
import type { ApiStyle } from '../opaque/resource-reference.ts';
import { findRouteSettings } from '../opaque/route-settings.ts';
import {
  createTarget,
  createTargets,
  DEFAULT_RETRIES_PER_TARGET,
  type PassthroughTarget,
  type ResolvedRoute,
  type Target,
} from '../org-catalog.ts';
import { buildNativePath } from './native-path.ts';

/** The passthrough API in the style of OpenAI. It forwards requests to the configured targets. */
export const PASSTHROUGH_A_API = createPassthroughBase('a');
/** The passthrough API in the style of Anthropic. It forwards requests to the configured targets. */
export const PASSTHROUGH_B_API = createPassthroughBase('b');

function createPassthroughBase(style: ApiStyle): OpaqueApiRules {
  return {
    style,
    routeMode: `passthrough-${style}`,
    faultShape: style === 'a' ? 'openai' : 'anthropic',
    basePath: `/gateway/passthrough-${style}`,
    pathPrefix: ['v1'],
    forwardsServerErrors: true,
    resolveRoute: (input) => resolvePassthroughRoute(style, input),
    isRetryable: (method, collection) => method === 'POST' && isRepeatable(collection),
    allowsModel: (provider, key, model) => canUseModel(provider, key, model),
    targetPath: ({ provider, model }, segments) =>
      buildNativePath(provider, style, segments, provider.upstreamModel(model)),
  };
}

/**
 * Returns whether the organization and the key permit a model. `model` is the provider's own model
 * id.
 */
export function canUseModel(provider: Provider, key: KeyRecord, model: string): boolean {
  return provider.allows(model) && (key.models === null || key.models(`${provider.id}/${model}`));
}

function resolvePassthroughRoute(style: ApiStyle, input: OpaqueRouteInput): ResolvedRoute {
  const { catalog, owner, model } = input;
  const behind = catalog.passthrough[style];
  if (behind.length === 0)
    throw new Fault(
      'not_found',
      `No provider is configured for this path. Ask an admin to set passthrough.${style} to the id of a provider.`,
    );
  const reachable = owner ? behind.filter(({ provider }) => provider.id === owner.provider) : behind;
  if (reachable.length === 0)
    throw new Fault(
      'not_found',
      'The object that this request refers to is stored at a provider that is no longer configured for this path. Ask an admin to add the provider to the setting passthrough, or create the object again.',
    );
  return model === null ? resolveWithoutModel(input, reachable) : resolveForModel(input, model, reachable);
}

/**
 * Resolves a request without a model. It is sent only to the target that has the resources, because they
 * exist in one account of one provider. Only reads are retried.
 */
function resolveWithoutModel(
  { catalog, owner, client }: OpaqueRouteInput,
  [first]: readonly PassthroughTarget[],
): ResolvedRoute {
  if (!first) throw new Error('unreachable: paths without providers are rejected earlier');
  const { provider } = first;
  const { timeouts } = findRouteSettings(catalog, `${provider.id}/`);
  const reads = client.method === 'GET' || client.method === 'HEAD';
  return createRoute(
    [createTarget(provider, '', timeouts, provider.credential(owner?.credential))],
    reads ? DEFAULT_RETRIES_PER_TARGET : 0,
    owner
      ? 'the provider that created the object named in the request'
      : 'the first provider configured for this path',
  );
}

function resolveForModel(
  { catalog, key, owner }: OpaqueRouteInput,
  model: string,
  behind: readonly PassthroughTarget[],
): ResolvedRoute {
  const known = behind.map(({ provider, modelMap }) => ({ provider, id: modelMap.get(model) ?? model }));
  const enabled = known.filter(({ provider, id }) => provider.allows(id));
  if (enabled.length === 0)
    throw new Fault(
      'model_not_found',
      `The model "${model.slice(0, 200)}" is not on the allowlist of ${known.map(({ provider }) => provider.id).join(', ')}. Ask an admin to add the model to the allowlist.`,
      { param: 'model', notAllowlisted: true },
    );
  const open = enabled.filter(({ provider, id }) => canUseModel(provider, key, id));
  if (open.length === 0)
    throw new Fault(
      'model_not_allowed',
      `This key is not allowed to use the model "${model.slice(0, 200)}". Use another model, or ask an admin to allow this model for the key.`,
      {
        param: 'model',
      },
    );
  const targets = open.flatMap(({ provider, id }): Target[] => {
    const { timeouts } = findRouteSettings(catalog, `${provider.id}/${id}`);
    if (owner) return [createTarget(provider, id, timeouts, provider.credential(owner.credential))];
    return createTargets(provider, id, timeouts, 1);
  });
  const [first] = open;
  const { retries } = findRouteSettings(catalog, `${first?.provider.id}/${first?.id}`);
  return createRoute(targets, retries, 'the providers configured for this path, in order');
}

/**
 * Returns whether a request can be repeated. A request for a response can; a request that creates a resource
 * cannot.
 */
function isRepeatable(collection: string | null): boolean {
  return collection === null || collection === 'responses' || collection === 'chat/completions';
}

function createRoute(targets: readonly Target[], retries: number, reason: string): ResolvedRoute {
  return {
    targets,
    retries,
    chatReasoning: 'forward',
    cache: undefined,
    strategy: 'failover',
    rescue: 'error',
    reason,
    skipped: [],
    conversation: null,
  };
}
