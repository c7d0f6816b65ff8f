import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { LiveHub } from '../analytics/live/hub.ts';
import { createMetrics, type Metrics } from '../analytics/metrics.ts';
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load.ts';
import { inTime, systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { type BodyStore, createBodyStore } from '../gateway/bodies/body-store.ts';
import type { Breakers } from '../guardrails/breakers/breakers.ts';
import { type Guardrails, openGuardrails } from '../guardrails/guardrails.ts';
import { createTrials, type Trials } from '../management/trials/trials.ts';
import { BeatRefusals } from '../monitoring/beat-refusals.ts';
import { MonitoringEngine } from '../monitoring/engine.ts';
import { createMonitoringFigures, type MonitoringFigures, monitoringMetrics } from '../monitoring/figures.ts';
import { Jobs } from '../platform/jobs.ts';
import { derivePepper } from '../platform/keyring.ts';
import { type LastUsed, trackLastUsed } from '../platform/last-used.ts';
import { createResourceOwners } from '../platform/resource-owners.ts';
import { mustKnowKeys } from '../platform/rewrap.ts';
import {
  deriveBodiesKey,
  deriveChallengeKey,
  deriveSecretsKey,
  deriveSignInKey,
  deriveTurnsKey,
  type SecretsKey,
} from '../platform/secrets.ts';
import { createModelLists, type ModelLists } from '../providers/model-list.ts';
import { loadPriceBook } from '../providers/price-catalog.ts';
import type { PriceBook } from '../providers/prices.ts';
import type { Transport } from '../providers/transport.ts';
import { createTransport } from '../providers/transports.ts';
import { keyAuditChains } from '../store/audit-chain.ts';
import { deriveAuditKey } from '../store/audit-context.ts';
import type { AnswerCache } from '../store/cache/answer-cache.ts';
import { openAnswerCache } from '../store/cache/open.ts';
import { queuedDeliveries } from '../store/deliveries.ts';
import { lockDataDir } from '../store/lock.ts';
import { isPostgres, openDatabase, type Store } from '../store/open-database.ts';
import type { RowSink, Writer } from '../store/ports.ts';
import { loadProcessId } from '../store/process-id.ts';
import { claimDatabase, loadSecretKey, noSharedSecret } from '../store/secret-key.ts';
import { type BodySink, openBodySink } from '../store/spool/body-sink.ts';
import { openRowSink } from '../store/spool/row-sink.ts';
import { openBreakers } from './breakers.ts';
import { createOutbound, type Outbound } from './outbound.ts';
import { closeRelayParts, openRelayParts, type RelayParts } from './relay-parts.ts';
import { sharedStoreMetrics } from './shared-store-metrics.ts';

/** How long rows may take to reach the database before the process ends; what is late waits in the spool. */
const FLUSH_MS = 4_000;

/** What a scrape waits for figures that lie in the database: less than any scraper waits for the scrape. */
const SCRAPE_MS = 1_000;

/** Everything that lives as long as the process and knows how to stop. */
export interface Parts {
  readonly environment: Environment;
  readonly dataDir: string;
  readonly log: Log;
  readonly database: Store;
  readonly rows: RowSink;
  readonly bodies: BodySink;
  /** Kept bodies, sealed; what it keeps goes to `bodies`. */
  readonly bodyStore: BodyStore;
  readonly metrics: Metrics;
  readonly guardrails: Guardrails;
  readonly prices: PriceBook;
  readonly lastUsed: LastUsed;
  readonly transport: Transport;
  readonly breakers: Breakers;
  readonly modelLists: ModelLists;
  readonly pepper: KeyObject;
  readonly monitoring: MonitoringEngine;
  readonly owners: ReturnType<typeof createResourceOwners>;
  /** Seals stored turns. */
  readonly turnsKey: SecretsKey;
  readonly answers: AnswerCache;
  readonly secretsKey: SecretsKey;
  /** Signs the challenges of the sign-in, and seals what a browser keeps on the way through it. */
  readonly signInKeys: { readonly challenge: KeyObject; readonly sealing: SecretsKey };
  readonly outbound: Outbound;
  readonly relay: RelayParts;
  readonly live: LiveHub;
  readonly jobs: Jobs;
  readonly trials: Trials;
  readonly beatRefusals: BeatRefusals;
}

export async function openParts(environment: Environment, loaded: LoadedConfig, log: Log): Promise<Parts> {
  const clock = systemClock;
  const dataDir = resolve(environment.dataDir);
  lockDataDir(dataDir);
  const { secretKey } = environment;
  const url = loaded.config.storage.database;
  if (isPostgres(url) && secretKey === undefined) throw noSharedSecret();
  const secret = loadSecretKey({ dataDir, ...(secretKey === undefined ? {} : { given: secretKey }) });
  // Read while the database opens in its own threads.
  const loadingPrices = loadPriceBook();
  const database = await openDatabase(url, { dataDir, log, clock, auditKey: deriveAuditKey(secret.key) });
  const secretsKey = deriveSecretsKey(secret.key, environment.encryptionKeys);
  await database.transaction((writer) => claimWithKeys(writer, secret.key, secretsKey));
  await keyAuditChains(database, log);
  const rows = await openRowSink({ dataDir, database, log, clock });
  const bodies = await openBodySink({ dataDir, database, log, clock });
  const figures = createMonitoringFigures();
  const processId = loadProcessId(dataDir);
  const monitoring = new MonitoringEngine({ database, clock, log, figures, processId });
  // Time, and what it means that nobody was there; from when on somebody is, the listeners say.
  await monitoring.prepare();
  const outbound = createOutbound(loaded.config, environment.variable);
  const transport = createTransport(clock, outbound.guard);
  const { shared, shared_timeout_ms: sharedTimeoutMs } = loaded.config.storage;
  const guardrails = await openGuardrails({ dataDir, database, shared, sharedTimeoutMs, clock, log });
  const sharedStore = sharedStoreMetrics(guardrails.sharedStoreFigures);
  const { breakers, render } = openBreakers(database, guardrails.counters, log);
  return {
    environment,
    dataDir,
    log,
    database,
    rows,
    bodies,
    bodyStore: createBodyStore(bodies, deriveBodiesKey(secret.key)),
    metrics: metricsOf({ database, rows, bodies, monitoring: figures }, [render, sharedStore.render]),
    guardrails,
    prices: await loadingPrices,
    breakers,
    lastUsed: trackLastUsed(database, clock, log),
    transport,
    modelLists: createModelLists(transport, clock, log),
    pepper: derivePepper(secret.key),
    monitoring,
    owners: createResourceOwners(database, clock),
    turnsKey: deriveTurnsKey(secret.key, environment.encryptionKeys),
    answers: await openAnswerCache(shared, { clock, log, isLate: guardrails.sharedStoreIsLate }),
    secretsKey,
    signInKeys: { challenge: deriveChallengeKey(secret.key), sealing: deriveSignInKey(secret.key) },
    outbound,
    relay: await openRelayParts(dataDir, secret.key, database, log),
    live: new LiveHub({ database, clock, log }),
    jobs: new Jobs({ database, clock, log }),
    trials: createTrials(clock),
    beatRefusals: new BeatRefusals(clock),
  };
}

/** What `/metrics` tells; `others` render figures of their own. */
function metricsOf(
  from: Pick<Parts, 'database' | 'rows' | 'bodies'> & { readonly monitoring: MonitoringFigures },
  others: readonly (() => string)[],
): Metrics {
  const { database, rows, bodies, monitoring } = from;
  const monitoringNow = () => monitoringMetrics(database, monitoring);
  return createMetrics(
    () => rows.backlog() + bodies.backlog(),
    () => inTime(systemClock, SCRAPE_MS, queuedDeliveries(database.read), Number.NaN),
    async () =>
      others.map((render) => render()).join('') +
      (await inTime(systemClock, SCRAPE_MS, monitoringNow(), monitoring.render())),
  );
}

export async function closeParts(parts: Parts): Promise<void> {
  parts.modelLists.close();
  await parts.lastUsed.close();
  for (const spool of [parts.rows, parts.bodies])
    await spool.flush(FLUSH_MS).catch((error: unknown) => {
      parts.log.warn({ err: error }, 'rows stay in the spool; the next start takes them into the database');
    });
  await closeRelayParts(parts.relay, FLUSH_MS, parts.log);
  await parts.guardrails.close();
  await parts.rows.close();
  await parts.bodies.close();
  await parts.answers.close();
  await parts.transport.close();
  await parts.database.close();
}

/** @throws StoreUnusable when the database was used with another key, or needs one that is not known */
async function claimWithKeys(writer: Writer, secretKey: Buffer, secretsKey: SecretsKey): Promise<void> {
  await claimDatabase(writer, secretKey);
  await mustKnowKeys(writer, secretsKey);
}
