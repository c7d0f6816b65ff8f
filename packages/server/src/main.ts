import { join } from 'node:path';
import { Fault } from '@floe/contract/faults';
import { checkConfig } from './config/check.ts';
import { type Environment, processEnvironment } from './config/environment.ts';
import type { Section } from './config/inactive.ts';
import { type LoadedConfig, loadConfig } from './config/load.ts';
import { ConfigError } from './config/problem.ts';
import { systemClock } from './core/clock.ts';
import { createLog } from './core/log.ts';
import { Flights } from './gateway/cache/flights.ts';
import type { Gateway } from './gateway/gateway.ts';
import { Latencies } from './gateway/latencies.ts';
import { createLists } from './gateway/lists.ts';
import { createPassthrough } from './gateway/passthrough/passthrough.ts';
import { Conversations } from './gateway/stickiness.ts';
import { createStoredResponses } from './gateway/stored/responses-api.ts';
import { createTurnStore } from './gateway/stored/turn-store.ts';
import { type BeatRoutes, createBeatRoutes } from './http/beat-routes.ts';
import { createLazyApi, type LazyApi } from './http/lazy-api.ts';
import { createOperations } from './http/operations.ts';
import { createRouter } from './http/router.ts';
import { CannotListen, createHttpServer } from './http/server.ts';
import { type Alerts, assembleAlerts } from './main/alerts.ts';
import { watchFile } from './main/config-file.ts';
import { fileRulesOf } from './main/file-rules.ts';
import { maintain } from './main/maintenance.ts';
import { closeParts, openParts, type Parts } from './main/parts.ts';
import { startRetention } from './main/retention.ts';
import { onSignals } from './main/signals.ts';
import { createSnapshots, enter, type Snapshots } from './main/snapshots.ts';
import type { RuleHost } from './management/guardrails/rule-host.ts';
import type { FirstRun } from './platform/bootstrap.ts';
import { type PresentedHeaders, presentedKey } from './platform/key-format.ts';
import { welcome } from './platform/welcome.ts';
import { StoreUnusable } from './store/store-unusable.ts';

export const VERSION = '0.1.0';
/** How long requests under way may take to finish after TERM. */
const DRAIN_MS = 25_000;

/** Sections of floe.yaml that do something; start-up names the others when a file sets them. */
const IMPLEMENTED: ReadonlySet<Section> = new Set<Section>([
  'server',
  'storage',
  'telemetry',
  'retention',
  'security',
  'smtp',
  'orgs.analytics',
  'orgs.keys',
  'orgs.teams',
  'orgs.providers',
  'orgs.routes',
  'orgs.chat_reasoning',
  'orgs.stored_responses',
  'orgs.resource_scope',
  'orgs.attribution',
  'orgs.monitoring',
  'orgs.monitors',
  'orgs.passthrough',
  'orgs.resource_scope',
  'orgs.cache',
  'orgs.channels',
  'orgs.limits',
  'orgs.budgets',
]);

/** The program: `config check [file]`, a maintenance command, or nothing for the server. Prints one clear line when it cannot start. */
export async function run(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  try {
    const environment = processEnvironment();
    if (args[0] === 'config' && args[1] === 'check') return check(environment, args[2]);
    if (args[0] !== undefined) return await maintain(args, environment);
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

async function serve(environment: Environment): Promise<void> {
  const log = createLog(environment.logLevel);
  const load = () => loadConfig({ env: environment, implemented: IMPLEMENTED });
  const loaded = load();
  const parts = await openParts(environment, loaded, log);
  const state = { loaded, draining: false };
  const firstRun = await enter(state.loaded, parts);
  const snapshots = createSnapshots(() => state.loaded, parts);
  await snapshots.renew();

  const gateway = assembleGateway(parts, snapshots, {
    draining: () => state.draining,
    responsesDays: () => state.loaded.config.retention.responses_days,
  });
  const alerts = assembleAlerts(parts, () => state.loaded.config);
  const api = assembleApi(parts, snapshots, alerts, () => state.loaded);
  const { host, port, base_url } = loaded.config.server;
  const router = createRouter(
    {
      gateway,
      lists: createLists(gateway, parts.modelLists),
      passthrough: createPassthrough(gateway, parts.modelLists),
      responses: createStoredResponses(gateway),
      api: api.answer,
      operations: createOperations({
        database: parts.database,
        metrics: parts.metrics,
        metricsToken: loaded.config.telemetry.metrics_token,
        draining: () => state.draining,
      }),
      beats: assembleBeats(parts, snapshots),
    },
    new URL(base_url).pathname.replace(/\/$/, ''),
  );
  const server = createHttpServer(router, systemClock, log);
  const listening = await server.listen(host, port);
  const url = port === 0 ? base_url.replace(/:0(?=\/|$)/, `:${listening}`) : base_url;
  const watch = watchFile(parts, state, snapshots, load);
  const delivery = alerts.start();
  const retention = startRetention(parts.database, systemClock, log, () => state.loaded.config.retention);
  onSignals(
    systemClock,
    log,
    () => watch?.reload(),
    async () => {
      state.draining = true;
      watch?.close();
      await retention.close();
      await parts.monitoring.leave();
      await Promise.all([server.drain(DRAIN_MS), delivery.close()]);
      await parts.monitoring.flush();
      await api.close();
      await closeParts(parts);
    },
  );
  // Last: whoever reads it may send a signal at once.
  announce(loaded, parts, url, snapshots, firstRun);
}

function assembleGateway(
  parts: Parts,
  snapshots: Snapshots,
  { draining, responsesDays }: { readonly draining: () => boolean; readonly responsesDays: () => number },
): Gateway {
  const { transport, log, rows, metrics, guardrails, breakers, lastUsed, answers, owners, dataDir } = parts;
  const { database, turnsKey } = parts;
  return {
    snapshot: snapshots.current,
    transport,
    clock: systemClock,
    log,
    rows,
    turns: createTurnStore({ database, key: turnsKey, clock: systemClock, days: responsesDays }),
    metrics,
    breakers,
    conversations: new Conversations(systemClock),
    latencies: new Latencies(systemClock),
    answers,
    flights: new Flights(),
    guard: guardrails.guard,
    outputMost: parts.modelLists.outputMost,
    lastUsed: lastUsed.note,
    owners,
    spoolDir: join(dataDir, 'uploads'),
    random: Math.random,
    draining,
  };
}

function assembleBeats({ monitoring, log, lastUsed }: Parts, snapshots: Snapshots): BeatRoutes {
  const authenticate = (presented: string) => {
    const now = systemClock.now();
    const key = snapshots.current().keyring.authenticate(presented, now);
    lastUsed.note(key.id, now);
    return key;
  };
  return createBeatRoutes({ engine: monitoring, clock: systemClock, log, authenticate });
}

function assembleApi(
  { database, log, pepper, guardrails, breakers }: Parts,
  snapshots: Snapshots,
  channels: Alerts,
  loaded: () => LoadedConfig,
): LazyApi {
  const host = { database, clock: systemClock, changed: () => snapshots.renew() };
  const authenticate = (headers: PresentedHeaders) =>
    snapshots.current().keyring.authenticate(presentedKey(headers), systemClock.now());
  const cacheOf = (orgId: string) => snapshots.current().catalogs.get(orgId)?.cache ?? null;
  const rules: RuleHost = {
    guard: guardrails.guard,
    fileRules: (orgId) => fileRulesOf(loaded(), orgId),
  };
  return createLazyApi(
    { host, log, version: VERSION, authenticate },
    { pepper, breakers, cacheOf, channels, rules },
  );
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
