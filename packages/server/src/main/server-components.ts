import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { LiveHub } from '../analytics/live/live-hub.ts';
import type { Metrics } from '../analytics/metrics.ts';
import type { RuntimeMetrics } from '../analytics/runtime-metrics.ts';
import { StoreMetrics } from '../analytics/store-metrics.ts';
import type { ServerEnvironment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import type { AccessLog } from '../core/access-log.ts';
import { systemClock } from '../core/clock.ts';
import type { FatalError } from '../core/fatal-error.ts';
import type { Log } from '../core/log.ts';
import { type BodyStore, createBodyStore } from '../gateway/bodies/body-store.ts';
import type { Breakers } from '../guardrails/breakers/breakers.ts';
import {
  type LimitAndBudgetRuntime,
  openLimitAndBudgetRuntime,
} from '../guardrails/limit-and-budget-runtime.ts';
import { PolicyThreads } from '../guardrails/policies/policy-threads.ts';
import { createEvaluationPool, type EvaluationPool } from '../management/evaluation/evaluation-pool.ts';
import { MonitoringEngine } from '../monitoring/monitoring-engine.ts';
import { createMonitoringCounters } from '../monitoring/monitoring-metrics.ts';
import { RejectedBeatCounter } from '../monitoring/rejected-beat-counter.ts';
import { BackgroundJobRunner } from '../platform/background-job-runner.ts';
import { createKeyLastUsedTracker, type KeyLastUsedTracker } from '../platform/key-last-used-tracker.ts';
import { derivePlatformKeyPepper } from '../platform/keyring.ts';
import { createProviderResourceOwnerStore } from '../platform/provider-resource-owners.ts';
import { requireKnownEncryptionKeys } from '../platform/rewrap-secrets.ts';
import {
  deriveOidcFlowKey,
  deriveSignInChallengeKey,
  deriveStoredBodiesKey,
  deriveStoredResponsesKey,
  deriveStoredSecretsKey,
  type SecretEncryptionKey,
} from '../platform/secrets.ts';
import { createModelListCache, type ModelListCache } from '../providers/model-list.ts';
import { loadPriceCatalog } from '../providers/price-catalog.ts';
import type { PriceCatalog } from '../providers/prices.ts';
import type { UpstreamTransport } from '../providers/transport.ts';
import { createUpstreamTransport } from '../providers/upstream-transport.ts';
import { recordUnkeyedAuditChains } from '../store/audit-chain.ts';
import { deriveAuditKey } from '../store/audit-context.ts';
import { openResponseCache } from '../store/cache/open-response-cache.ts';
import type { ResponseCache } from '../store/cache/response-cache.ts';
import type { SharedStoreObserver } from '../store/counters/observed-counters.ts';
import { lockDataDir } from '../store/data-dir-lock.ts';
import type { DatabaseEngine } from '../store/database-engine.ts';
import type { DatabaseObserver } from '../store/database-timer.ts';
import { requireCompleteImport } from '../store/import-marker.ts';
import {
  type DatabaseWithBeatStore,
  isPostgresUrl,
  type OpenDatabaseOptions,
  openDatabase,
} from '../store/open-database.ts';
import { getProcessDataDir, takeOverProcessDirectories } from '../store/process-directories.ts';
import { loadOrCreateProcessId } from '../store/process-id.ts';
import {
  bindDatabaseToSecretKey,
  createMissingSecretKeyError,
  type InstallationSecretKey,
  loadInstallationSecretKey,
  requireMatchingSecretKey,
} from '../store/secret-key.ts';
import { type BodySink, openBodySink } from '../store/spool/body-sink.ts';
import { openExchangeRowSink } from '../store/spool/row-sink.ts';
import type { DatabaseWriter, RowSink } from '../store/store-interfaces.ts';
import { createBreakerComponents } from './breaker-components.ts';
import { createServerMetrics } from './create-server-metrics.ts';
import { createOutboundAccess, type OutboundAccess } from './outbound-access.ts';
import type { ProcessPosition } from './processes/process-position.ts';
import { openRelayComponents, type RelayComponents } from './relay-components.ts';
import type { ShutdownSteps } from './shutdown-steps.ts';

/**
 * Maximum time for which the shutdown waits until rows are in the database. The remaining rows stay in the
 * spool.
 */
const FLUSH_TIMEOUT_MS = 4_000;
/** Maximum time for writing the last lines of the spend journal after the flush. */
const JOURNAL_MS = 1_000;
const CLOSE_SPOOLS_MS = 2_000;
const CLOSE_CONNECTIONS_MS = 3_000;

/** The components that exist until the process ends. */
export interface ServerComponents {
  readonly environment: ServerEnvironment;
  readonly dataDir: string;
  readonly serverProcess: ProcessPosition;
  readonly log: Log;
  readonly accessLog: AccessLog;
  readonly runtime: RuntimeMetrics;
  readonly database: DatabaseWithBeatStore;
  readonly rows: RowSink;
  readonly bodies: BodySink;
  /** Encrypts request and response bodies and passes them to `bodies`. */
  readonly bodyStore: BodyStore;
  readonly metrics: Metrics;
  readonly guardrails: LimitAndBudgetRuntime;
  readonly prices: PriceCatalog;
  readonly lastUsed: KeyLastUsedTracker;
  readonly transport: UpstreamTransport;
  readonly breakers: Breakers;
  readonly modelLists: ModelListCache;
  readonly pepper: KeyObject;
  readonly monitoring: MonitoringEngine;
  readonly resourceOwners: ReturnType<typeof createProviderResourceOwnerStore>;
  /** Encrypts stored responses. */
  readonly turnsKey: SecretEncryptionKey;
  readonly answerCache: ResponseCache;
  readonly secretsKey: SecretEncryptionKey;
  /** Keys for the sign-in: they sign its challenges, and encrypt its state in the browser. */
  readonly signInKeys: { readonly challenge: KeyObject; readonly flowEncryption: SecretEncryptionKey };
  readonly outbound: OutboundAccess;
  readonly relay: RelayComponents;
  readonly live: LiveHub;
  readonly jobs: BackgroundJobRunner;
  readonly evaluationPool: EvaluationPool;
  readonly policyThreads: PolicyThreads;
  readonly beatRefusals: RejectedBeatCounter;
}

/** Opens the components in the order of their dependencies. @throws FatalError */
export async function openServerComponents(
  environment: ServerEnvironment,
  loaded: LoadedConfig,
  given: Pick<ServerComponents, 'log' | 'accessLog' | 'runtime' | 'serverProcess'>,
): Promise<ServerComponents> {
  const { log, runtime, serverProcess } = given;
  const { processCount, processNumber, coordinator } = serverProcess;
  const clock = systemClock;
  const installationDir = resolve(environment.dataDir);
  const dataDir = getProcessDataDir(installationDir, processNumber);
  lockDataDir(dataDir);
  await takeOverProcessDirectories(dataDir, processCount, log);
  const { database: url, shared: sharedStoreUrl, shared_timeout_ms: sharedTimeoutMs } = loaded.config.storage;
  const secret = loadInstallationSecret(environment, url, installationDir);
  // Runs while the worker threads open the database.
  const loadingPrices = loadPriceCatalog();
  const secretsKey = deriveStoredSecretsKey(secret.key, environment.encryptionKeys);
  const stores = observeStores(url);
  const databaseOptions = { dataDir: installationDir, log, clock, observe: stores.database, coordinator };
  const database = await openClaimedDatabase(url, databaseOptions, secret, secretsKey);
  const spool = { dataDir, database, log, clock };
  const [rows, bodies] = [await openExchangeRowSink(spool), await openBodySink(spool)];
  const counters = createMonitoringCounters();
  const monitoring = await openMonitoring({ ...spool, counters, processId: loadOrCreateProcessId(dataDir) });
  const outbound = createOutboundAccess(loaded.config, environment.variable);
  const transport = createUpstreamTransport(clock, outbound.guard);
  const shared = { sharedStoreUrl, ...serverProcess, sharedTimeoutMs, observeSharedStore: stores.shared };
  const onUnusable = (error: FatalError) => endProcess(log, error);
  const guardrails = await openLimitAndBudgetRuntime({ ...shared, ...spool, onUnusable });
  const cacheOptions = { clock, log, isStoreSlow: guardrails.sharedStoreIsLate, observe: stores.shared };
  const { breakers, render } = createBreakerComponents(database, guardrails.counters, log);
  const policyThreads = new PolicyThreads(clock);
  const measured = { database, rows, bodies, guardrails, runtime, policyThreads };
  return {
    environment,
    dataDir,
    ...given,
    ...measured,
    bodyStore: createBodyStore(bodies, deriveStoredBodiesKey(secret.key)),
    metrics: createServerMetrics(measured, counters, [render, stores.render]),
    prices: await loadingPrices,
    breakers,
    lastUsed: createKeyLastUsedTracker(database, clock, log),
    transport,
    modelLists: createModelListCache(transport, clock, log),
    pepper: derivePlatformKeyPepper(secret.key),
    monitoring,
    resourceOwners: createProviderResourceOwnerStore(database, clock),
    turnsKey: deriveStoredResponsesKey(secret.key, environment.encryptionKeys),
    answerCache: await openResponseCache(sharedStoreUrl, cacheOptions),
    secretsKey,
    signInKeys: deriveSignInKeys(secret.key),
    outbound,
    relay: await openRelayComponents(dataDir, secret.key, database, log),
    live: new LiveHub({ database, clock, log }),
    jobs: new BackgroundJobRunner({ database, clock, log }),
    evaluationPool: createEvaluationPool(clock),
    beatRefusals: new RejectedBeatCounter(clock),
  };
}

function deriveSignInKeys(key: Buffer): ServerComponents['signInKeys'] {
  return { challenge: deriveSignInChallengeKey(key), flowEncryption: deriveOidcFlowKey(key) };
}

/** Creates the monitoring engine, and determines whether there was a gap before the start. */
async function openMonitoring(
  options: ConstructorParameters<typeof MonitoringEngine>[0],
): Promise<MonitoringEngine> {
  const monitoring = new MonitoringEngine(options);
  // The listeners report later from when on this process accepts beats.
  await monitoring.prepare();
  return monitoring;
}

/** Creates the metrics about the stores, and the observers that record values in them. */
function observeStores(databaseUrl: string) {
  const metrics = new StoreMetrics();
  const engine: DatabaseEngine = isPostgresUrl(databaseUrl) ? 'postgres' : 'sqlite';
  const database: DatabaseObserver = (kind, durationMs) => metrics.observeDatabase(engine, kind, durationMs);
  const shared: SharedStoreObserver = (...call) => metrics.observeSharedStore(...call);
  return { database, shared, render: () => metrics.render() };
}

/**
 * Opens the database and checks its keys.
 * @throws FatalError if the database was used with another key or cannot be used
 */
async function openClaimedDatabase(
  url: string,
  options: Omit<OpenDatabaseOptions, 'auditKey'>,
  secret: InstallationSecretKey,
  secretsKey: SecretEncryptionKey,
): Promise<DatabaseWithBeatStore> {
  const database = await openDatabase(url, { ...options, auditKey: deriveAuditKey(secret.key) });
  await database.transaction((writer) => claimDatabaseWithKeys(writer, secret, secretsKey));
  await recordUnkeyedAuditChains(database, options.log);
  return database;
}

/** Shuts the process down in the same way as SIGTERM, because it must no longer use the database. */
function endProcess(log: Log, error: FatalError): void {
  log.error({ err: error }, 'this version can no longer use the database; the process is shutting down');
  process.kill(process.pid, 'SIGTERM');
}

/**
 * Loads the secret key. Processes that share a database require a configured key. With SQLite, a missing key
 * is generated.
 */
function loadInstallationSecret({ secretKey }: ServerEnvironment, url: string, dataDir: string) {
  if (isPostgresUrl(url) && secretKey === undefined) throw createMissingSecretKeyError();
  return loadInstallationSecretKey({ dataDir, ...(secretKey === undefined ? {} : { given: secretKey }) });
}

/** Stores the remaining data and closes the components. */
export async function closeServerComponents(parts: ServerComponents, steps: ShutdownSteps): Promise<void> {
  const { rows, bodies, relay, log } = parts;
  parts.modelLists.close();
  await steps.run('database', FLUSH_TIMEOUT_MS + JOURNAL_MS, [
    parts.policyThreads.close(),
    parts.lastUsed.close(),
    relay.sessions.close(),
    parts.guardrails.close(),
    flushSpools([rows, bodies, relay.rows], log),
  ]);
  await steps.run('spools', CLOSE_SPOOLS_MS, [rows.close(), bodies.close(), relay.rows.close()]);
  await steps.run('connections', CLOSE_CONNECTIONS_MS, [
    parts.answerCache.close(),
    parts.transport.close(),
    parts.database.close(),
  ]);
}

async function flushSpools(
  spools: readonly { flush(timeoutMs: number): Promise<void> }[],
  log: Log,
): Promise<void> {
  const results = await Promise.allSettled(spools.map((spool) => spool.flush(FLUSH_TIMEOUT_MS)));
  for (const result of results)
    if (result.status === 'rejected')
      log.warn(
        { err: result.reason },
        'records remain in the data directory and will be stored in the database at the next start',
      );
}

/**
 * Checks that a database is complete and has the same keys, and records them.
 * @throws FatalError if the database was used with another secret key, or has secrets of an unknown
 * key
 */
async function claimDatabaseWithKeys(
  writer: DatabaseWriter,
  secret: InstallationSecretKey,
  secretsKey: SecretEncryptionKey,
): Promise<void> {
  await requireCompleteImport(writer);
  await requireMatchingSecretKey(writer, secret);
  await requireKnownEncryptionKeys(writer, secretsKey);
  await bindDatabaseToSecretKey(writer, secret);
}
