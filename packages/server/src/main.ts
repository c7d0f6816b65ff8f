import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { Fault } from '@floe/contract/faults';
import { createMetrics, type Metrics } from './analytics/metrics.ts';
import { checkConfig } from './config/check.ts';
import { type Environment, processEnvironment } from './config/environment.ts';
import type { Section } from './config/inactive.ts';
import { type LoadedConfig, loadConfig } from './config/load.ts';
import { ConfigError } from './config/problem.ts';
import { watchConfig } from './config/watch.ts';
import { systemClock } from './core/clock.ts';
import { createLog, type Log } from './core/log.ts';
import { compileCatalogs } from './gateway/compile.ts';
import type { Gateway, GatewaySnapshot } from './gateway/gateway.ts';
import { createLists } from './gateway/lists.ts';
import { createLazyApi, type LazyApi } from './http/lazy-api.ts';
import { createOperations } from './http/operations.ts';
import { createRouter } from './http/router.ts';
import { CannotListen, createHttpServer } from './http/server.ts';
import { bootstrap, type FirstRun } from './platform/bootstrap.ts';
import { syncFileKeys } from './platform/file-keys.ts';
import { type PresentedHeaders, presentedKey } from './platform/key-format.ts';
import { derivePepper } from './platform/keyring.ts';
import { type LastUsed, trackLastUsed } from './platform/last-used.ts';
import { loadPlatform } from './platform/platform.ts';
import { welcome } from './platform/welcome.ts';
import { createModelLists, type ModelLists } from './providers/model-list.ts';
import type { Transport } from './providers/transport.ts';
import { createTransport } from './providers/transports.ts';
import { lockDataDir } from './store/lock.ts';
import { openDatabase } from './store/open-database.ts';
import type { Database, RowSink } from './store/ports.ts';
import { loadSecretKey } from './store/secret-key.ts';
import { openRowSink } from './store/spool/row-sink.ts';
import { StoreUnusable } from './store/store-unusable.ts';

export const VERSION = '0.1.0';
const DEFAULT_ORG = 'default';
/** How long requests under way may take to finish after TERM, and rows to reach the database. */
const DRAIN_MS = 25_000;
const FLUSH_MS = 4_000;

/** Sections of floe.yaml that do something; start-up names the others when a file sets them. */
const IMPLEMENTED: ReadonlySet<Section> = new Set<Section>([
  'server',
  'storage',
  'telemetry',
  'orgs.keys',
  'orgs.teams',
  'orgs.providers',
  'orgs.chat_reasoning',
  'orgs.attribution',
]);

/** The program: `config check [file]`, or nothing for the server. Prints one clear line when it cannot start. */
export async function run(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  try {
    const environment = processEnvironment();
    if (args[0] === 'config' && args[1] === 'check') return check(environment, args[2]);
    await serve(environment);
  } catch (error) {
    process.stderr.write(`${prefixed(isExpected(error) ? error.message : describeBug(error))}\n`);
    process.exit(1);
  }
}

function check(env: Environment, path: string | undefined): void {
  const { ok, lines } = checkConfig({
    env,
    implemented: IMPLEMENTED,
    ...(path === undefined ? {} : { path }),
  });
  (ok ? process.stdout : process.stderr).write(`${lines.join('\n')}\n`);
  process.exitCode = ok ? 0 : 1;
}

function isExpected(error: unknown): error is Error {
  return (
    error instanceof ConfigError ||
    error instanceof StoreUnusable ||
    error instanceof CannotListen ||
    error instanceof Fault
  );
}

