import { idParams } from '@floe/contract/api/page';
import { provider, providerReplacement } from '@floe/contract/api/providers';
import { type Verb, writeVerb } from '../verb.ts';
import { findProvider } from './found-provider.ts';
import type { ProviderHost } from './provider-host.ts';
import { mustKeepId } from './update.ts';
import { putProvider } from './write.ts';

/** Takes what `GET` returned. Settings that are absent return to their default; secrets that are absent stay. */
export function putProviderVerb(host: ProviderHost): Verb {
  return writeVerb({
    name: 'providers.replace',
    method: 'PUT',
    path: '/api/management/providers/{id}',
    scope: 'management',
    summary: 'Create or replace the provider with this id',
    params: idParams,
    body: providerReplacement,
    answer: provider,
    status: 200,
    changes: 'config',
    async run(context, { params, body }) {
      mustKeepId(params.id, body['id']);
      const before = await findProvider(context.writer, context.orgId, params.id, host.key);
      return putProvider(context, host, { fields: body, base: { id: params.id }, before });
    },
  });
}
