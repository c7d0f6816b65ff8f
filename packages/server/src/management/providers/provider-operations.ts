import type { Operation } from '../operation.ts';
import { createProviderResourceKind } from '../resources/providers.ts';
import { defineResourceOperations } from '../resources/resource-operations.ts';
import { defineCredentialOperations } from './credential-operations.ts';
import type { ProviderDependencies } from './provider-dependencies.ts';
import { defineTestCredentialOperation, defineTestDraftProviderOperation } from './test-provider.ts';

/** Returns all operations on providers. */
export function defineProviderOperations(dependencies: ProviderDependencies): readonly Operation[] {
  return [
    ...defineResourceOperations(createProviderResourceKind(dependencies)),
    defineTestDraftProviderOperation(dependencies),
    ...defineCredentialOperations(dependencies),
    defineTestCredentialOperation(dependencies),
  ];
}
