import type { LoadedConfig } from '../config/load-config.ts';
import type { FirstStartSecrets } from '../platform/bootstrap.ts';
import { findPasswordSignInProblem } from '../platform/sign-in/password-hash.ts';
import {
  formatStartupMessage,
  type StartupMessageValues,
  toStartupLogFields,
} from '../platform/startup-message.ts';
import { findBaseUrlWarning } from './base-url-warning.ts';
import type { GatewaySnapshots } from './gateway-snapshots.ts';
import type { OpenedListeners } from './listeners.ts';
import type { ServerOutput } from './server-output.ts';

/** A server process that accepts connections. */
export interface StartedServer {
  readonly version: string;
  readonly dataDir: string;
  readonly loaded: LoadedConfig;
  readonly snapshots: GatewaySnapshots;
  readonly listening: OpenedListeners;
  /** The base URL that users open. */
  readonly url: string;
}

/**
 * The information that is printed after the start. It is plain data, so that a process can send it to its
 * supervisor.
 */
export interface StartReport {
  readonly info: StartupMessageValues;
  readonly firstRun: FirstStartSecrets | null;
  readonly warnings: readonly string[];
  /** Fields of floe.yaml that have no effect. */
  readonly inactiveFields: readonly string[];
}

export function createStartReport(server: StartedServer, firstRun: FirstStartSecrets | null): StartReport {
  const { loaded, listening, url } = server;
  return {
    info: toStartupInfo(server),
    firstRun,
    warnings: loaded.warnings.concat(
      findBaseUrlWarning(url, listening) ?? [],
      findPasswordWarning(loaded) ?? [],
    ),
    inactiveFields: loaded.inactiveFields,
  };
}

function findPasswordWarning({ config }: LoadedConfig): string | null {
  const problem = findPasswordSignInProblem(config.auth);
  return problem && `${problem.message}. ${problem.remedy}`;
}

/**
 * Prints the startup message, which contains the server's URL: several lines on a terminal, otherwise one JSON line.
 * Then logs the warnings and the settings that have no effect.
 */
export function announceStart(
  { info, firstRun, warnings, inactiveFields }: StartReport,
  output: ServerOutput,
): void {
  if (output.isTerminal) output.print(formatStartupMessage(info, firstRun));
  else output.announce(toStartupLogFields(info, firstRun), 'server is listening');
  for (const warning of warnings) output.log.warn({}, warning);
  for (const field of inactiveFields) output.log.warn({ field }, 'setting has no effect in this version');
}

function toStartupInfo({
  version,
  dataDir,
  loaded,
  snapshots,
  listening,
  url,
}: StartedServer): StartupMessageValues {
  const { catalogs } = snapshots.current();
  return {
    version,
    localUrl: listening.url,
    listeners: listening.additional,
    url,
    dataDir,
    configPath: loaded.path,
    providers: [...catalogs.values()].flatMap((catalog) => [...catalog.providers.keys()]),
  };
}
