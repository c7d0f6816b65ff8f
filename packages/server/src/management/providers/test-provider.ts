import { credentialParams, credentialTest, providerTest } from '@floe/contract/api/providers';
import { Fault } from '@floe/contract/faults';
import { openProvider } from '../../platform/config/stored-config.ts';
import type { Provider } from '../../providers/configured.ts';
import type { Tried } from '../../providers/try-provider.ts';
import { noteTest } from '../../store/config-entries.ts';
import { readVerb, type Verb } from '../verb.ts';
import { lentProviders, storedProviders, UNKNOWN_PROVIDER } from './found-provider.ts';
import { providerDraft } from './provider-draft.ts';
import type { ProviderHost } from './provider-host.ts';

/** One cheap real call with a stored key. The answer is a 200 either way: a refusal is what the test finds out. */
export function testCredential(host: ProviderHost): Verb {
  return readVerb({
    name: 'credentials.test',
    method: 'POST',
    path: '/api/management/providers/{id}/credentials/{name}/test',
    scope: 'management',
    summary: 'Ask the provider with this key now; tells what happened in plain words',
    params: credentialParams,
    answer: credentialTest,
    async run({ orgId, reader, clock }, { params }) {
      const found = await storedProviders(host.key).find(reader, orgId, params.id);
      const isOwn = found?.row.source === 'console';
      const row = isOwn ? found.credentials.find(({ name }) => name === params.name) : undefined;
      const org = host.orgs(orgId);
      const running = org.catalog.providers.get(params.id);
      if (!found && !lentProviders(org).some(({ lent }) => lent === running))
        throw new Fault('not_found', UNKNOWN_PROVIDER);
      const provider = found && row ? configured(host, openProvider(found.row, [row], host.key)) : running;
      const known = provider?.credentials.some(({ name }) => name === params.name) ?? false;
      if (!provider || !known)
        throw new Fault('not_found', 'This provider is not in use, or has no credential of this name.');
      const tried = await host.tryOut(provider, provider.credential(params.name), null);
      const answer = shown(tried);
      if (row) await host.write((writer) => noteTest(writer, row, JSON.stringify(answer), clock.now()));
      return answer;
    },
  });
}

/** The same for a provider that is not stored; keys that it leaves out are those of the stored one of its id. */
export function testDraftProvider(host: ProviderHost): Verb {
  return readVerb({
    name: 'providers.test',
    method: 'POST',
    path: '/api/management/providers/test',
    scope: 'management',
    summary: 'Ask a provider that is not stored yet with its first key, or `test_model` for one word',
    body: providerTest,
    answer: credentialTest,
    async run({ orgId, reader }, { body }) {
      const id = String(body['id']);
      const before = await storedProviders(host.key).find(reader, orgId, id);
      const own = before?.row.source === 'console' ? before : null;
      const { config, keys } = providerDraft(host, body, { id }, own);
      const stored = own ? openProvider(own.row, own.credentials, host.key).credentials : [];
      const credentials = config.credentials.map(({ name, weight }) => ({
        name,
        weight,
        api_key: keys.get(name) ?? stored.find((one) => one.name === name)?.api_key ?? '',
      }));
      const provider = configured(host, { ...config, enabled: true, credentials });
      const model = typeof body['test_model'] === 'string' ? body['test_model'] : null;
      return shown(await host.tryOut(provider, provider.credential(), model));
    },
  });
}

function configured(host: ProviderHost, config: Parameters<ProviderHost['configure']>[0]): Provider {
  const done = host.configure({ ...config, enabled: true });
  if ('problem' in done) throw new Fault('invalid_request', `The provider cannot be used: ${done.problem}`);
  return done.provider;
}

function shown({ durationMs, ...tried }: Tried) {
  return { ...tried, duration_ms: durationMs };
}
