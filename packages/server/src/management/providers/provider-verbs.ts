import { createProviderKind } from '../resources/providers.ts';
import { resourceVerbs } from '../resources/resource-verbs.ts';
import type { Verb } from '../verb.ts';
import { credentialVerbs } from './credential-verbs.ts';
import type { ProviderDependencies } from './provider-dependencies.ts';
import { testCredentialVerb, testDraftProviderVerb } from './test-provider.ts';

/** All verbs for providers. */
export function providerVerbs(dependencies: ProviderDependencies): readonly Verb[] {
  return [
    ...resourceVerbs(createProviderKind(dependencies)),
    testDraftProviderVerb(dependencies),
    ...credentialVerbs(dependencies),
    testCredentialVerb(dependencies),
  ];
}
