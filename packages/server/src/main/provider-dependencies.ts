import type { LoadedConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import type { GetLoadedOrg } from '../management/loaded-org.ts';
import type { ProviderDependencies } from '../management/providers/provider-dependencies.ts';
import { usesDefaultOrigin } from '../platform/config/provider-secrets.ts';
import { createProvidersFromConfig } from '../providers/providers-from-config.ts';
import { testProvider } from '../providers/test-provider.ts';
import type { GatewaySnapshots } from './gateway-snapshots.ts';
import type { ServerComponents } from './server-components.ts';

/** Creates the dependencies of the provider operations. */
export function createProviderDependencies(
  { environment, prices, secretsKey, transport, database }: ServerComponents,
  snapshots: GatewaySnapshots,
  loaded: () => LoadedConfig,
  getLoadedOrg: GetLoadedOrg,
): ProviderDependencies {
  const isOnly = () => snapshots.runningConfig().orgCount <= 1;
  return {
    secretsKey,
    getLoadedOrg,
    allowsMachineResources: isOnly,
    testProvider: (provider, credential, model) =>
      testProvider(provider, credential, model, { transport, clock: systemClock }),
    writeUnaudited: (work) => database.transaction(work),
    configure(config) {
      const { outbound } = loaded().config;
      const { variable } = environment;
      const world = {
        lookupVariable: variable,
        outbound,
        mayUseMachineCredentials: () => isOnly() && usesDefaultOrigin(config),
      };
      const { providers, unusable } = createProvidersFromConfig([config], world, prices);
      const [provider] = providers;
      return provider ? { provider } : { problem: unusable[0]?.reason ?? 'The provider cannot be used.' };
    },
  };
}
