import type { LoadedConfig } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import type { ProviderHost } from '../management/providers/provider-host.ts';
import type { RunningOrgs } from '../management/running-org.ts';
import { isAtHome } from '../platform/config/provider-secrets.ts';
import { providersFromConfig } from '../providers/from-config.ts';
import { tryProvider } from '../providers/try-provider.ts';
import type { Parts } from './parts.ts';
import type { Snapshots } from './snapshots.ts';

/** What the verbs of providers stand on. */
export function providerHost(
  { environment, prices, secretsKey, transport, database }: Parts,
  snapshots: Snapshots,
  loaded: () => LoadedConfig,
  orgs: RunningOrgs,
): ProviderHost {
  const isOnly = () => snapshots.running().orgCount <= 1;
  return {
    key: secretsKey,
    orgs,
    mayNameMachine: isOnly,
    tryOut: (provider, credential, model) =>
      tryProvider(provider, credential, model, { transport, clock: systemClock }),
    write: (work) => database.transaction(work),
    configure(config) {
      const { outbound } = loaded().config;
      const { variable } = environment;
      const world = { variable, outbound, mayBorrow: () => isOnly() && isAtHome(config) };
      const { providers, unusable } = providersFromConfig([config], world, prices);
      const [provider] = providers;
      return provider ? { provider } : { problem: unusable[0]?.reason ?? 'It is not in use.' };
    },
  };
}
