import type { ModelPatternMatcher } from '../core/model-pattern.ts';
import { type CompiledRoute, type OrgCatalog, parseModelId, resolveTargetModel } from './org-catalog.ts';

/** Returns the aliases that a key may use. */
export function listAliases(catalog: OrgCatalog, mayUse: ModelPatternMatcher): readonly string[] {
  return listAliasRoutes(catalog)
    .filter(({ model }) => mayUse(model))
    .filter(({ targets }) =>
      targets.some((entry) => typeof resolveTargetModel(catalog, mayUse, entry) !== 'string'),
    )
    .map(({ model }) => model);
}

/** The routes with an alias, by catalog. They stay valid, because a catalog does not change. */
const ALIAS_ROUTES = new WeakMap<OrgCatalog, readonly CompiledRoute[]>();

/**
 * Returns the routes that define an alias: a name that is neither a pattern nor a model of a provider, and that no
 * earlier route matches.
 */
export function listAliasRoutes(catalog: OrgCatalog): readonly CompiledRoute[] {
  const routes = ALIAS_ROUTES.get(catalog) ?? findAliasRoutes(catalog);
  ALIAS_ROUTES.set(catalog, routes);
  return routes;
}

function findAliasRoutes({ providers, routes }: OrgCatalog): readonly CompiledRoute[] {
  const seen = new Set<string>();
  const patterns: CompiledRoute[] = [];
  return routes.filter((route) => {
    const { model, targets } = route;
    if (model.includes('*')) patterns.push(route);
    // An earlier route can match the same name.
    const isShadowed = seen.has(model) || patterns.some(({ matches }) => matches(model));
    seen.add(model);
    return !isShadowed && targets.length > 0 && !providers.has(parseModelId(model)?.provider ?? '');
  });
}
