import { page, pageQuery } from '@floe/contract/api/page';
import { route } from '@floe/contract/api/routes';
import type { RouteConfig } from '@floe/contract/config';
import { filePage, type RunningOrgs } from '../running-org.ts';
import { readVerb, type Verb } from '../verb.ts';

export function listRoutes(orgs: RunningOrgs): Verb {
  return readVerb({
    name: 'routes.list',
    method: 'GET',
    path: '/api/management/routes',
    scope: 'management',
    summary: 'List routes in the order in which a model id is looked up',
    query: pageQuery,
    answer: page(route),
    async run({ orgId }, { query }) {
      const { config, lineOf } = orgs(orgId);
      const all = (config?.routes ?? []).map((entry, index) => view(entry, lineOf('routes', index)));
      return filePage(all, ({ model }) => model, query);
    },
  });
}

function view({ targets, timeouts, chat_reasoning, ...entry }: RouteConfig, line: number | null) {
  return {
    model: entry.model,
    strategy: entry.strategy,
    targets: targets.map(({ model, weight }) => ({ model, weight })),
    retries: entry.retries,
    rescue: entry.rescue,
    timeouts: { ...timeouts },
    chat_reasoning: chat_reasoning ?? null,
    source: { kind: 'file' as const, line },
  };
}
