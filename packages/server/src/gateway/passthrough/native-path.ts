import type { Provider } from '../../providers/configured-provider.ts';
import type { Dialect } from '../../providers/provider-definition.ts';
import type { ApiStyle } from '../opaque/resource-reference.ts';

/**
 * For each style, the dialects whose paths contain the base path of the native API, and the suffix of these
 * paths.
 */
const STYLE_DIALECTS: Readonly<Record<ApiStyle, readonly (readonly [dialect: Dialect, end: string])[]>> = {
  a: [
    ['chat', '/chat/completions'],
    ['responses', '/responses'],
  ],
  b: [['messages', '/messages']],
};

/** Returns whether a provider has an API of this style. */
export function hasApiStyle(provider: Provider, style: ApiStyle): boolean {
  return STYLE_DIALECTS[style].some(([dialect]) => supportsDialect(provider, dialect));
}

/**
 * Returns whether a provider has the API of a dialect. A host that only accepts bodies of the dialect does
 * not have the rest of its API.
 */
function supportsDialect({ dialects, bodyShapeOf }: Provider, dialect: Dialect): boolean {
  return dialects.includes(dialect) && bodyShapeOf(dialect) === undefined;
}

/**
 * Returns the path of a native API request at a provider, including the configured query. Uses the provider's
 * own path if the request belongs to a dialect. Otherwise, replaces the end of such a path with the requested
 * path.
 */
export function buildNativePath(
  provider: Provider,
  style: ApiStyle,
  segments: readonly string[],
  model: string,
): string {
  const path = `/${segments.join('/')}`;
  const spoken = STYLE_DIALECTS[style].filter(([dialect]) => supportsDialect(provider, dialect));
  const own = spoken.find(([, end]) => end === path);
  const [dialect, end] = own ?? spoken[0] ?? ['chat', '/chat/completions'];
  const [anchor = '', query] = provider.pathOf(dialect, model, false).split('?');
  const root = anchor.endsWith(end) ? anchor.slice(0, -end.length) : anchor;
  // If the path contains the model, resources without a model are above it.
  const bare = model === '' ? root.replace(/\/deployments\/[^/]*$/, '') : root;
  return `${bare}${path}${query === undefined ? '' : `?${query}`}`;
}
