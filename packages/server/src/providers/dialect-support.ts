import { compilePatterns, type Matcher } from '../core/pattern.ts';
import type {
  BodyShape,
  Dialect,
  DialectEndpoint,
  DialectPaths,
  EndpointPath,
  ProviderSheet,
} from './provider-sheet.ts';

/** Which dialects a provider speaks, for which models and where; model ids are those asked for. */
export interface DialectSupport {
  readonly dialects: readonly Dialect[];
  /** Whether a request of this dialect for this model can be forwarded. */
  supportsDialect(dialect: Dialect, model: string): boolean;
  /** The one to translate into for a model. */
  dialectFor(model: string): Dialect;
  /** Path of a dialect it speaks; `upstreamModel` is the upstream's name. */
  pathOf(dialect: Dialect, upstreamModel: string, stream: boolean): string;
  bodyShapeOf(dialect: Dialect): BodyShape | undefined;
}

export interface DialectSupportSettings {
  readonly sheet: ProviderSheet;
  readonly dialectPaths: DialectPaths;
  /** Dialects the operator says it speaks, instead of the sheet's. */
  readonly dialects: readonly Dialect[] | undefined;
  /** Path of the base address, without a trailing slash. */
  readonly prefix: string;
  readonly query: string | undefined;
  /** Values of the placeholders in paths, by name. */
  readonly placeholders: Readonly<Record<string, string | undefined>>;
  readonly upstreamModel: (model: string) => string;
}

export function createDialectSupport(settings: DialectSupportSettings): DialectSupport {
  const { sheet, dialectPaths, prefix, query, placeholders, upstreamModel } = settings;
  const dialects = settings.dialects ?? orderedDialects(dialectPaths);
  const endpoints = new Map(
    dialects.map((dialect) => [dialect, dialectPaths[dialect] ?? DEFAULT_PATHS[dialect]]),
  );
  const serves = new Map(
    [...endpoints].map(([dialect, path]) => [dialect, endpointMatcher(path, upstreamModel)] as const),
  );
  const speaksOf = (dialect: Dialect, model: string) => serves.get(dialect)?.(model) ?? false;
  return {
    dialects,
    supportsDialect: speaksOf,
    dialectFor: preferredDialect(sheet, dialects, speaksOf, upstreamModel),
    pathOf(dialect, model, stream) {
      const spoken = endpoints.get(dialect) ?? DEFAULT_PATHS[dialect];
      const path = typeof spoken === 'string' ? spoken : stream ? spoken.streaming : spoken.nonStreaming;
      const whole = fillPlaceholders(`${prefix}${path}`, { ...placeholders, model });
      return query === undefined ? whole : `${whole}${whole.includes('?') ? '&' : '?'}${query}`;
    },
    bodyShapeOf(dialect) {
      const spoken = endpoints.get(dialect);
      return typeof spoken === 'object' ? spoken.shape : undefined;
    },
  };
}

/** Where hosts that copy a dialect put it, below a base address that ends in `/v1`. */
const DEFAULT_PATHS: Readonly<Record<Dialect, EndpointPath>> = {
  chat: '/chat/completions',
  responses: '/responses',
  messages: '/messages',
  gemini: {
    nonStreaming: '/models/{model}:generateContent',
    streaming: '/models/{model}:streamGenerateContent?alt=sse',
  },
  converse: { nonStreaming: '/model/{model}/converse', streaming: '/model/{model}/converse-stream' },
  cohere: '/chat',
};

/** A text with its `{name}` places filled in, each as one path segment. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    // `@` is a plain character of paths (RFC 3986, 3.3), and versions of models are written with it.
    return value === undefined ? place : encodeURIComponent(value).replaceAll('%40', '@');
  });
}

/** In the order the sheet names them. */
function orderedDialects(speaks: DialectPaths): Dialect[] {
  const names: readonly Dialect[] = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'];
  const order = Object.keys(speaks);
  return names.filter((name) => order.includes(name)).sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

function endpointMatcher(path: EndpointPath, upstreamModel: (model: string) => string): Matcher {
  const models = endpointModels(path);
  return models === undefined ? () => true : matchModelOrUpstreamName(models, upstreamModel);
}

function endpointModels(path: EndpointPath): DialectEndpoint['models'] {
  return typeof path === 'string' ? undefined : path.models;
}

/** A preference for a dialect the operator took away does not count. */
function preferredDialect(
  sheet: ProviderSheet,
  dialects: readonly Dialect[],
  speaks: (dialect: Dialect, model: string) => boolean,
  upstreamModel: (model: string) => string,
): (model: string) => Dialect {
  const [first] = dialects;
  if (first === undefined) throw new Error(`${sheet.kind} speaks no dialect`);
  const preferences = (sheet.dialectPreferences ?? [])
    .filter(({ dialect }) => dialects.includes(dialect))
    .map(({ models, dialect }) => ({ holdsFor: matchModelOrUpstreamName(models, upstreamModel), dialect }));
  return (model) =>
    preferences.find(({ holdsFor }) => holdsFor(model))?.dialect ??
    dialects.find((dialect) => speaks(dialect, model)) ??
    first;
}

/** Sheets know models by their public ids; with deployments that is either the id asked for or the upstream's. */
export function matchModelOrUpstreamName(
  models: readonly string[],
  upstreamModel: (model: string) => string,
): Matcher {
  const matches = compilePatterns(models);
  return (model) => matches(model) || matches(upstreamModel(model));
}
