import { listQuery, page } from '@floe/contract/api/page';
import { provider } from '@floe/contract/api/providers';
import { ProviderSchema } from '@floe/contract/config/providers';
import { openProviderSecrets } from '../../platform/config/provider-secrets.ts';
import { SecretUnreadable } from '../../platform/secrets.ts';
import { credentialsOf, type EntryRow, entriesOfOrg } from '../../store/config-entries.ts';
import { listPage } from '../list-page.ts';
import { readVerb, type Verb } from '../verb.ts';
import { lentProvider, NOTHING_SEALED } from './found-provider.ts';
import type { ProviderHost } from './provider-host.ts';
import { lentView, providerView } from './view.ts';

/** Providers of floe.yaml as they stand there, then those the API made, then those the environment gave. */
export function listProviders(host: ProviderHost): Verb {
  return readVerb({
    name: 'providers.list',
    method: 'GET',
    path: '/api/management/providers',
    scope: 'management',
    summary: 'List providers and their credentials by name, without any secret',
    query: listQuery(['position']),
    answer: page(provider),
    async run({ orgId, reader }, { query }) {
      const rows = await entriesOfOrg(reader, orgId, 'providers');
      const credentials = await credentialsOf(reader, orgId);
      const org = host.orgs(orgId);
      const stored = rows.map((row) =>
        providerView(
          {
            row,
            credentials: credentials.filter(({ provider_id }) => provider_id === row.id),
            secrets: secretsOf(row, host),
          },
          host,
          org,
        ),
      );
      const lent = [...org.catalog.providers.values()].flatMap((running) => {
        const known = rows.some(({ id }) => id === running.id);
        const config = known ? null : lentProvider(host.orgs, orgId, running.id);
        return config ? [lentView(running, ProviderSchema.parse(config))] : [];
      });
      return listPage(
        [...stored, ...lent],
        ({ id, created_at }) => ({ id, at: created_at === null ? null : Date.parse(created_at) }),
        query,
      );
    },
  });
}

/** One provider that cannot be read does not hide the others. */
function secretsOf(row: EntryRow, { key }: ProviderHost) {
  try {
    return openProviderSecrets(row, key);
  } catch (error) {
    if (error instanceof SecretUnreadable) return NOTHING_SEALED;
    throw error;
  }
}
