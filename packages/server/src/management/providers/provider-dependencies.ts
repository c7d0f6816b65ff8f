import type { ProviderConfig } from '@floe/contract/config';
import type { SecretsKey } from '../../platform/secrets.ts';
import type { Credential, Provider } from '../../providers/configured-provider.ts';
import type { ProviderTestResult } from '../../providers/test-provider.ts';
import type { DatabaseWriter } from '../../store/ports.ts';
import type { GetRunningOrg } from '../running-org.ts';

/** What the verbs of providers stand on. */
export interface ProviderDependencies {
  readonly secretsKey: SecretsKey;
  readonly getRunningOrg: GetRunningOrg;
  /** A provider as it would run, or what it lacks. */
  configure(config: ProviderConfig): { readonly provider: Provider } | { readonly problem: string };
  /** Whether the API may name files and identities of the machine: not where several orgs share it. */
  allowsMachineResources(): boolean;
  /** One cheap real call. */
  testProvider(provider: Provider, credential: Credential, model: string | null): Promise<ProviderTestResult>;
  /** What is noted beside a resource without being a change of it. */
  writeUnaudited(work: (writer: DatabaseWriter) => Promise<void>): Promise<void>;
}
