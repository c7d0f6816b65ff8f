import type { ProviderConfig } from '@floe/contract/config';
import type { SecretEncryptionKey } from '../../platform/secrets.ts';
import type { Provider, ProviderCredential } from '../../providers/configured-provider.ts';
import type { ProviderTestResult } from '../../providers/test-provider.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import type { GetLoadedOrg } from '../loaded-org.ts';

/** The dependencies of the provider operations. */
export interface ProviderDependencies {
  readonly secretsKey: SecretEncryptionKey;
  readonly getLoadedOrg: GetLoadedOrg;
  /** Resolves the runtime form of a provider, or the reason why it cannot run. */
  configure(config: ProviderConfig): { readonly provider: Provider } | { readonly problem: string };
  /** Whether the API may name files and identities of the machine. False if several orgs share it. */
  allowsMachineResources(): boolean;
  /** Sends one cheap real request. */
  testProvider(
    provider: Provider,
    credential: ProviderCredential,
    model: string | null,
  ): Promise<ProviderTestResult>;
  /** Writes data about a resource that is not a change of it, so that the audit log does not record it. */
  writeUnaudited(work: (writer: DatabaseWriter) => Promise<void>): Promise<void>;
}
