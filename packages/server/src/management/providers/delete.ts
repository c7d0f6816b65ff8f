import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { removeProvider } from '../../platform/config/remove-provider.ts';
import { mustNotBeInFile } from '../in-file.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { findProvider, lentProvider, unknownProvider } from './found-provider.ts';
import type { ProviderHost } from './provider-host.ts';
import { providerView } from './view.ts';

export function deleteProvider(host: ProviderHost): Verb {
  return writeVerb({
    name: 'providers.delete',
    method: 'DELETE',
    path: '/api/management/providers/{id}',
    scope: 'management',
    summary: 'Remove a provider and its keys; not while a route names it',
    params: idParams,
    answer: z.null(),
    status: 204,
    changes: 'config',
    async run({ orgId, writer }, { params }) {
      const org = host.orgs(orgId);
      const found = await findProvider(writer, orgId, params.id, host.key);
      if (!found && lentProvider(host.orgs, orgId, params.id))
        throw new Fault(
          'conflict',
          'The environment of the process gives this provider; PATCH enabled: false takes it out of use.',
        );
      if (!found) throw unknownProvider();
      mustNotBeInFile('provider', found.row.id, found.row);
      await removeProvider(writer, found.row);
      const before = providerView(found, host, org);
      return { answer: null, audit: { subject: params.id, before, after: null } };
    },
  });
}
