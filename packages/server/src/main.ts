import { fileURLToPath } from 'node:url';
import { Fault } from '@floe/contract/faults';
import { checkConfig } from './config/check.ts';
import { type Environment, processEnvironment } from './config/environment.ts';
import { type LoadedConfig, loadConfig } from './config/load.ts';
import { ConfigError } from './config/problem.ts';
import { systemClock } from './core/clock.ts';
import { createLog } from './core/log.ts';
import { createConsole } from './http/console.ts';
import { CannotListen } from './http/listen.ts';
import { createOperations } from './http/operations.ts';
import { createRouter } from './http/router.ts';
import { assembleAlerts } from './main/alerts.ts';
import { assembleApi, assembleBeats } from './main/api.ts';
import { readArguments } from './main/arguments.ts';
import { logAuditAnchors } from './main/audit-anchors.ts';
import { watchFile } from './main/config-file.ts';
import type { FileHistory } from './main/config-host.ts';
import { assembleGateway, gatewayRooms } from './main/gateway.ts';
import { type Listening, openListeners } from './main/listeners.ts';
import { assembleBoards, monitoringHost } from './main/monitoring.ts';
import { closeParts, openParts, type Parts } from './main/parts.ts';
import { assembleRelay } from './main/relay.ts';
import { startRetention } from './main/retention.ts';
import { recordAddress } from './main/running-address.ts';

import { assembleSignIn } from './main/sign-in.ts';
import { onSignals } from './main/signals.ts';
import { createSnapshots, enter, type Snapshots } from './main/snapshots.ts';
import { examine } from './management/config/examine-config.ts';
import { quietOfMonitors } from './monitoring/quiet.ts';
import type { FirstRun } from './platform/bootstrap.ts';
import { sessionRulesOf } from './platform/sign-in/session-rules.ts';
import { welcome } from './platform/welcome.ts';
import { OutboundUnusable } from './providers/outbound.ts';
import { StoreUnusable } from './store/store-unusable.ts';

export const VERSION = '0.1.0';
/** Where `node scripts/build-console.mjs` puts the console. */
const CONSOLE_DIR = fileURLToPath(new URL('../../console/dist', import.meta.url));
/** How long requests under way may take to finish after TERM. */
const DRAIN_MS = 25_000;

/** The program: `config check [file]`, a maintenance command, or nothing for the server. Prints one clear line when it cannot start. */
export async function run(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  try {
    const environment = processEnvironment();
    if (args[0] === 'config' && args[1] === 'check') return check(environment, args.slice(2));
    if (args[0] !== undefined) {
      // What a server does not need is not read at its start.
      const { maintain } = await import('./main/maintenance.ts');
      return await maintain(args, environment);
    }
    await serve(environment);
  } catch (error) {
    process.stderr.write(`${prefixed(isExpected(error) ? error.message : describeBug(error))}\n`);
    process.exit(error instanceof StoreUnusable ? error.exitCode : 1);
  }
}

function check(env: Environment, args: readonly string[]): void {
  const { names, flags } = readArguments(args, CONFIG_CHECK);
  const [path] = names;
  const { ok, lines } = checkConfig({
    env,
    examine,
    allowsUnset: flags.has('allow-unset'),
    ...(path === undefined ? {} : { path }),
  });
  (ok ? process.stdout : process.stderr).write(`${lines.join('\n')}\n`);
  process.exitCode = ok ? 0 : 1;
}

/** `--allow-unset` is for CI, which has no secrets. */
const CONFIG_CHECK = {
  usage: 'config check [file] [--allow-unset]',
  names: [0, 1],
  flags: ['allow-unset'],
} as const;

function isExpected(error: unknown): error is Error {
  return (
    error instanceof ConfigError ||
    error instanceof StoreUnusable ||
    error instanceof CannotListen ||
    error instanceof OutboundUnusable ||
    error instanceof Fault
  );
}

