import type { routeResource } from '@floe/contract/api/routes';
import type * as z from 'zod';
import type { ConsoleResourceKind } from '../../data/resource-kind.ts';
import { formatNumberField, parseNumberField } from '../../format/number-field.ts';

export type Route = z.output<typeof routeResource>;
export type Strategy = Route['strategy'];

export interface TargetForm {
  /** Tells targets apart while they are dragged; two may name the same model for a moment. */
  readonly key: string;
  readonly model: string;
  readonly weight: string;
}

const TIMEOUTS = ['connect_ms', 'headers_ms', 'first_token_ms', 'idle_ms', 'total_ms'] as const;
export type TimeoutName = (typeof TIMEOUTS)[number];

export interface RouteForm {
  readonly model: string;
  readonly enabled: boolean;
  readonly strategy: Strategy;
  readonly targets: readonly TargetForm[];
  readonly retries: string;
  readonly rescue: Route['rescue'];
  /** Empty: as the org says. */
  readonly cache: 'on' | 'off' | '';
  /** In seconds, as people think of them. */
  readonly timeouts: Readonly<Record<TimeoutName, string>>;
}

export const TIMEOUT_LABELS: readonly (readonly [TimeoutName, string])[] = [
  ['first_token_ms', 'First token within'],
  ['idle_ms', 'Longest gap in a stream'],
  ['total_ms', 'Whole attempt'],
  ['connect_ms', 'Connection'],
  ['headers_ms', 'First byte'],
];

export const STRATEGIES = [
  { id: 'failover', label: 'In order', does: 'The first target takes all; the next one when it fails.' },
  {
    id: 'weighted',
    label: 'By weight',
    does: 'Each target gets its share; the others step in when it fails.',
  },
  {
    id: 'least_latency',
    label: 'Fastest',
    does: 'The target whose first token came soonest lately goes first.',
  },
] as const;

export const CACHE_CHOICES = [
  { value: '', label: 'As the org says' },
  { value: 'on', label: 'On for this route' },
  { value: 'off', label: 'Off for this route' },
] as const;

export function cacheChoice(text: string): RouteForm['cache'] {
  return CACHE_CHOICES.find(({ value }) => value === text)?.value ?? '';
}

export const EMPTY_ROUTE: RouteForm = {
  model: '',
  enabled: true,
  strategy: 'failover',
  targets: [],
  retries: '2',
  rescue: 'error',
  cache: '',
  timeouts: { connect_ms: '', headers_ms: '', first_token_ms: '', idle_ms: '', total_ms: '' },
};

export function routeForm(route: Route): RouteForm {
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

/** What the API is sent: the route as floe.yaml would have it. */
export function routeBody(form: RouteForm) {
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

/** Routes, as their editor and list handle them. */
export const ROUTES: ConsoleResourceKind<Route, RouteForm> = {
  one: 'route',
  path: 'api/management/routes',
  touches: [['routes'], ['models']],
  needs: 'management',
  formOf: routeForm,
  bodyOf: routeBody,
  removal: ({ id, model }) => ({
    title: `Delete route ${id}?`,
    typed: id,
    effect: /[/*]/.test(model)
      ? 'Requests for it go straight to their provider.'
      : `Requests for ${model} answer 404: nothing else has this name.`,
  }),
};

/** The share of the traffic of each target with `weighted`; zeros while no weight is a number above zero. */
export function sharesOf(targets: readonly Pick<TargetForm, 'weight'>[]): number[] {
  const weights = targets.map(({ weight }) => {
    const value = parseNumberField(weight) ?? 1;
    return typeof value === 'number' && value > 0 ? value : 0;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (sum === 0 ? 0 : weight / sum));
}

/** What is worth a second look before it is saved; nothing here stops anybody. */
export function routeWarnings({ targets }: Pick<RouteForm, 'targets'>): string[] {
  const models = targets.map(({ model }) => model.trim()).filter((model) => model !== '');
  const providers = new Set(models.map((model) => model.split('/')[0]));
  const twice = models.find((model, index) => models.indexOf(model) !== index);
  return [
    ...(models.length > 1 && providers.size === 1
      ? [`All targets are at ${[...providers][0]}: when it is away, so is this route.`]
      : []),
    ...(twice === undefined ? [] : [`${twice} stands here twice.`]),
  ];
}
