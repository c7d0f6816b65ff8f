import { provider, providerCreation } from '@floe/contract/api/providers';
import { Fault } from '@floe/contract/faults';
import { type Verb, writeVerb } from '../verb.ts';
import { findProvider } from './found-provider.ts';
import type { ProviderHost } from './provider-host.ts';
import { putProvider } from './write.ts';

export function createProvider(host: ProviderHost): Verb {
  return writeVerb({
    name: 'providers.create',
    method: 'POST',
    path: '/api/management/providers',
    scope: 'management',
    summary: 'Create a provider; its keys are stored encrypted and bound to its address',
    body: providerCreation,
    answer: provider,
    status: 201,
    changes: 'config',
    async run(context, { body }) {
      const id = String(body['id']);
      if (await findProvider(context.writer, context.orgId, id, host.key))
        throw new Fault('conflict', `There is a provider "${id}" already.`, { param: 'id' });
      return putProvider(context, host, { fields: body, base: {}, before: null });
    },
  });
}
