import type { Provider } from '../../providers/configured-provider.ts';
import type { Dialect } from '../../providers/provider-sheet.ts';
import type { ApiStyle } from '../opaque/resource-reference.ts';

/** Per style, the dialects whose addresses tell where the rest of the native API is, and what ends them. */
const STYLE_DIALECTS: Readonly<Record<ApiStyle, readonly (readonly [dialect: Dialect, end: string])[]>> = {
  a: [
    ['chat', '/chat/completions'],
    ['responses', '/responses'],
  ],
  b: [['messages', '/messages']],
};

/** Whether a provider has an API of this style. */
export function supportsApiStyle(provider: Provider, style: ApiStyle): boolean {
  return STYLE_DIALECTS[style].some(([dialect]) => supportsDialect(provider, dialect));
}

/** A host that only carries a dialect's bodies has nothing else of its API. */
function supportsDialect({ dialects, bodyShapeOf }: Provider, dialect: Dialect): boolean {
  return dialects.includes(dialect) && bodyShapeOf(dialect) === undefined;
}

/**
 * Address of a native path at a provider, with the query its settings bring. The dialects' own paths are where the
 * provider has them; everything else stands where they stand, with their end replaced.
 */
export function nativePath(
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
  // Where the model is part of the address, things without one stand above it.
  const bare = model === '' ? root.replace(/\/deployments\/[^/]*$/, '') : root;
  return `${bare}${path}${query === undefined ? '' : `?${query}`}`;
}
