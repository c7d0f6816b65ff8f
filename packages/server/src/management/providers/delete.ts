import { idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { routeOf } from '../../platform/config/stored-config.ts';
import { entriesOfOrg, removeCredential, removeEntry } from '../../store/config-entries.ts';
import type { Reader } from '../../store/ports.ts';
import { mustNotBeInFile } from '../in-file.ts';
import { storedSections } from '../settings/sections-of.ts';
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
      await mustBeUnused(writer, orgId, params.id);
      for (const row of found.credentials) await removeCredential(writer, row.id);
      await removeEntry(writer, found.row);
      const before = providerView(found, host, org);
      return { answer: null, audit: { subject: params.id, before, after: null } };
    },
  });
}

/** @throws Fault `conflict` naming what needs it */
async function mustBeUnused(reader: Reader, orgId: string, id: string): Promise<void> {
  const routes = (await entriesOfOrg(reader, orgId, 'routes')).map(routeOf);
  const route = routes.find(({ targets }) => targets.some(({ model }) => model.startsWith(`${id}/`)));
  if (route)
    throw new Fault('conflict', `The route "${route.model}" sends to this provider; change the route first.`);
  const { passthrough } = (await storedSections(reader, orgId)).settings;
  for (const surface of ['a', 'b'] as const)
    if (passthrough[surface].some(({ provider }) => provider === id))
      throw new Fault('conflict', `The setting passthrough.${surface} names this provider; change it first.`);
}
