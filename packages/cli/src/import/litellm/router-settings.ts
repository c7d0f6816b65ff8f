import type { ConfigEntryFields } from '../config-draft.ts';
import { type ImportSourceObject, isPlainObject } from '../import-source-object.ts';
import { convertLitellmTimeouts } from './deployment.ts';

/** The routing settings of LiteLLM, from `router_settings` and `litellm_settings`. */
export interface LitellmRouterSettings {
  readonly strategy: 'weighted' | 'least_latency';
  readonly isShuffle: boolean;
  readonly retries: number | undefined;
  readonly timeouts: ConfigEntryFields;
  readonly hasTimeouts: boolean;
  readonly fallbacks: ReadonlyMap<string, readonly string[]>;
  readonly contextFallbacks: ReadonlyMap<string, readonly string[]>;
  readonly defaultFallbacks: readonly string[];
  readonly aliases: ReadonlyMap<string, string>;
  /** Whether a wildcard entry of `model_list` matches this name. */
  isWildcardModel(name: string): boolean;
  /** Reports an alias that cannot become a route. */
  rejectAlias(alias: string): void;
  /** Reports fallbacks of a model to models that are not imported. */
  reportMissingFallbacks(isImported: (model: string) => boolean): void;
}

const MAX_RETRIES = 10;

const ROUTER_REASONS: Readonly<Record<string, string>> = {
  content_policy_fallbacks:
    'if a content filter blocks a request or response, Floe does not try another target',
  retry_after: 'Floe has no setting for the delay between retries',
  retry_policy: 'Floe has no setting for which types of errors it retries',
  model_group_retry_policy: 'Floe has no setting for which types of errors it retries',
  allowed_fails_policy: 'Floe has no setting for which types of errors the circuit breaker counts',
  routing_strategy_args: 'Floe strategies have no arguments',
  enable_pre_call_checks: 'Floe always skips targets that cannot serve a request',
  optional_pre_call_checks: 'Floe always skips targets that cannot serve a request',
  enable_tag_filtering: 'Floe does not route by tags',
  max_fallbacks: 'Floe tries every target of a route',
  redis_host: 'set storage.shared in floe.yaml',
  redis_port: 'set storage.shared in floe.yaml',
  redis_password: 'set storage.shared in floe.yaml',
  redis_url: 'set storage.shared in floe.yaml',
  cache_responses: 'set cache in floe.yaml',
  debug_level: 'set FLOE_LOG_LEVEL',
  set_verbose: 'set FLOE_LOG_LEVEL',
};

const FALLBACK_FIELDS = ['fallbacks', 'context_window_fallbacks'] as const;
const MISSING_FALLBACK_REASON = 'models that were not imported were removed from the list';

/**
 * Reads the routing settings from both sections. If both contain a setting, `router_settings` takes
 * precedence.
 */
export function readLitellmRouterSettings(
  router: ImportSourceObject | undefined,
  litellm: ImportSourceObject | undefined,
  wildcardPrefixes: ReadonlySet<string>,
): LitellmRouterSettings {
  const sources = [litellm, router].filter((source) => source !== undefined);
  const fallbacks = mergeFallbacks(sources, 'fallbacks');
  const timeouts = {
    ...(litellm && convertLitellmTimeouts(litellm, 'request_timeout', 'stream_timeout')),
    ...(router && convertLitellmTimeouts(router, 'timeout', 'stream_timeout')),
  };
  for (const source of sources) source.leaveOut(ROUTER_REASONS);
  const defaults = sources.flatMap((source) => source.texts('default_fallbacks'));
  return {
    ...readStrategy(router),
    retries: readRetries(litellm, router),
    timeouts,
    hasTimeouts: Object.keys(timeouts).length > 0,
    fallbacks,
    contextFallbacks: mergeFallbacks(sources, 'context_window_fallbacks'),
    defaultFallbacks: [...defaults, ...(fallbacks.get('*') ?? [])],
    aliases: new Map(sources.flatMap((source) => [...readAliases(source)])),
    isWildcardModel: (name) => wildcardPrefixes.has(name.split('/')[0] ?? '') && name.includes('/'),
    reportMissingFallbacks(isImported) {
      for (const source of sources) {
        for (const field of FALLBACK_FIELDS)
          for (const map of readFallbackMaps(source, field))
            for (const model of map.names())
              if (model !== '*' && model.includes('*'))
                map.note(model, 'not_imported', 'a Floe route with a wildcard has no fallback targets');
              else if (map.list(model).some((name) => typeof name === 'string' && !isImported(name)))
                map.note(model, 'changed', MISSING_FALLBACK_REASON);
        if (source.texts('default_fallbacks').some((name) => !isImported(name)))
          source.note('default_fallbacks', 'changed', MISSING_FALLBACK_REASON);
      }
    },
    rejectAlias(alias) {
      for (const source of sources)
        if (source.object('model_group_alias')?.has(alias))
          source
            .object('model_group_alias')
            ?.note(
              alias,
              'not_imported',
              'the model is not imported, or another route already has this name',
            );
    },
  };
}

