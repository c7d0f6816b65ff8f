import { page, pageQuery } from '@floe/contract/api/page';
import { provider } from '@floe/contract/api/routes';
import type { ProviderConfig } from '@floe/contract/config';
import type { Provider } from '../../providers/configured.ts';
import { filePage, type RunningOrg, type RunningOrgs } from '../running-org.ts';
import { readVerb, type Verb } from '../verb.ts';

/** Providers of floe.yaml as they stand there, then those the environment gave. Secrets and headers stay here. */
export function listProviders(orgs: RunningOrgs): Verb {
  return readVerb({
    name: 'providers.list',
    method: 'GET',
    path: '/api/management/providers',
    scope: 'management',
    summary: 'List providers and their credentials by name, without any secret',
    query: pageQuery,
    answer: page(provider),
    async run({ orgId }, { query }) {
      return filePage(viewsOf(orgs(orgId)), ({ id }) => id, query);
    },
  });
}

function viewsOf({ config, catalog, lineOf }: RunningOrg) {
  const declared = config?.providers ?? [];
  const named = new Set(declared.map(({ id }) => id));
  const others = [...catalog.providers.values()].filter(({ id }) => !named.has(id));
  return [
    ...declared.map((entry, index) =>
      fromFile(entry, catalog.providers.get(entry.id), lineOf('providers', index)),
    ),
    ...others.map(fromEnvironment),
  ];
}

function fromFile(entry: ProviderConfig, running: Provider | undefined, line: number | null) {
  const { id, kind, enabled, models, credentials, billing, timeouts } = entry;
  return {
    id,
    kind,
    enabled,
    origin: running?.origin ?? null,
    models: [...models],
    dialects: [...(running?.dialects ?? [])],
    // A credential of the environment is not in the file.
    credentials: (running?.credentials ?? credentials).map(({ name, weight }) => ({ name, weight })),
    billing,
    timeouts: { ...timeouts },
    source: { kind: 'file' as const, line },
  };
}

function fromEnvironment({ id, sheet, origin, models, dialects, credentials, timeouts }: Provider) {
  const { connectMs, headersMs, firstTokenMs, idleMs, totalMs } = timeouts;
  return {
    id,
    kind: sheet.kind,
    enabled: true,
    origin,
    models: [...models],
    dialects: [...dialects],
    credentials: credentials.map(({ name, weight }) => ({ name, weight })),
    billing: 'metered' as const,
    timeouts: {
      connect_ms: connectMs,
      headers_ms: headersMs,
      first_token_ms: firstTokenMs,
      idle_ms: idleMs,
      total_ms: totalMs,
    },
    source: { kind: 'console' as const, line: null },
  };
}
