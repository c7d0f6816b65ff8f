import { RouteSchema } from '@floe/contract/config/routing';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { Catalog } from '../../gateway/catalog.ts';
import { compileRoute } from '../../gateway/compile-catalogs.ts';
import { parseConfigEntry } from '../entries/parse-config-entry.ts';
import type { RunningOrg } from '../running-org.ts';
import { castToJson } from '../validate-input.ts';

/**
 * What the org would run with if a draft of a route were saved: it takes the place of the route it stands for, or
 * comes last. One that is switched off takes no request.
 *
 * @param providers ids of what its targets may name
 * @throws Fault `invalid_request`; `param` is the place in the draft
 */
export function applyRouteDraft(
  org: RunningOrg,
  providers: readonly string[],
  draft: Readonly<Record<string, unknown>>,
  replaces?: string,
): RunningOrg {
  const json = castToJson(draft);
  // Null is the default, as where a route is written.
  const given = Object.entries(isObject(json) ? json : {}).filter(([, value]) => value !== null);
  const entry: JsonObject = Object.fromEntries(given);
  const config = parseConfigEntry({
    section: 'routes',
    schema: RouteSchema,
    entry,
    providers,
  });
  const routes = [...org.catalog.routes];
  const compiled = config.enabled ? [compileRoute(config)] : [];
  const place = routes.findIndex(({ model }) => model === (replaces ?? config.model));
  if (place === -1) routes.push(...compiled);
  else routes.splice(place, 1, ...compiled);
  const catalog: Catalog = { ...org.catalog, routes };
  return { ...org, catalog };
}
