import { providers } from '../resources/providers.ts';
import { resourceVerbs } from '../resources/resource-verbs.ts';
import type { Verb } from '../verb.ts';
import { credentialVerbs } from './provider-credentials.ts';
import type { ProviderHost } from './provider-host.ts';
import { testCredential, testDraftProvider } from './test-provider.ts';

/** Everything the API does with providers. */
export function providerVerbs(host: ProviderHost): readonly Verb[] {
  return [
    ...resourceVerbs(providers(host)),
    testDraftProvider(host),
    ...credentialVerbs(host),
    testCredential(host),
  ];
}