function readStrategy(
  router: ImportSourceObject | undefined,
): Pick<LitellmRouterSettings, 'strategy' | 'isShuffle'> {
  const name = router?.text('routing_strategy') ?? 'simple-shuffle';
  if (name === 'simple-shuffle') return { strategy: 'weighted', isShuffle: true };
  if (name === 'latency-based-routing') {
    router?.note(
      'routing_strategy',
      'changed',
      'for routes with several deployments, became strategy: least_latency if the route has no fallbacks, and strategy: weighted if it has fallbacks',
    );
    return { strategy: 'least_latency', isShuffle: false };
  }
  router?.note(
    'routing_strategy',
    'changed',
    'Floe does not support this routing strategy; for routes with several deployments, it became strategy: weighted',
  );
  return { strategy: 'weighted', isShuffle: false };
}

/** Reads `num_retries` from the last source that has it. */
function readRetries(...sources: readonly (ImportSourceObject | undefined)[]): number | undefined {
  const having = sources.filter((source) => source?.number('num_retries') !== undefined);
  const source = having.pop();
  for (const other of having)
    other?.note('num_retries', 'not_imported', 'num_retries in router_settings takes precedence');
  const retries = source?.number('num_retries');
  if (retries === undefined) return undefined;
  const how =
    retries > MAX_RETRIES
      ? `became retries: ${MAX_RETRIES} (the maximum) on each route`
      : 'became the field retries of each route; this number applies to each target separately';
  source?.note('num_retries', 'changed', how);
  return Math.min(MAX_RETRIES, Math.floor(retries));
}

/** Reads a list of maps, or one map, from a model to its fallback models. */
function mergeFallbacks(
  sources: readonly ImportSourceObject[],
  field: string,
): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, readonly string[]>();
  for (const source of sources) {
    if (!source.has(field)) continue;
    for (const map of readFallbackMaps(source, field)) {
      for (const model of map.names()) all.set(model, readModels(map, model));
      map.finish();
    }
    const how =
      field === 'fallbacks'
        ? 'became additional targets of the routes'
        : 'became additional targets of the routes; Floe uses them after any failure that causes a failover, not only after the failures that this field is for';
    source.note(field, 'changed', how);
  }
  return all;
}

function readFallbackMaps(source: ImportSourceObject, field: string): readonly ImportSourceObject[] {
  const value = source.raw(field);
  return isPlainObject(value) ? [source.child(value, source.fieldPath(field))] : source.objects(field);
}

function readModels(map: ImportSourceObject, model: string): readonly string[] {
  const value = map.raw(model);
  if (typeof value === 'string') return [value];
  const objects = Array.isArray(value) ? value.filter(isPlainObject) : [];
  if (objects.length === 0) return map.texts(model);
  map.note(model, 'not_imported', 'Floe does not support fallbacks with their own parameters');
  return [];
}

/** Reads aliases: names to models, or to `{model, hidden}`. */
function readAliases(source: ImportSourceObject): ReadonlyMap<string, string> {
  const aliases = new Map<string, string>();
  const map = source.object('model_group_alias');
  for (const alias of map?.names() ?? []) {
    const value = map?.raw(alias);
    const detail = isPlainObject(value) && map ? map.child(value, map.fieldPath(alias)) : undefined;
    const model = detail ? detail.text('model') : map?.text(alias);
    detail?.leaveOut({ hidden: 'Floe has no setting that hides a route from the model list' });
    detail?.finish();
    if (model !== undefined) aliases.set(alias, model);
  }
  map?.finish();
  return aliases;
}
