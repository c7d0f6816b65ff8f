import { providers } from '../resources/providers.ts';
import { resourceVerbs } from '../resources/verbs.ts';
import type { Verb } from '../verb.ts';
import { credentialVerbs } from './credentials.ts';
import type { ProviderHost } from './provider-host.ts';
import { testCredential, testDraftProvider } from './test.ts';

/** Everything the API does with providers. */
export function providerVerbs(host: ProviderHost): readonly Verb[] {
  return [
    ...resourceVerbs(providers(host)),
    testDraftProvider(host),
    ...credentialVerbs(host),
    testCredential(host),
  ];
}
