import { compileModelPatterns, type ModelPatternMatcher } from '../core/model-pattern.ts';
import type {
  Dialect,
  DialectEndpoint,
  DialectEndpointOrPath,
  EndpointRequestAdjustments,
  EndpointsByDialect,
  ProviderDefinition,
} from './provider-definition.ts';

/**
 * The dialects that a provider supports for each model, and their paths. Model ids are those that clients
 * request.
 */
export interface DialectSupport {
  readonly dialects: readonly Dialect[];
  /** Returns whether a request of this dialect can be forwarded for this model. */
  supportsDialect(dialect: Dialect, model: string): boolean;
  /** Returns the dialect into which requests for a model are translated if they cannot be forwarded. */
  dialectFor(model: string): Dialect;
  /** Returns the path of a supported dialect. `upstreamModel` is the provider's name of the model. */
  pathOf(dialect: Dialect, upstreamModel: string, stream: boolean): string;
  bodyShapeOf(dialect: Dialect): EndpointRequestAdjustments | undefined;
}

/** The settings that determine the dialects and paths of a provider. */
export interface DialectSupportSettings {
  readonly definition: ProviderDefinition;
  readonly dialectPaths: EndpointsByDialect;
  /** Configured dialects. They replace those of the definition. */
  readonly dialects: readonly Dialect[] | undefined;
  /** Path of the base URL, without a trailing slash. */
  readonly prefix: string;
  readonly query: string | undefined;
  /** Values of the placeholders in paths, by name. */
  readonly placeholders: Readonly<Record<string, string | undefined>>;
  readonly upstreamModel: (model: string) => string;
}

/**
 * Computes a provider's dialects and paths.
 * @throws Error if the provider supports no dialect
 */
export function createDialectSupport(settings: DialectSupportSettings): DialectSupport {
  const { definition, dialectPaths, prefix, query, placeholders, upstreamModel } = settings;
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
    dialectFor: preferredDialect(definition, dialects, speaksOf, upstreamModel),
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

/** Paths below a base URL that ends with `/v1`, as most compatible providers use them. */
const DEFAULT_PATHS: Readonly<Record<Dialect, DialectEndpointOrPath>> = {
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

/** Replaces `{name}` placeholders in a text. Each value is encoded as one path segment. */
export function fillPlaceholders(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    // `@` is allowed in paths (RFC 3986, section 3.3), and versions of models contain it.
    return value === undefined ? place : encodeURIComponent(value).replaceAll('%40', '@');
  });
}

/** Returns the dialects in the order of the definition. */
function orderedDialects(speaks: EndpointsByDialect): Dialect[] {
  const names: readonly Dialect[] = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'];
  const order = Object.keys(speaks);
  return names.filter((name) => order.includes(name)).sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

function endpointMatcher(
  path: DialectEndpointOrPath,
  upstreamModel: (model: string) => string,
): ModelPatternMatcher {
  const models = endpointModels(path);
  return models === undefined ? () => true : compileModelMatcher(models, upstreamModel);
}

function endpointModels(path: DialectEndpointOrPath): DialectEndpoint['models'] {
  return typeof path === 'string' ? undefined : path.models;
}

/**
 * Returns a function that finds the preferred dialect for a model. Ignores preferences for a dialect that the
 * configuration does not list.
 */
function preferredDialect(
  definition: ProviderDefinition,
  dialects: readonly Dialect[],
  speaks: (dialect: Dialect, model: string) => boolean,
  upstreamModel: (model: string) => string,
): (model: string) => Dialect {
  const [first] = dialects;
  if (first === undefined) throw new Error(`${definition.kind} supports no dialect`);
  const preferences = (definition.dialectPreferences ?? [])
    .filter(({ dialect }) => dialects.includes(dialect))
    .map(({ models, dialect }) => ({ holdsFor: compileModelMatcher(models, upstreamModel), dialect }));
  return (model) =>
    preferences.find(({ holdsFor }) => holdsFor(model))?.dialect ??
    dialects.find((dialect) => speaks(dialect, model)) ??
    first;
}

/**
 * Returns a matcher for the model patterns in a provider definition. The patterns contain public model ids.
 * With deployments, a pattern matches the requested id or the provider's name for the model.
 */
export function compileModelMatcher(
  models: readonly string[],
  upstreamModel: (model: string) => string,
): ModelPatternMatcher {
  const matches = compileModelPatterns(models);
  return (model) => matches(model) || matches(upstreamModel(model));
}
