import { Fault, type FaultDetail } from '@floe/contract/faults';
import type { Matcher } from '../core/pattern.ts';
import type { OrgRules } from '../guardrails/compile-rules.ts';
import type { CompiledPolicies } from '../guardrails/policies/policies.ts';
import type { Credential, Provider, Timeouts } from '../providers/configured-provider.ts';
import type { BodyStorageRules } from './bodies/body-storage-rules.ts';
import type { CacheRules } from './cache/cache-rules.ts';
import { DEFAULT_IDE_SETTINGS, type IdeSettings } from './ide/ide-settings.ts';

/** The gateway's slice of an org in the snapshot: what may be asked and how answers are treated. */
export interface Catalog {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly routes: readonly CompiledRoute[];
  /** Whether Chat answers keep the provider's reasoning text (specification, Endpoints rule 6). */
  readonly chatReasoning: 'strip' | 'forward';
  /** Request headers that name the end user, first one wins; lower case. */
  readonly userHeaders: readonly string[];
  /** Who is behind the passthrough surfaces, in the order to try them. */
  readonly passthrough: Readonly<Record<'a' | 'b', readonly PassthroughTarget[]>>;
  /** Whether Responses turns are kept for `previous_response_id`. */
  readonly storedResponses: boolean;
  /** Who sees files, batches and stored answers: the key that made them, or every key of the org. */
  readonly resourceScope: 'key' | 'org';
  readonly ide: IdeSettings;
  /** Null while nothing of the org is cached. */
  readonly cache: CacheRules | null;
  /** Null for an org that keeps no bodies. */
  readonly bodies: BodyStorageRules | null;
  /** Limits and budgets; null for an org without any. */
  readonly rules: OrgRules | null;
  /** Null for an org without policies. */
  readonly policies: CompiledPolicies | null;
}

export type RoutingStrategy = 'failover' | 'weighted' | 'least_latency';
/** What happens when a stream breaks after content: the typed error, or the same answer once more. */
export type RescueMode = 'error' | 'replay';
/** A provider behind a passthrough surface. */
export interface PassthroughTarget {
  readonly provider: Provider;
  /** Bare model id as callers send it, to the id this provider knows. */
  readonly modelMap: ReadonlyMap<string, string>;
}

/** Where requests for a model id, a pattern or an alias go. */
export interface CompiledRoute {
  /** As configured: an id, a pattern or an alias. */
  readonly model: string;
  readonly matches: Matcher;
  /** `<provider>/<model>` in the order to try them; none for the id asked for itself. */
  readonly targets: readonly string[];
  /** Share of the traffic per target, with `weighted`. */
  readonly weights: readonly number[];
  readonly strategy: RoutingStrategy;
  readonly rescue: RescueMode;
  /** Extra tries per target. */
  readonly retries: number;
  readonly timeouts: Partial<Timeouts>;
  readonly chatReasoning: 'strip' | 'forward' | undefined;
  /** Undefined: as the org says. */
  readonly cache: 'on' | 'off' | undefined;
}

