import { Fault, type FaultDetail } from '@floe/contract/faults';
import type { ModelPatternMatcher } from '../core/model-pattern.ts';
import type { CompiledLimitsAndBudgets } from '../guardrails/compile-limits-and-budgets.ts';
import type { CompiledPolicies } from '../guardrails/policies/policies.ts';
import type { Provider, ProviderCredential, UpstreamTimeouts } from '../providers/configured-provider.ts';
import type { BodyStorageSettings } from './bodies/body-storage-settings.ts';
import type { CacheSettings } from './cache/cache-settings.ts';
import { DEFAULT_IDE_SETTINGS, type IdeSettings } from './ide/ide-settings.ts';

/** The models and request settings of an organization, as a part of the snapshot. */
export interface OrgCatalog {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly routes: readonly CompiledRoute[];
  /** Whether Chat responses contain the provider's reasoning text. */
  readonly chatReasoning: 'strip' | 'forward';
  /** Request headers that identify the end user, in lower case. The first one present is used. */
  readonly userHeaders: readonly string[];
  /** The targets of the passthrough surfaces, in the order in which they are tried. */
  readonly passthrough: Readonly<Record<'a' | 'b', readonly PassthroughTarget[]>>;
  /** Whether Responses turns are stored for `previous_response_id`. */
  readonly storedResponses: boolean;
  /**
   * Who may access files, batches and stored responses: the key that created them, or every key of the
   * organization.
   */
  readonly resourceScope: 'key' | 'org';
  readonly ide: IdeSettings;
  /** Null if nothing is cached. */
  readonly cache: CacheSettings | null;
  /** Null if bodies are not stored. */
  readonly bodies: BodyStorageSettings | null;
  /** Limits, budgets and their settings; null if there are none. */
  readonly rules: CompiledLimitsAndBudgets | null;
  /** Null if there are no policies. */
  readonly policies: CompiledPolicies | null;
}

/** The order in which a route tries its targets. */
export type RoutingStrategy = 'failover' | 'weighted' | 'least_latency';
/**
 * What happens if a stream is cut off after the client has received content: the client receives an error, or another
 * target replays the response.
 */
export type StreamRescueMode = 'error' | 'replay';
/** A target of a passthrough surface: a provider and the models that callers may use there. */
export interface PassthroughTarget {
  readonly provider: Provider;
  /** The provider's model id for each model id that callers send. */
  readonly modelMap: ReadonlyMap<string, string>;
}

/** The targets and settings for a model id, a pattern or an alias. */
export interface CompiledRoute {
  /** The configured model: an id, a pattern or an alias. */
  readonly model: string;
  readonly matches: ModelPatternMatcher;
  /**
   * The targets as `<provider>/<model>`, in the order in which they are tried. Empty if the requested id
   * itself is the target.
   */
  readonly targets: readonly string[];
  /** The share of each target in the traffic, for `weighted`. */
  readonly weights: readonly number[];
  readonly strategy: RoutingStrategy;
  readonly rescue: StreamRescueMode;
  /** Retries per target. */
  readonly retries: number;
  readonly timeouts: Partial<UpstreamTimeouts>;
  readonly chatReasoning: 'strip' | 'forward' | undefined;
  /** Whether responses are cached. Undefined if the setting of the organization applies. */
  readonly cache: 'on' | 'off' | undefined;
}

/**
 * The catalog of an organization that was removed from floe.yaml. Its keys are still valid, but it
 * has no models.
 */
export const EMPTY_ORG_CATALOG: OrgCatalog = {
  providers: new Map(),
  routes: [],
  chatReasoning: 'strip',
  userHeaders: [],
  passthrough: { a: [], b: [] },
  storedResponses: true,
  resourceScope: 'key',
  ide: DEFAULT_IDE_SETTINGS,
  cache: null,
  bodies: null,
  rules: null,
  policies: null,
};

/** The number of retries per target for a model id without a route. */
export const DEFAULT_RETRIES_PER_TARGET = 2;

/** The provider, model and credential that an attempt uses. */
export interface Target {
  readonly provider: Provider;
  /** The provider's own model id. */
  readonly model: string;
  readonly credential: ProviderCredential;
  readonly timeouts: UpstreamTimeouts;
  /** The share of the target in the traffic of its route. */
  readonly weight: number;
}

/** The ordered targets for a model id, and the settings of its route. */
export interface ResolvedRoute {
  /**
   * Each credential of a provider is a separate target. Those of the same provider and model are adjacent.
   */
  readonly targets: readonly Target[];
  readonly strategy: RoutingStrategy;
  readonly rescue: StreamRescueMode;
  readonly retries: number;
  readonly chatReasoning: 'strip' | 'forward';
  /** Whether responses are cached. Undefined if the setting of the organization applies. */
  readonly cache: 'on' | 'off' | undefined;
  readonly reason: string;
  /** The targets that are not used because of the key or the allowlist, with the reason. */
  readonly skipped: readonly string[];
  /**
   * The id of the request's conversation, if there are several targets. Null until the targets are ordered.
   */
  readonly conversation: string | null;
}

/**
 * Splits `<provider>/<model>` at the first slash. The model may contain further slashes. Returns undefined if
 * one of the two parts is missing.
 */
