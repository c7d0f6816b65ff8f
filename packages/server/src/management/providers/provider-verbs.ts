import { createProviderKind } from '../resources/providers.ts';
import { defineResourceVerbs } from '../resources/resource-verbs.ts';
import type { Verb } from '../verb.ts';
import { defineCredentialVerbs } from './credential-verbs.ts';
import type { ProviderDependencies } from './provider-dependencies.ts';
import { defineTestCredentialVerb, defineTestDraftProviderVerb } from './test-provider.ts';

/** Returns all operations on providers. */
export function defineProviderVerbs(dependencies: ProviderDependencies): readonly Verb[] {
  return [
    ...defineResourceVerbs(createProviderKind(dependencies)),
    defineTestDraftProviderVerb(dependencies),
    ...defineCredentialVerbs(dependencies),
    defineTestCredentialVerb(dependencies),
  ];
}
