import type { ProviderConfig } from '@floe/contract/config';
import type { SecretsKey } from '../../platform/secrets.ts';
import type { Credential, Provider } from '../../providers/configured.ts';
import type { Tried } from '../../providers/try-provider.ts';
import type { Writer } from '../../store/ports.ts';
import type { RunningOrgs } from '../running-org.ts';

/** What the verbs of providers stand on. */
export interface ProviderHost {
  readonly key: SecretsKey;
  readonly orgs: RunningOrgs;
  /** A provider as it would run, or what it lacks. */
  configure(config: ProviderConfig): { readonly provider: Provider } | { readonly problem: string };
  /** Whether the API may name files and identities of the machine: not where several orgs share it. */
  mayNameMachine(): boolean;
  /** One cheap real call. */
  tryOut(provider: Provider, credential: Credential, model: string | null): Promise<Tried>;
  /** What is noted beside a resource without being a change of it. */
  write(work: (writer: Writer) => Promise<void>): Promise<void>;
}
