import * as listed from './all-definitions.ts';
import type { ProviderDefinition } from './provider-definition.ts';

/** The provider definitions of all known kinds of providers. */
export const PROVIDER_DEFINITIONS: readonly ProviderDefinition[] = Object.values(listed);

/** Returns the provider definition for a kind of provider. Returns undefined for an unknown kind. */
export function findProviderDefinition(kind: string): ProviderDefinition | undefined {
  return PROVIDER_DEFINITIONS.find((definition) => definition.kind === kind);
}
