import type { ProviderConfig } from '@floe/contract/config';
import type { SecretsKey } from '../../platform/secrets.ts';
import type { Provider } from '../../providers/configured.ts';
import type { RunningOrgs } from '../running-org.ts';

/** What the verbs of providers stand on. */
export interface ProviderHost {
  readonly key: SecretsKey;
  readonly orgs: RunningOrgs;
  /** A provider as it would run, or what it lacks. */
  configure(config: ProviderConfig): { readonly provider: Provider } | { readonly problem: string };
  /** Whether the API may name files and identities of the machine: not where several orgs share it. */
  mayNameMachine(): boolean;
}
