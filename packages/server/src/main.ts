import { fileURLToPath } from 'node:url';
import { Fault } from '@floe/contract/faults';
import { RuntimeMetrics } from './analytics/runtime-metrics.ts';
import { checkConfigFile } from './config/check-config.ts';
import { ConfigError } from './config/config-problem.ts';
import { readProcessEnvironment, type ServerEnvironment } from './config/environment.ts';
import { type LoadedConfig, loadConfig } from './config/load-config.ts';
import { systemClock } from './core/clock.ts';
import { FatalError } from './core/fatal-error.ts';
import { createConsoleRoutes } from './http/console-routes.ts';
import { ListenError } from './http/listen.ts';
import { createOperationalRoutes } from './http/operational-routes.ts';
import { createRouter } from './http/router.ts';
import { createAlertComponents } from './main/alert-components.ts';
import { createStartReport } from './main/announce-start.ts';
import { startAuditAnchorLogging } from './main/audit-anchor-logging.ts';
import { parseCommandArguments } from './main/command-arguments.ts';
import type { ConfigFileLoadState } from './main/config-dependencies.ts';
import { ConfigThread } from './main/config-thread.ts';
import { createApiFromServerComponents, createBeatRoutesFromServerComponents } from './main/create-api.ts';
import { createGatewayDependencies, createGatewayRoutes } from './main/create-gateway.ts';
import { findConfigFileIssues } from './main/find-config-file-issues.ts';
import { applyConfigFile, createGatewaySnapshots } from './main/gateway-snapshots.ts';
import { openListeners } from './main/listeners.ts';
import { createConfiguredBoardRoutes, createMonitoringDependencies } from './main/monitoring-dependencies.ts';
import { delaySignals, handleProcessSignals, shutDownOnParentExit } from './main/process-signals.ts';
import { type ProcessContext, STANDALONE_PROCESS_CONTEXT } from './main/processes/process-context.ts';
import { resolveProcessCount } from './main/processes/process-count.ts';
import { SUPERVISED_PROCESS_ARGUMENT } from './main/processes/process-messages.ts';
import { createRelayDependencies } from './main/relay-dependencies.ts';
import { startRetention } from './main/retention.ts';
import { openServerComponents, type ServerComponents } from './main/server-components.ts';
import { openServerOutput } from './main/server-output.ts';
import { writeServerUrl } from './main/server-url-file.ts';
import { createShutdownController, ShutdownState } from './main/shutdown.ts';
import { createSignInContext } from './main/sign-in-context.ts';
import { recordUnhandledRejections } from './main/unhandled-rejections.ts';
import { watchConfigFile } from './main/watch-config-file.ts';
import { resolveMonitorMutes } from './monitoring/monitor-mutes.ts';
import { toConsoleSessionSettings } from './platform/sign-in/console-session-settings.ts';
import { OutboundConfigError } from './providers/outbound-connections.ts';

export const SERVER_VERSION = '0.1.0';
/** Output directory of `node scripts/build-console.mjs`. */
const CONSOLE_DIR = fileURLToPath(new URL('../../console/dist', import.meta.url));

/**
 * Runs the program: `config check [file]`, a maintenance command, or the server if there are no
 * arguments. If it cannot start, prints one line and exits.
 */
export async function runProgram(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  try {
    if (args[0] === 'config' && args[1] === 'check') return runConfigCheck(args.slice(2));
    if (args[0] === 'doctor') {
      const { runDoctor } = await import('./main/doctor/run-doctor.ts');
      return await runDoctor(args.slice(1));
    }
    const environment = readProcessEnvironment();
    if (args[0] === 'read-litellm-database') {
      const { printLitellmTables } = await import('./main/print-litellm-tables.ts');
      return await printLitellmTables();
    }
    if (args[0] === SUPERVISED_PROCESS_ARGUMENT) {
      const { SupervisedProcessContext, supervisorChannel } = await import(
        './main/processes/supervised-process-context.ts'
      );
      const [count = Number.NaN, number = Number.NaN] = args.slice(1).map(Number);
      if (process.send === undefined || !Number.isInteger(count) || !Number.isInteger(number))
        throw new Error(
          `the argument ${SUPERVISED_PROCESS_ARGUMENT} is for internal use: only the supervisor of the server passes it`,
        );
      const host = new SupervisedProcessContext({ count, number }, supervisorChannel, systemClock);
      return await serve(environment, loadServerConfig(environment), host);
    }
    if (args[0] !== undefined) {
      // Loaded only here, so that the server does not load it at its start.
      const { runDatabaseCommand } = await import('./main/database-commands.ts');
      return await runDatabaseCommand(args, environment);
    }
    await startServer(environment);
  } catch (error) {
    process.stderr.write(`${prefixLines(isExpected(error) ? error.message : describeBug(error))}\n`);
    process.exit(error instanceof FatalError ? error.exitCode : 1);
  }
}

function runConfigCheck(args: readonly string[]): void {
  const { positionals, flags } = parseCommandArguments(args, CONFIG_CHECK);
  const [path] = positionals;
  const allowUnset = flags.has('allow-unset');
  const { ok, lines } = checkConfigFile({
    env: readProcessEnvironment({ allowMissingFiles: allowUnset }),
    validateSemantics: findConfigFileIssues,
    allowUnset,
    ...(path === undefined ? {} : { path }),
  });
  (ok ? process.stdout : process.stderr).write(`${lines.join('\n')}\n`);
  process.exitCode = ok ? 0 : 1;
}

