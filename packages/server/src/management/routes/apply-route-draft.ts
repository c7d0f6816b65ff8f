import { RouteSchema } from '@floe/contract/config/routing';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { compileRoute } from '../../gateway/compile-catalogs.ts';
import type { OrgCatalog } from '../../gateway/org-catalog.ts';
import { parseConfigEntry } from '../entries/parse-config-entry.ts';
import { requireEntryCountWithinLimit } from '../find-invalid-entry.ts';
import type { LoadedOrg } from '../loaded-org.ts';
import { castToJson } from '../validate-input.ts';

/**
 * Returns the organization's configuration with a draft route applied. The draft replaces the route
 * that it edits, or is appended. A disabled draft receives no requests.
 *
 * @param providers the provider ids that the draft's targets may use
 * @throws Fault `invalid_request`; `param` is the path in the draft
 */
export function applyRouteDraft(
  org: LoadedOrg,
  providers: readonly string[],
  draft: Readonly<Record<string, unknown>>,
  replaces?: string,
): LoadedOrg {
  const json = castToJson(draft);
  requireEntryCountWithinLimit(RouteSchema, json);
  // Null means the default, as when a route is written.
  const given = Object.entries(isJsonObject(json) ? json : {}).filter(([, value]) => value !== null);
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
  const catalog: OrgCatalog = { ...org.catalog, routes };
  return { ...org, catalog };
}