/** An org that left floe.yaml: its keys still say who they are, and there is nothing to ask. */
export const EMPTY_CATALOG: Catalog = {
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

/** Tries per target of a model id without a route. */
export const DEFAULT_RETRIES = 2;

/** Where an attempt goes: provider, model and credential. */
export interface Target {
  readonly provider: Provider;
  /** The provider's bare model id. */
  readonly model: string;
  readonly credential: Credential;
  readonly timeouts: Timeouts;
  /** Share of the traffic among the targets of its route. */
  readonly weight: number;
}

/** What a model id stands for: the targets to try in order, and how. */
export interface ResolvedRoute {
  /** Every credential of a provider is a target; those of one provider and model stand together. */
  readonly targets: readonly Target[];
  readonly strategy: RoutingStrategy;
  readonly rescue: RescueMode;
  readonly retries: number;
  readonly chatReasoning: 'strip' | 'forward';
  /** Whether the route says so itself; undefined: as the org says. */
  readonly cache: 'on' | 'off' | undefined;
  readonly reason: string;
  /** Targets of the route that this key or the allowlist rules out, with the reason. */
  readonly skipped: readonly string[];
  /** Names the conversation of the request, where several targets could serve it; null until they are in order. */
  readonly conversation: string | null;
}

/** Splits `<provider>/<model>` at the first slash; everything after it, slashes included, is the model. */
export function splitModelId(id: string): { provider: string; model: string } | undefined {
  const slash = id.indexOf('/');
  return slash <= 0 || slash === id.length - 1
    ? undefined
    : { provider: id.slice(0, slash), model: id.slice(slash + 1) };
}

/**
 * Resolves a model id. Throws `model_not_found` when it is neither enabled and allowlisted in the org nor an
 * alias, `model_not_allowed` when this key may not use it or any of its targets.
 */
export function resolveRoute(catalog: Catalog, mayUse: Matcher, id: string): ResolvedRoute {
  const route = catalog.routes.find((candidate) => candidate.matches(id));
  const named = splitModelId(id);
  const provider = named && catalog.providers.get(named.provider);
  if (provider && !provider.allows(named.model))
    throw modelNotFoundFault(id, `The model is not on the allowlist of "${named.provider}".`, {
      notAllowlisted: true,
    });
  if (!provider && (!route || route.targets.length === 0))
    throw modelNotFoundFault(id, describeUnknownModel(catalog, named?.provider));
  if (!mayUse(id))
    throw new Fault('model_not_allowed', `This key may not use the model "${truncateForMessage(id)}".`, {
      param: 'model',
    });
  if (route) return resolveByRoute(catalog, mayUse, route, id);
  const targets = provider ? createTargets(provider, named.model, {}, 1) : [];
  const { chatReasoning } = catalog;
  return {
    targets,
    strategy: 'failover',
    rescue: 'error',
    retries: DEFAULT_RETRIES,
    chatReasoning,
    cache: undefined,
    reason: 'the model id names the provider',
    skipped: [],
    conversation: null,
  };
}

function resolveByRoute(catalog: Catalog, mayUse: Matcher, route: CompiledRoute, id: string): ResolvedRoute {
  const targets: Target[] = [];
  const skipped: string[] = [];
  for (const [at, entry] of (route.targets.length === 0 ? [id] : route.targets).entries()) {
    const parts = splitModelId(entry);
    const provider = parts && catalog.providers.get(parts.provider);
    if (!provider) skipped.push(`${entry}: its provider is not enabled`);
    else if (!provider.allows(parts.model))
      skipped.push(`${entry}: not on the allowlist of "${parts.provider}"`);
    else if (!mayUse(entry)) skipped.push(`${entry}: this key may not use it`);
    else targets.push(...createTargets(provider, parts.model, route.timeouts, route.weights[at] ?? 1));
  }
  if (targets.length === 0)
    throw new Fault(
      'model_not_allowed',
      `No target of "${truncateForMessage(id)}" is open to this key: ${skipped.join('; ')}.`,
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

/** The credential whose turn it is, then the provider's others. */
export function createTargets(
  provider: Provider,
  model: string,
  own: Partial<Timeouts>,
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

/** A target of a provider, with the credential whose turn it is unless one is given. */
export function createTarget(
  provider: Provider,
  model: string,
  timeouts: Partial<Timeouts>,
  credential: Credential = provider.nextCredential(),
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
  return new Fault('model_not_found', `The model "${truncateForMessage(id)}" is not available here. ${why}`, {
    ...detail,
    param: 'model',
  });
}

function describeUnknownModel(catalog: Catalog, provider: string | undefined): string {
  const enabled = `enabled providers: ${[...catalog.providers.keys()].join(', ') || 'none'}.`;
  return provider === undefined
    ? `Model ids have the form <provider>/<model>; ${enabled}`
    : `The provider "${truncateForMessage(provider)}" is not enabled; ${enabled}`;
}

function truncateForMessage(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