function describeBug(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function prefixed(text: string): string {
  return text.replace(/^/gm, 'floe: ');
}

/** Everything that lives as long as the process and knows how to stop. */
interface Parts {
  readonly environment: Environment;
  readonly dataDir: string;
  readonly log: Log;
  readonly database: Database;
  readonly rows: RowSink;
  readonly metrics: Metrics;
  readonly lastUsed: LastUsed;
  readonly transport: Transport;
  readonly modelLists: ModelLists;
  readonly pepper: KeyObject;
}

async function serve(environment: Environment): Promise<void> {
  const log = createLog(environment.logLevel);
  const load = () => loadConfig({ env: environment, implemented: IMPLEMENTED });
  const loaded = load();
  const parts = await openParts(environment, loaded, log);
  const state = { loaded, draining: false };
  const firstRun = await enter(state.loaded, parts);
  const snapshots = createSnapshots(() => state.loaded, parts);
  await snapshots.renew();

  const gateway = assembleGateway(parts, snapshots, () => state.draining);
  const api = assembleApi(parts, snapshots);
  const { host, port, base_url } = loaded.config.server;
  const router = createRouter(
    {
      gateway,
      lists: createLists(gateway, parts.modelLists),
      api: api.answer,
      operations: createOperations({
        database: parts.database,
        metrics: parts.metrics,
        metricsToken: loaded.config.telemetry.metrics_token,
        draining: () => state.draining,
      }),
    },
    new URL(base_url).pathname.replace(/\/$/, ''),
  );
  const server = createHttpServer(router, systemClock, log);
  const listening = await server.listen(host, port);
  const url = port === 0 ? base_url.replace(/:0(?=\/|$)/, `:${listening}`) : base_url;
  announce(loaded, parts, url, snapshots, firstRun);

  const watch = watchFile(parts, state, snapshots, load);
  onSignals(
    log,
    () => watch?.reload(),
    async () => {
      state.draining = true;
      watch?.close();
      await server.drain(DRAIN_MS);
      await api.close();
      await closeParts(parts);
    },
  );
}

async function openParts(environment: Environment, loaded: LoadedConfig, log: Log): Promise<Parts> {
  const clock = systemClock;
  const dataDir = resolve(environment.dataDir);
  lockDataDir(dataDir);
  const { secretKey } = environment;
  const secret = loadSecretKey({ dataDir, ...(secretKey === undefined ? {} : { given: secretKey }) });
  const database = await openDatabase(loaded.config.storage.database, { dataDir, log, clock });
  const rows = await openRowSink({ dataDir, database, log, clock });
  const transport = createTransport(clock);
  return {
    environment,
    dataDir,
    log,
    database,
    rows,
    metrics: createMetrics(() => rows.backlog()),
    lastUsed: trackLastUsed(database, clock, log),
    transport,
    modelLists: createModelLists(transport, clock, log),
    pepper: derivePepper(secret.key),
  };
}

async function closeParts(parts: Parts): Promise<void> {
  parts.modelLists.close();
  await parts.lastUsed.close();
  await parts.rows.flush(FLUSH_MS).catch((error: unknown) => {
    parts.log.warn({ err: error }, 'rows stay in the spool; the next start takes them into the database');
  });
  await parts.rows.close();
  await parts.transport.close();
  await parts.database.close();
}

/** Brings orgs and keys of the file into the store; without any, makes the first org and its key. */
async function enter(loaded: LoadedConfig, { database, pepper }: Parts): Promise<FirstRun | null> {
  const { orgs } = loaded.config;
  if (orgs.length === 0) return bootstrap(database, pepper, systemClock);
  const declared = orgs.map((org, at) => ({
    id: org.id,
    name: org.name,
    keys: org.keys.map((key, index) => ({
      ...key,
      line: loaded.lineOf(['orgs', at, 'keys', index]) ?? null,
    })),
  }));
  await database.transaction((writer) => syncFileKeys(writer, declared, pepper, systemClock.now()));
  return null;
}

interface Snapshots {
  current(): GatewaySnapshot;
  /** Resolves when a snapshot whose loading began after this call is in use. */
  renew(): Promise<void>;
}

function createSnapshots(loaded: () => LoadedConfig, parts: Parts): Snapshots {
  let current: GatewaySnapshot | null = null;
  let last: Promise<void> = Promise.resolve();
  async function swap(): Promise<void> {
    const { catalogs, missing } = compileCatalogs(
      loaded().config.orgs,
      DEFAULT_ORG,
      parts.environment.variable,
    );
    const { keyring } = await loadPlatform(parts.database.read, parts.pepper, systemClock.now());
    current = { keyring, catalogs };
    for (const provider of missing)
      parts.log.warn({ provider }, 'this release cannot reach providers of this kind yet');
    parts.modelLists.watch([...catalogs.values()].flatMap((catalog) => [...catalog.providers.values()]));
  }
  return {
    current() {
      if (!current) throw new Error('the first snapshot is not there yet');
      return current;
    },
    renew() {
      last = last.catch(() => undefined).then(swap);
      return last;
    },
  };
}

function assembleGateway(parts: Parts, snapshots: Snapshots, draining: () => boolean): Gateway {
  const { transport, log, rows, metrics, lastUsed } = parts;
  return {
    snapshot: snapshots.current,
    transport,
    clock: systemClock,
    log,
    rows,
    metrics,
    lastUsed: lastUsed.note,
    draining,
  };
}

function assembleApi({ database, log, pepper }: Parts, snapshots: Snapshots): LazyApi {
  const host = { database, clock: systemClock, changed: () => snapshots.renew() };
  const authenticate = (headers: PresentedHeaders) =>
    snapshots.current().keyring.authenticate(presentedKey(headers), systemClock.now());
  return createLazyApi({ host, log, version: VERSION, authenticate }, { pepper });
}

function announce(
  loaded: LoadedConfig,
  parts: Parts,
  url: string,
  snapshots: Snapshots,
  firstRun: FirstRun | null,
): void {
  const { catalogs } = snapshots.current();
  const providers = [...catalogs.values()].flatMap((catalog) => [...catalog.providers.keys()]);
  const place = { version: VERSION, url, dataDir: parts.dataDir, configPath: loaded.path, providers };
  process.stdout.write(welcome(place, firstRun));
  for (const warning of loaded.warnings) parts.log.warn({}, warning);
  for (const section of loaded.inactive)
    parts.log.warn({ section }, 'this section is valid but its feature is not part of this release');
}

/** Takes over a changed file whole or not at all; the old configuration stays when the new one is wrong. */
function watchFile(
  parts: Parts,
  state: { loaded: LoadedConfig },
  snapshots: Snapshots,
  load: () => LoadedConfig,
) {
  const { log } = parts;
  const { path } = state.loaded;
  if (path === null) return undefined;
  async function takeOver(loaded: LoadedConfig, restart: readonly string[]): Promise<void> {
    const before = state.loaded;
    try {
      await enter(loaded, parts);
      state.loaded = loaded;
      await snapshots.renew();
      log.info({ path }, 'configuration taken over');
      if (restart.length > 0) log.warn({ fields: restart }, 'these fields change with the next start');
    } catch (error) {
      state.loaded = before;
      log.error({ err: error }, 'configuration not taken over; the running one stays');
    }
  }
  return watchConfig({
    path,
    current: state.loaded,
    load,
    log,
    clock: systemClock,
    onChange(change) {
      if ('error' in change)
        log.error(
          { problems: change.error.message.split('\n') },
          'configuration refused; the running one stays',
        );
      else void takeOver(change.loaded, change.restart);
    },
  });
}

/** HUP reloads, TERM and INT drain and end; a second TERM or INT ends at once. */
function onSignals(log: Log, reload: () => void, stop: () => Promise<void>): void {
  let stopping = false;
  const end = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'draining');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the drain failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  process.on('SIGHUP', reload);
}