function describeBug(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function prefixed(text: string): string {
  return text.replace(/^/gm, 'floe: ');
}

interface RunningState extends FileHistory {
  draining: boolean;
}

async function serve(environment: Environment): Promise<void> {
  const log = createLog(environment.logLevel);
  const load = () => loadConfig({ env: environment, examine });
  const loaded = load();
  const parts = await openParts(environment, loaded, log);
  const state: RunningState = { loaded, loadedAt: systemClock.now(), refused: null, draining: false };
  const firstRun = await enter(state.loaded, parts);
  const snapshots = createSnapshots(() => state.loaded, parts);
  await snapshots.renew();

  const { port, base_url } = loaded.config.server;
  const place = { url: base_url };
  const gateway = assembleGateway(parts, snapshots, {
    draining: () => state.draining,
    responsesDays: () => state.loaded.config.retention.responses_days,
    baseUrl: () => place.url,
  });
  const alerts = assembleAlerts(parts, () => state.loaded.config, place, quietOfMonitors);
  const monitoring = monitoringHost(parts, place, snapshots.timezone);
  const signIn = assembleSignIn(parts, () => state.loaded, place);
  const rooms = { alerts, monitoring, relay: assembleRelay(parts, place), signIn };
  const api = assembleApi(parts, gateway, rooms, { snapshots, history: state, version: VERSION });
  const prefix = new URL(base_url).pathname.replace(/\/$/, '');
  const operations = assembleOperations(parts, loaded, () => state.draining);
  const router = createRouter({
    ...gatewayRooms(gateway, parts),
    api: api.answer,
    operations,
    console: createConsole({ dir: CONSOLE_DIR, prefix, unbuilt: operations.home }),
    beats: assembleBeats(parts, snapshots),
    boards: assembleBoards(parts, monitoring, signIn, prefix),
  });
  const listening = await openListeners(loaded.config, prefix, router, { clock: systemClock, log });
  await parts.monitoring.start();
  if (port === 0) place.url = base_url.replace(/:0(?=\/|$)/, `:${listening.port}`);
  const watch = watchFile(parts, state, snapshots, load);
  const delivery = alerts.start();
  const retention = startRetention(parts.database, systemClock, log, () => ({
    ...state.loaded.config.retention,
    sessions: sessionRulesOf(state.loaded.config.auth),
  }));
  const { background } = gateway;
  const anchors = logAuditAnchors(parts.database, systemClock, log);
  const address = { close: recordAddress(parts.dataDir, place.url) };
  const sessions = signIn.sessions;
  const ends = { watch, retention, anchors, listening, delivery, api, background, sessions, address };
  onSignals(
    systemClock,
    log,
    () => watch?.reload(),
    () => drain(parts, state, ends),
  );
  // Last: whoever reads it may send a signal at once.
  announce(parts, { loaded, snapshots }, { listening, url: place.url }, firstRun);
}

interface Closing {
  close(): unknown;
}

/** What runs beside the parts and ends before them. */
interface Ends
  extends Readonly<
    Record<'retention' | 'anchors' | 'delivery' | 'api' | 'background' | 'sessions' | 'address', Closing>
  > {
  readonly watch: Closing | undefined;
  readonly listening: Listening;
}

/** Takes nothing new, finishes what goes on, and writes down the rest. */
async function drain(parts: Parts, state: RunningState, ends: Ends): Promise<void> {
  state.draining = true;
  ends.watch?.close();
  ends.address.close();
  await Promise.all([ends.retention.close(), ends.anchors.close()]);
  await Promise.all([parts.live.close(), parts.jobs.close()]);
  await parts.trials.close();
  await parts.monitoring.leave();
  await Promise.all([ends.listening.drain(DRAIN_MS), ends.delivery.close()]);
  await parts.monitoring.flush();
  await ends.api.close();
  await ends.background.close();
  await ends.sessions.close();
  await closeParts(parts);
}

function assembleOperations({ database, metrics }: Parts, { config }: LoadedConfig, draining: () => boolean) {
  return createOperations({ database, metrics, metricsToken: config.telemetry.metrics_token, draining });
}

function announce(
  parts: Parts,
  { loaded, snapshots }: { readonly loaded: LoadedConfig; readonly snapshots: Snapshots },
  at: { readonly listening: Listening; readonly url: string },
  firstRun: FirstRun | null,
): void {
  const { url: listening, others: listeners } = at.listening;
  const { catalogs } = snapshots.current();
  const providers = [...catalogs.values()].flatMap((catalog) => [...catalog.providers.keys()]);
  const place = { version: VERSION, dataDir: parts.dataDir, configPath: loaded.path, providers };
  process.stdout.write(welcome({ ...place, listening, listeners, url: at.url }, firstRun));
  for (const warning of loaded.warnings) parts.log.warn({}, warning);
  for (const field of loaded.inactive)
    parts.log.warn({ field }, 'this field is set but has no effect in this version');
}
