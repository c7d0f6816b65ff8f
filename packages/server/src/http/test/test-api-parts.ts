import { FloeConfigSchema, type OrgConfig } from '@floe/contract/config';
import { createAlertSender } from '../../alerts/alert-sender.ts';
import { createMailer } from '../../alerts/mailer.ts';
import { LiveHub } from '../../analytics/live/live-hub.ts';
import type { Clock } from '../../core/clock.ts';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { createOutboundGuard } from '../../core/outbound-guard.ts';
import { type CompiledCatalogs, compileCatalogs } from '../../gateway/compile-catalogs.ts';
import { ConversationTargets } from '../../gateway/conversation-targets.ts';
import { listProviderModels } from '../../gateway/model-endpoints.ts';
import { EMPTY_ORG_CATALOG } from '../../gateway/org-catalog.ts';
import { decryptStoredTurn } from '../../gateway/stored/turn-store.ts';
import { TargetLatencies } from '../../gateway/target-latencies.ts';
import { OutputLengthEstimator } from '../../guardrails/output-length-estimator.ts';
import type { ApiOperationDependencies } from '../../management/api-operations.ts';
import type { ProcessStatus } from '../../management/overview/process-status.ts';
import type { ProviderDependencies } from '../../management/providers/provider-dependencies.ts';
import { BackgroundJobRunner } from '../../platform/background-job-runner.ts';
import {
  CONFIG_FILE_POLICY_RESOURCE_KIND,
  CONFIG_FILE_PROVIDER_RESOURCE_KIND,
  CONFIG_FILE_ROUTE_RESOURCE_KIND,
} from '../../platform/config/config-file-entries.ts';
import { usesDefaultOrigin } from '../../platform/config/provider-secrets.ts';
import { loadStoredConfig, type MergedConfig, mergeConfig } from '../../platform/config/stored-config.ts';
import { createResourceKindSyncFactory, syncConfigFile } from '../../platform/config-file-sync.ts';
import { deriveStoredSecretsKey } from '../../platform/secrets.ts';
import { createProvidersFromConfig } from '../../providers/providers-from-config.ts';
import { testProvider } from '../../providers/test-provider.ts';
import { createUpstreamTransport } from '../../providers/upstream-transport.ts';
import type { DatabaseWithBeatStore } from '../../store/open-database.ts';

export const apiTestSecretsKey = deriveStoredSecretsKey(Buffer.alloc(32, 9));
const COMPILE_OPTIONS = {
  lookupVariable: () => undefined,
  outbound: { proxy: '', no_proxy: '', ca_file: '' },
};

interface RunningParts extends Pick<ApiOperationDependencies, 'runningGateway' | 'providers'> {
  /** Compiles the current configuration, like a snapshot. */
  renew(): Promise<void>;
  inForce(): MergedConfig['orgs'];
}

const CONFIG_SYNCS = [
  createResourceKindSyncFactory(CONFIG_FILE_PROVIDER_RESOURCE_KIND),
  createResourceKindSyncFactory(CONFIG_FILE_ROUTE_RESOURCE_KIND),
  createResourceKindSyncFactory(CONFIG_FILE_POLICY_RESOURCE_KIND),
];

/**
 * Returns the state of a running gateway whose floe.yaml defines `org` for the organization `acme`.
 * The entries are on lines 10, 11, …
 */
export async function createTestApiParts(
  clock: Clock,
  database: DatabaseWithBeatStore,
  { org, isOnlyOrg = false }: { readonly org?: OrgConfig; readonly isOnlyOrg?: boolean },
): Promise<RunningParts> {
  const file = org ? [org] : [];
  await database.transaction((writer) =>
    syncConfigFile(
      CONFIG_SYNCS,
      {
        config: { ...FloeConfigSchema.parse({}), orgs: file },
        path: null,
        lineOf: ([, , , index]) => 10 + Number(index),
        sets: () => true,
      },
      { writer, nowMs: clock.now() },
    ),
  );
  let merged: MergedConfig = { orgs: [], apiProviders: new Set() };
  let compiled: CompiledCatalogs | null = null;
  const renew = async () => {
    const stored = await loadStoredConfig(database.read, apiTestSecretsKey);
    merged = mergeConfig(file, () => false, stored, null);
    const options = { ...COMPILE_OPTIONS, mayUseMachineCredentials: usesDefaultOrigin };
    compiled = compileCatalogs(merged.orgs, null, options);
  };
  await renew();
  const running: ApiOperationDependencies['runningGateway'] = {
    getLoadedOrg: (orgId) => ({
      config: merged.orgs.find(({ id }) => id === orgId) ?? null,
      isInFile: orgId === org?.id,
      fileName: 'floe.yaml',
      catalog: compiled?.catalogs.get(orgId) ?? EMPTY_ORG_CATALOG,
      findProviderProblem: (id) =>
        compiled?.unusable.find((one) => one.id === `${orgId}/${id}`)?.reason ?? null,
    }),
    conversations: new ConversationTargets(clock),
    latencies: new TargetLatencies(clock),
    maxOutputTokens: () => null,
    outputLengths: new OutputLengthEstimator(),
    listProviderModels: (provider) => listProviderModels(provider, { modelsOf: () => [] }),
  };
  const providers: ProviderDependencies = {
    secretsKey: apiTestSecretsKey,
    getLoadedOrg: running.getLoadedOrg,
    allowsMachineResources: () => isOnlyOrg,
    testProvider: (provider, credential, model) =>
      testProvider(provider, credential, model, {
        transport: createUpstreamTransport(systemClock),
        clock: systemClock,
      }),
    writeUnaudited: (work) => database.transaction(work),
    configure(config) {
      const { providers: done, unusable } = createProvidersFromConfig([config], COMPILE_OPTIONS);
      return done[0] ? { provider: done[0] } : { problem: unusable[0]?.reason ?? '' };
    },
  };
  return { runningGateway: running, providers, renew, inForce: () => merged.orgs };
}

/**
 * Returns channel dependencies for tests. Channels may send to loopback, and there is no mail
 * server.
 */
export function createTestChannelParts() {
  const guard = createOutboundGuard(() => ({
    allowPrivate: true,
    privateNetworks: [],
    namedHosts: () => new Set<string>(),
  }));
  const via = () => undefined;
  const mailer = createMailer(() => ({ url: '', from: '', requireTls: true }), guard, via);
  return {
    secretsKey: apiTestSecretsKey,
    sender: createAlertSender({ guard, via, clock: systemClock, mailer }),
    baseUrl: () => 'https://floe.example',
  };
}

/**
 * Returns the dependencies of the console operations for a healthy process. `standing` overrides
 * some of them.
 */
export function createTestConsoleParts(
  database: DatabaseWithBeatStore,
  clock: Clock,
  standing: Partial<ProcessStatus> = {},
): Pick<
  ApiOperationDependencies,
  'analytics' | 'processStatus' | 'liveHub' | 'jobRunner' | 'getCacheSize' | 'people'
> {
  const parts = { database, clock, log: silentLog };
  return {
    getCacheSize: () => ({ entries: 0, bytes: 0 }),
    analytics: {
      backlog: () => 0,
      completeUntil: () => clock.now(),
      requestRetentionDays: () => 90,
      timezone: () => 'UTC',
    },
    processStatus: {
      configRejection: () => null,
      sharedStoreState: () => 'memory',
      rejectedBeats: () => null,
      ...standing,
    },
    liveHub: new LiveHub(parts),
    people: { database, openStoredResponse: (row) => decryptStoredTurn(row, apiTestSecretsKey) },
    jobRunner: new BackgroundJobRunner(parts),
  };
}
