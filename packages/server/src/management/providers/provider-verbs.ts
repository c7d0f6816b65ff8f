import type { Verb } from '../verb.ts';
import { createProvider } from './create.ts';
import { credentialVerbs } from './credentials.ts';
import { deleteProvider } from './delete.ts';
import { getProvider } from './get.ts';
import { listProviders } from './list.ts';
import type { ProviderHost } from './provider-host.ts';
import { putProviderVerb } from './replace.ts';
import { testCredential, testDraftProvider } from './test.ts';
import { updateProvider } from './update.ts';

/** Everything the API does with providers. */
export function providerVerbs(host: ProviderHost): readonly Verb[] {
  return [
    listProviders(host),
    getProvider(host),
    createProvider(host),
    updateProvider(host),
    putProviderVerb(host),
    deleteProvider(host),
    testDraftProvider(host),
    ...credentialVerbs(host),
    testCredential(host),
  ];
}