/** `--allow-unset` is for CI, where secrets are not set. */
const CONFIG_CHECK = {
  usage: 'config check [file] [--allow-unset]',
  positionals: [0, 1],
  flags: ['allow-unset'],
} as const;

function isExpected(error: unknown): error is Error {
  return (
    error instanceof ConfigError ||
    error instanceof FatalError ||
    error instanceof ListenError ||
    error instanceof OutboundConfigError ||
    error instanceof Fault
  );
}

function describeBug(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function prefixLines(text: string): string {
  return text.replace(/^/gm, 'floe: ');
}

/** Runs the server in this process, or in several processes that this one supervises. */
async function startServer(environment: ServerEnvironment): Promise<void> {
  shutDownOnParentExit();
  const loaded = loadServerConfig(environment);
  const count = resolveProcessCount(loaded.config.server);
  if (count === 1) return await serve(environment, loaded, STANDALONE_PROCESS_CONTEXT);
  const { superviseProcesses } = await import('./main/processes/supervise-processes.ts');
  await superviseProcesses(environment, loaded, count);
}

function loadServerConfig(environment: ServerEnvironment): LoadedConfig {
  return loadConfig({ env: environment, validateSemantics: findConfigFileIssues });
}

async function serve(env: ServerEnvironment, loaded: LoadedConfig, host: ProcessContext): Promise<void> {
  const output = openServerOutput(env.logLevel, () => state.loaded.config.log.access);
  const runtime = new RuntimeMetrics(SERVER_VERSION, env.variable('FLOE_COMMIT') || 'unknown');
  recordUnhandledRejections(output.log, () => runtime.recordUnhandledError());
  const parts = await openServerComponents(env, loaded, { ...output, serverProcess: host, runtime });
  const { log } = parts;
  const phase = new ShutdownState();
  const state: ConfigFileLoadState = { loaded, loadedAt: systemClock.now(), rejected: null };
  const firstRun = await applyConfigFile(state.loaded, parts);
  const snapshots = createGatewaySnapshots(() => state.loaded, parts);
  await snapshots.renew();

  const { server } = loaded.config;
  const serverUrl = { url: server.base_url };
  const gateway = createGatewayDependencies(parts, snapshots, {
    draining: () => phase.isDraining,
    config: () => state.loaded.config,
    baseUrl: () => serverUrl.url,
  });
  const alerts = createAlertComponents(parts, () => state.loaded.config, serverUrl, resolveMonitorMutes);
  const monitoring = createMonitoringDependencies(parts, serverUrl, snapshots.timezone);
  const signIn = createSignInContext(parts, () => state.loaded, serverUrl);
  const components = { alerts, monitoring, relay: createRelayDependencies(parts, serverUrl), signIn };
  const api = createApiFromServerComponents(parts, gateway, components, {
    snapshots,
    history: state,
    version: SERVER_VERSION,
  });
  const prefix = new URL(server.base_url).pathname.replace(/\/$/, '');
  const metricsToken = () => state.loaded.config.telemetry.metrics_token;
  const operations = assembleOperations(parts, host, metricsToken, () => phase.isLeaving);
  const router = createRouter({
    ...createGatewayRoutes(gateway, parts),
    api: api.answer,
    operations,
    console: createConsoleRoutes({ dir: CONSOLE_DIR, prefix, answerUnbuilt: operations.home }),
    beats: createBeatRoutesFromServerComponents(parts, snapshots),
    boards: createConfiguredBoardRoutes(parts, monitoring, signIn, prefix),
  });
  const sendDelayedSignals = delaySignals();
  const listening = await openListeners(server, prefix, router, { clock: systemClock, log, metricsToken });
  await parts.monitoring.start();
  if (server.port === 0) serverUrl.url = server.base_url.replace(/:0(?=\/|$)/, `:${listening.port}`);
  const watch = watchConfigFile(parts, state, snapshots, new ConfigThread(env, systemClock));
  const delivery = alerts.start();
  const retention = startConfiguredRetention(parts, state);
  const anchors = startAuditAnchorLogging(parts.database, systemClock, log);
  const address = { close: writeServerUrl(parts.dataDir, serverUrl.url) };
  const sessions = signIn.sessions;
  const targets = { watch, retention, anchors, listening, delivery, api, gateway, sessions, address, host };
  const shutdown = createShutdownController(parts, phase, targets, () => state.loaded.config.server);
  host.onRestart(handleProcessSignals(systemClock, log, () => void watch.reload(), shutdown));
  sendDelayedSignals();
  // Last step, because the reader of this output may send a signal immediately.
  const started = { version: SERVER_VERSION, dataDir: parts.dataDir, loaded, snapshots, listening };
  host.announceStart(createStartReport({ ...started, url: serverUrl.url }, firstRun), output);
}

function startConfiguredRetention({ database, log }: ServerComponents, state: ConfigFileLoadState) {
  return startRetention(database, systemClock, log, () => ({
    ...state.loaded.config.retention,
    sessions: toConsoleSessionSettings(state.loaded.config.auth),
  }));
}

function assembleOperations(
  { database, metrics }: ServerComponents,
  host: ProcessContext,
  metricsToken: () => string,
  isLeaving: () => boolean,
) {
  return createOperationalRoutes({
    database,
    metrics: host.createEndpointMetrics(metrics),
    metricsToken,
    isLeaving,
  });
}
