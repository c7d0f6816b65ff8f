import { systemClock } from '../core/clock.ts';
import { listProviderModels } from '../gateway/model-endpoints.ts';
import type { GatewaySnapshot, SharedGatewayDependencies } from '../gateway/shared-gateway-dependencies.ts';
import { decryptStoredTurn } from '../gateway/stored/turn-store.ts';
import { type ApiCallRecorder, createApiCallLogger } from '../http/api-calls.ts';
import { type BeatRoutes, createBeatRoutes } from '../http/beat-routes.ts';
import { createLazyApi, type LazyApiApplication } from '../http/lazy-api.ts';
import type { ApiOperationDependencies } from '../management/api-operations.ts';
import type { RuleDependencies } from '../management/guardrails/rule-dependencies.ts';
import type { MonitoringDependencies } from '../management/monitors/monitoring-dependencies.ts';
import type { RelayDependencies } from '../management/relay/relay-dependencies.ts';
import { createKeyActor } from '../platform/actor.ts';
import { extractPlatformKey, type PlatformKeyHeaders } from '../platform/key-format.ts';
import type { SignInContext } from '../platform/sign-in/sign-in-context.ts';
import type { Provider } from '../providers/configured-provider.ts';
import type { AlertComponents } from './alert-components.ts';
import {
  type ConfigFileLoadState,
  createConfigDependencies,
  findConfigRejection,
} from './config-dependencies.ts';
import type { GatewaySnapshots } from './gateway-snapshots.ts';
import { buildLoadedOrg } from './loaded-org.ts';
import { createMemberDependencies } from './member-dependencies.ts';
import { collectOrgConfigFileRules } from './org-config-file-rules.ts';
import { createProviderDependencies } from './provider-dependencies.ts';
import type { ServerComponents } from './server-components.ts';

/** Creates the routes that accept beats: API paths, which require a platform key, and beat URLs, which do not. */
export function createBeatRoutesFromServerComponents(
  { monitoring, log, lastUsed, beatRefusals }: ServerComponents,
  snapshots: GatewaySnapshots,
): BeatRoutes {
  return createBeatRoutes({
    engine: monitoring,
    clock: systemClock,
    log,
    authenticate: createKeyAuthenticator(snapshots.current, lastUsed),
    refusals: beatRefusals,
  });
}

/** Returns a function that finds the platform key of a request to the API or a beat, and records its use. */
function createKeyAuthenticator(
  snapshot: () => Pick<GatewaySnapshot, 'keyring'>,
  lastUsed: ServerComponents['lastUsed'],
) {
  return (headers: PlatformKeyHeaders) => {
    const now = systemClock.now();
    const { keyring } = snapshot();
    const key = keyring.authenticate(extractPlatformKey(headers, keyring), now);
    lastUsed.record(key, now);
    return key;
  };
}

/** Components of other modules that the API calls. */
interface ApiDependencies {
  readonly alerts: AlertComponents;
  readonly monitoring: MonitoringDependencies;
  readonly relay: RelayDependencies;
  readonly signIn: SignInContext;
}

/** Returns the state of this process that the overview shows. */
function createProcessStatus(
  { guardrails, beatRefusals }: ServerComponents,
  history: ConfigFileLoadState,
): ApiOperationDependencies['processStatus'] {
  return {
    configRejection: (orgId) => findConfigRejection(history, orgId),
    sharedStoreState: () => guardrails.sharedStore(),
    rejectedBeats: (orgId) => beatRefusals.forOrg(orgId),
  };
}

/** Creates a function that records every API call in the metrics and in the access log. */
function createCallRecorder({ accessLog, runtime }: ServerComponents): ApiCallRecorder {
  const log = createApiCallLogger(accessLog, systemClock);
  return (call) => {
    runtime.recordApiCall(call.operation, call.status, call.durationMs);
    log(call);
  };
}

/** The configuration in use and the server's version. */
export interface RunningConfigAndVersion {
  readonly snapshots: GatewaySnapshots;
  readonly history: ConfigFileLoadState;
  readonly version: string;
}

/** Creates the API. It serves every path below `/api` except `HEARTBEAT_PATH`. */
export function createApiFromServerComponents(
  parts: ServerComponents,
  { snapshot, conversations, latencies, maxOutputTokens, outputLengths }: SharedGatewayDependencies,
  { alerts: channels, monitoring, relay, signIn }: ApiDependencies,
  { snapshots, history, version }: RunningConfigAndVersion,
): LazyApiApplication {
  const { database, log, pepper, guardrails, breakers, lastUsed, secretsKey } = parts;
  const { rows, live, jobs, evaluationPool, answerCache } = parts;
  const loaded = () => history.loaded;
  const refreshSnapshot = () => {
    signIn.sessions.clearCache();
    return snapshots.renew();
  };
  const host = { database, clock: systemClock, refreshSnapshot, secretsKey };
  const authenticateKey = createKeyAuthenticator(snapshot, lastUsed);
  const authenticate = (headers: PlatformKeyHeaders) => createKeyActor(authenticateKey(headers));
  const getLoadedOrg = (orgId: string) => buildLoadedOrg(snapshots, loaded(), orgId);
  const models = (provider: Provider) => listProviderModels(provider, parts.modelLists);
  const rules: RuleDependencies = {
    guard: guardrails.guard,
    getFileRules: (orgId) => collectOrgConfigFileRules(loaded(), orgId, snapshots.timezone(orgId)),
  };
  const providers = createProviderDependencies(parts, snapshots, loaded, getLoadedOrg);
  const gateway = { conversations, latencies, maxOutputTokens, outputLengths };
  return createLazyApi(
    { host, log, version, authenticate, recordCall: createCallRecorder(parts) },
    {
      pepper,
      bodies: parts.bodyStore,
      breakers,
      getCacheSize: (orgId) => answerCache.getSize(orgId),
      channels,
      rules,
      providers,
      config: createConfigDependencies(parts, history, { rules, providers }),
      monitoring,
      relay,
      members: createMemberDependencies(parts, () => loaded().config, monitoring.baseUrl),
      people: { database, openStoredResponse: (row) => decryptStoredTurn(row, parts.turnsKey) },
      runningGateway: { ...gateway, getLoadedOrg, listProviderModels: models },
      analytics: {
        backlog: () => rows.backlog(),
        completeUntil: () => rows.completeUntil(),
        requestRetentionDays: () => loaded().config.retention.requests_days,
        timezone: (orgId) => snapshots.timezone(orgId),
      },
      processStatus: createProcessStatus(parts, history),
      liveHub: live,
      jobRunner: jobs,
      evaluationPool,
    },
    { parts: signIn, trustedProxies: loaded().config.server.trusted_proxies },
  );
}
