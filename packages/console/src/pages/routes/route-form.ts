import type { routeResource } from '@floe/contract/api/routes';
import type * as z from 'zod';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';
import { routesText } from './text.ts';

/** A route as the API returns it. */
export type Route = z.output<typeof routeResource>;
/** How a route selects the order of its targets. */
export type RouteStrategy = Route['strategy'];

/** The form values of a target. */
export interface TargetFormValues {
  /**
   * Identifies the target while it is dragged, because two targets can have the same model. Not sent to the
   * API.
   */
  readonly key: string;
  readonly model: string;
  readonly weight: string;
}

const TIMEOUTS = ['connect_ms', 'headers_ms', 'first_token_ms', 'idle_ms', 'total_ms'] as const;
/** The name of a timeout that a route can override. */
export type TimeoutName = (typeof TIMEOUTS)[number];

/** The form values of a route. */
export interface RouteFormValues {
  readonly model: string;
  readonly enabled: boolean;
  readonly strategy: RouteStrategy;
  readonly targets: readonly TargetFormValues[];
  readonly retries: string;
  readonly rescue: Route['rescue'];
  /** Cache setting. Empty means the organization default. */
  readonly cache: 'on' | 'off' | '';
  /** Timeouts in seconds. The API uses milliseconds. */
  readonly timeouts: Readonly<Record<TimeoutName, string>>;
}

/** The timeouts that a route can override, with their labels. */
export const TIMEOUT_LABELS: readonly (readonly [TimeoutName, string])[] = [
  ['first_token_ms', routesText.timeouts.first_token_ms],
  ['idle_ms', routesText.timeouts.idle_ms],
  ['total_ms', routesText.timeouts.total_ms],
  ['connect_ms', routesText.timeouts.connect_ms],
  ['headers_ms', routesText.timeouts.headers_ms],
];

/** The strategies that the form offers, with their labels and descriptions. */
export const ROUTE_STRATEGY_OPTIONS = [
  { id: 'failover', ...routesText.strategies.failover },
  { id: 'weighted', ...routesText.strategies.weighted },
  { id: 'least_latency', ...routesText.strategies.least_latency },
] as const;

/** The cache settings that the form offers, with their labels. */
export const ROUTE_CACHE_OPTIONS = [
  { value: '', label: routesText.cacheOptions.default },
  { value: 'on', label: routesText.cacheOptions.on },
  { value: 'off', label: routesText.cacheOptions.off },
] as const;

/** Returns the cache setting for the value of a select option. */
export function parseRouteCacheOption(option: string): RouteFormValues['cache'] {
  return ROUTE_CACHE_OPTIONS.find(({ value }) => value === option)?.value ?? '';
}

/** The initial form values of a new route. */
export const NEW_ROUTE_FORM: RouteFormValues = {
  model: '',
  enabled: true,
  strategy: 'failover',
  targets: [],
  retries: '2',
  rescue: 'error',
  cache: '',
  timeouts: { connect_ms: '', headers_ms: '', first_token_ms: '', idle_ms: '', total_ms: '' },
};

/** Converts a route to form values. */
export function toRouteFormValues(route: Route): RouteFormValues {
  const seconds = (name: TimeoutName) => {
    const ms = route.timeouts[name];
    return ms === undefined ? '' : formatNumberField(ms / 1000);
  };
  return {
    model: route.model,
    enabled: route.enabled,
    strategy: route.strategy,
    targets: route.targets.map(({ model, weight }, index) => ({
      key: `${index} ${model}`,
      model,
      weight: formatNumberField(weight),
    })),
    retries: formatNumberField(route.retries),
    rescue: route.rescue,
    cache: route.cache ?? '',
    timeouts: {
      connect_ms: seconds('connect_ms'),
      headers_ms: seconds('headers_ms'),
      first_token_ms: seconds('first_token_ms'),
      idle_ms: seconds('idle_ms'),
      total_ms: seconds('total_ms'),
    },
  };
}

/** Converts the form to the request body, which has the same fields as a route in floe.yaml. */
export function toRouteBody(form: RouteFormValues) {
  const timeouts = TIMEOUTS.flatMap((name) => {
    const seconds = parseNumberField(form.timeouts[name]);
    if (seconds === null) return [];
    return [[name, typeof seconds === 'number' ? Math.round(seconds * 1000) : seconds]];
  });
  return {
    model: form.model.trim(),
    enabled: form.enabled,
    strategy: form.strategy,
    targets: form.targets.map(({ model, weight }) => ({
      model: model.trim(),
      weight: parseNumberField(weight) ?? 1,
    })),
    retries: parseNumberField(form.retries),
    rescue: form.rescue,
    cache: form.cache === '' ? null : form.cache,
    timeouts: Object.fromEntries(timeouts),
  };
}

/** The resource kind of routes. The list and the editor use it. */
export const ROUTE_RESOURCE_KIND: ConsoleResourceKind<Route, RouteFormValues> = {
  one: routesText.page.one,
  path: 'api/management/routes',
  touches: [['routes'], ['models']],
  needs: 'management',
  formOf: toRouteFormValues,
  bodyOf: toRouteBody,
  removal: ({ id, model }) => ({
    title: routesText.editor.removal.title(id),
    typed: id,
    effect: /[/*]/.test(model) ? routesText.editor.removal.pattern : routesText.editor.removal.alias(model),
  }),
};

/**
 * Returns the share of the requests that each target gets with the strategy `weighted`. If no weight is above
 * 0, all shares are 0.
 */
export function computeTargetShares(targets: readonly Pick<TargetFormValues, 'weight'>[]): number[] {
  const weights = targets.map(({ weight }) => {
    const value = parseNumberField(weight) ?? 1;
    return typeof value === 'number' && value > 0 ? value : 0;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (sum === 0 ? 0 : weight / sum));
}

/** Returns warnings about the targets. Warnings do not prevent saving. */
export function findRouteWarnings(
  { targets }: Pick<RouteFormValues, 'targets'>,
  unpricedModels: ReadonlySet<string> = new Set(),
): string[] {
  const models = targets.map(({ model }) => model.trim()).filter((model) => model !== '');
  const providers = new Set(models.map((model) => model.split('/')[0]));
  const twice = models.find((model, index) => models.indexOf(model) !== index);
  return [
    ...(models.length > 1 && providers.size === 1
      ? [routesText.warnings.oneProvider([...providers].join())]
      : []),
    ...(twice === undefined ? [] : [routesText.warnings.duplicate(twice)]),
    ...[...new Set(models)].filter((model) => unpricedModels.has(model)).map(routesText.warnings.noPrice),
  ];
}
