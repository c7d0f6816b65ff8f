import { idParams } from '@floe/contract/api/page';
import { provider, providerChange } from '@floe/contract/api/providers';
import { refused } from '../input.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { baseOf } from './draft.ts';
import { findProvider, lentProvider, unknownProvider } from './found-provider.ts';
import type { ProviderHost } from './provider-host.ts';
import { putProvider } from './write.ts';

/** A provider that the environment gave becomes one of the store; it goes on with the key of the environment. */
export function updateProvider(host: ProviderHost): Verb {
  return writeVerb({
    name: 'providers.update',
    method: 'PATCH',
    path: '/api/management/providers/{id}',
    scope: 'management',
    summary: 'Change a provider; its keys stay, unless it moves to another address',
    params: idParams,
    body: providerChange,
    answer: provider,
    status: 200,
    changes: 'config',
    async run(context, { params, body }) {
      mustKeepId(params.id, body['id']);
      const before = await findProvider(context.writer, context.orgId, params.id, host.key);
      const base = before ? baseOf(before) : lentProvider(host.orgs, context.orgId, params.id);
      if (!base) throw unknownProvider();
      return putProvider(context, host, { fields: body, base, before });
    },
  });
}

/** @throws Fault `invalid_request`: analytics, routes and breakers know a provider by its id */
export function mustKeepId(id: string, given: unknown): void {
  if (given !== undefined && given !== null && given !== id)
    throw refused({ path: ['id'], message: 'is not the one of the path; an id never changes' });
}
