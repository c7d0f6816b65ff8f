import { idParams } from '@floe/contract/api/page';
import { provider } from '@floe/contract/api/providers';
import { ProviderSchema } from '@floe/contract/config/providers';
import { readVerb, type Verb } from '../verb.ts';
import { findProvider, lentProvider, unknownProvider } from './found-provider.ts';
import type { ProviderHost } from './provider-host.ts';
import { lentView, providerView } from './view.ts';

export function getProvider(host: ProviderHost): Verb {
  return readVerb({
    name: 'providers.get',
    method: 'GET',
    path: '/api/management/providers/{id}',
    scope: 'management',
    summary: 'Read one provider, without any secret',
    live: ['origin', 'problem', 'speaks', 'credentials.tested_at', 'credentials.test'],
    params: idParams,
    answer: provider,
    async run({ orgId, reader }, { params }) {
      const org = host.orgs(orgId);
      const found = await findProvider(reader, orgId, params.id, host.key);
      if (found) return providerView(found, host, org);
      const lent = lentProvider(host.orgs, orgId, params.id);
      const running = org.catalog.providers.get(params.id);
      if (!lent || !running) throw unknownProvider();
      return lentView(running, ProviderSchema.parse(lent));
    },
  });
}