export function parseModelId(id: string): { provider: string; model: string } | undefined {
  const slash = id.indexOf('/');
  return slash <= 0 || slash === id.length - 1
    ? undefined
    : { provider: id.slice(0, slash), model: id.slice(slash + 1) };
}

/**
 * Resolves a model id to a route.
 * @throws Fault `model_not_found` if the id is neither allowlisted nor an alias;
 * `model_not_allowed` if the key may not use the model or any of the alias's targets
 */
export function resolveRoute(catalog: OrgCatalog, mayUse: ModelPatternMatcher, id: string): ResolvedRoute {
  const route = catalog.routes.find((candidate) => candidate.matches(id));
  const named = parseModelId(id);
  const provider = named && catalog.providers.get(named.provider);
  if (provider && !provider.allows(named.model))
    throw modelNotFoundFault(
      id,
      `The allowlist of the provider "${named.provider}" does not contain "${truncateForMessage(named.model)}". Ask an admin to add the model to the allowlist.`,
      { notAllowlisted: true },
    );
  if (!provider && (!route || route.targets.length === 0))
    throw modelNotFoundFault(id, describeUnknownModel(catalog, named?.provider));
  if (!mayUse(id))
    throw new Fault(
      'model_not_allowed',
      `This key is not allowed to use the model "${truncateForMessage(id)}". Use another model, or ask an admin to allow this model for the key.`,
      {
        param: 'model',
      },
    );
  if (route) return resolveByRoute(catalog, mayUse, route, id);
  const targets = provider ? createTargets(provider, named.model, {}, 1) : [];
  const { chatReasoning } = catalog;
  return {
    targets,
    strategy: 'failover',
    rescue: 'error',
    retries: DEFAULT_RETRIES_PER_TARGET,
    chatReasoning,
    cache: undefined,
    reason: 'the provider in the model id',
    skipped: [],
    conversation: null,
  };
}

function resolveByRoute(
  catalog: OrgCatalog,
  mayUse: ModelPatternMatcher,
  route: CompiledRoute,
  id: string,
): ResolvedRoute {
  const targets: Target[] = [];
  const skipped: string[] = [];
  for (const [at, entry] of (route.targets.length === 0 ? [id] : route.targets).entries()) {
    const found = resolveTargetModel(catalog, mayUse, entry);
    if (typeof found === 'string') skipped.push(`${entry}: ${found}`);
    else targets.push(...createTargets(found.provider, found.model, route.timeouts, route.weights[at] ?? 1));
  }
  if (targets.length === 0)
    throw new Fault(
      'model_not_allowed',
      `This key cannot use any target of "${truncateForMessage(id)}": ${skipped.join('; ')}. Use another model, or ask an admin to change the route or the key.`,
      { param: 'model' },
    );
  return {
    targets,
    strategy: route.strategy,
    rescue: route.rescue,
    retries: route.retries,
    chatReasoning: route.chatReasoning ?? catalog.chatReasoning,
    cache: route.cache,
    reason: `the route "${route.model}"`,
    skipped,
    conversation: null,
  };
}

/** Returns the provider and the model of a route's target, or the reason why the key cannot use it. */
export function resolveTargetModel(
  catalog: OrgCatalog,
  mayUse: ModelPatternMatcher,
  entry: string,
): { readonly provider: Provider; readonly model: string } | string {
  const parts = parseModelId(entry);
  const provider = parts && catalog.providers.get(parts.provider);
  if (!provider) return 'its provider does not exist, is disabled or cannot be used';
  if (!provider.allows(parts.model)) return `not on the allowlist of "${parts.provider}"`;
  return mayUse(entry) ? { provider, model: parts.model } : 'not allowed for this key';
}

/**
 * Returns one target for each of a provider's credentials, starting with the next credential in the
 * rotation.
 */
export function createTargets(
  provider: Provider,
  model: string,
  own: Partial<UpstreamTimeouts>,
  weight: number,
): Target[] {
  const first = provider.nextCredential();
  const timeouts = { ...provider.timeouts, ...own };
  const targets = [{ provider, model, credential: first, timeouts, weight }];
  if (provider.credentials.length > 1)
    for (const credential of provider.credentials)
      if (credential !== first) targets.push({ provider, model, credential, timeouts, weight });
  return targets;
}

/** Returns a target at a provider. Uses the next credential in the rotation unless one is given. */
export function createTarget(
  provider: Provider,
  model: string,
  timeouts: Partial<UpstreamTimeouts>,
  credential: ProviderCredential = provider.nextCredential(),
): Target {
  return {
    provider,
    model,
    credential,
    timeouts: { ...provider.timeouts, ...timeouts },
    weight: 1,
  };
}

function modelNotFoundFault(
  id: string,
  why: string,
  detail: Pick<FaultDetail, 'notAllowlisted'> = {},
): Fault {
  return new Fault('model_not_found', `The model "${truncateForMessage(id)}" is not available. ${why}`, {
    ...detail,
    param: 'model',
  });
}

function describeUnknownModel(catalog: OrgCatalog, provider: string | undefined): string {
  const enabled = `enabled providers: ${[...catalog.providers.keys()].join(', ') || 'none'}.`;
  return provider === undefined
    ? `Model ids have the form <provider>/<model>; ${enabled}`
    : `The provider "${truncateForMessage(provider)}" is not enabled; ${enabled}`;
}

function truncateForMessage(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
