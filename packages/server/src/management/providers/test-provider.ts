import { credentialParams, credentialTestResult, providerTestInput } from '@floe/contract/api/providers';
import { Fault } from '@floe/contract/faults';
import { decryptProviderCredential } from '../../platform/config/provider-secrets.ts';
import { decryptStoredProvider } from '../../platform/config/stored-config.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import type { ProviderTestResult } from '../../providers/test-provider.ts';
import { recordCredentialTest } from '../../store/config-entries.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { requireReadableSecret } from '../readable-secret.ts';
import type { ProviderDependencies } from './provider-dependencies.ts';
import { buildProviderDraft } from './provider-draft.ts';
import {
  createStoredProviderLookup,
  listEnvironmentProviders,
  UNKNOWN_PROVIDER_MESSAGE,
} from './stored-providers.ts';

/**
 * Defines the operation that tests a stored key with one cheap real request. The status is 200 even
 * if the provider rejects the request, because the rejection is the result of the test.
 */
export function defineTestCredentialOperation(dependencies: ProviderDependencies): Operation {
  return defineReadOperation({
    name: 'credentials.test',
    method: 'POST',
    path: '/api/management/providers/{id}/credentials/{name}/test',
    scope: 'management',
    summary: 'Test a provider credential with a live request',
    params: credentialParams,
    answer: credentialTestResult,
    async run({ orgId, reader, clock }, { params }) {
      const found = await createStoredProviderLookup(dependencies.secretsKey).find(reader, orgId, params.id);
      const isOwn = found?.row.source === 'console';
      const row = isOwn ? found.credentials.find(({ name }) => name === params.name) : undefined;
      const org = dependencies.getLoadedOrg(orgId);
      const running = org.catalog.providers.get(params.id);
      if (
        !found &&
        !listEnvironmentProviders(org).some(({ environmentProvider }) => environmentProvider === running)
      )
        throw new Fault('not_found', UNKNOWN_PROVIDER_MESSAGE);
      const provider =
        found && row
          ? requireUsableProvider(
              dependencies,
              requireReadableSecret(() => decryptStoredProvider(found.row, [row], dependencies.secretsKey)),
            )
          : running;
      const known = provider?.credentials.some(({ name }) => name === params.name) ?? false;
      if (!provider || !known)
        throw new Fault('not_found', 'This provider is not enabled, or has no credential with this name.');
      const tried = await dependencies.testProvider(provider, provider.credential(params.name), null);
      const answer = toTestResource(tried);
      if (row)
        await dependencies.writeUnaudited((writer) =>
          recordCredentialTest(writer, row, JSON.stringify(answer), clock.now()),
        );
      return answer;
    },
  });
}

/**
 * Defines the operation that tests a provider that is not stored. Keys that are absent are taken
 * from the stored provider with the same id.
 */
export function defineTestDraftProviderOperation(dependencies: ProviderDependencies): Operation {
  return defineReadOperation({
    name: 'providers.test',
    method: 'POST',
    path: '/api/management/providers/test',
    scope: 'management',
    summary:
      'Test a provider without storing it, with its first credential; if `test_model` is set, Floe sends a short completion request',
    body: providerTestInput,
    answer: credentialTestResult,
    async run({ orgId, reader }, { body }) {
      const id = String(body['id']);
      const before = await createStoredProviderLookup(dependencies.secretsKey).find(reader, orgId, id);
      const own = before?.row.source === 'console' ? before : null;
      const { config, keys } = buildProviderDraft(dependencies, body, { id }, own);
      const credentials = config.credentials.map(({ name, weight }) => {
        const row = own?.credentials.find((one) => one.name === name);
        const stored = () => (row ? decryptProviderCredential(row, dependencies.secretsKey) : '');
        return { name, weight, api_key: keys.get(name) ?? requireReadableSecret(stored) };
      });
      const provider = requireUsableProvider(dependencies, { ...config, enabled: true, credentials });
      const model = typeof body['test_model'] === 'string' ? body['test_model'] : null;
      return toTestResource(await dependencies.testProvider(provider, provider.credential(), model));
    },
  });
}

function requireUsableProvider(
  dependencies: ProviderDependencies,
  config: Parameters<ProviderDependencies['configure']>[0],
): Provider {
  const result = dependencies.configure({ ...config, enabled: true });
  if ('problem' in result)
    throw new Fault('invalid_request', `The provider cannot be used: ${result.problem}`);
  return result.provider;
}

function toTestResource({ durationMs, asked, ...tried }: ProviderTestResult) {
  return { ...tried, method: asked, duration_ms: durationMs };
}
