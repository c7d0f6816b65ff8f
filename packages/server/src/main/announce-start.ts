import type { LoadedConfig } from '../config/load-config.ts';
import type { FirstStartCredentials } from '../platform/bootstrap.ts';
import { formatStartupMessage, type StartupInfo, toStartupLogFields } from '../platform/startup-message.ts';
import { findBaseUrlWarning } from './base-url-warning.ts';
import type { GatewaySnapshots } from './gateway-snapshots.ts';
import type { OpenListeners } from './listeners.ts';
import type { ServerOutput } from './server-output.ts';

/** A server process that accepts connections. */
export interface StartedServer {
  readonly version: string;
  readonly dataDir: string;
  readonly loaded: LoadedConfig;
  readonly snapshots: GatewaySnapshots;
  readonly listening: OpenListeners;
  /** The base URL that users open. */
  readonly url: string;
}

/** Prints the server's URL: as several lines on a terminal, otherwise as one JSON line. */
export function announceStart(
  server: StartedServer,
  output: ServerOutput,
  firstRun: FirstStartCredentials | null,
): void {
  const { loaded, listening, url } = server;
  const info = toStartupInfo(server);
  if (output.isTerminal) output.print(formatStartupMessage(info, firstRun));
  else output.announce(toStartupLogFields(info, firstRun), 'server is listening');
  const baseUrlWarning = findBaseUrlWarning(url, listening) ?? [];
  for (const warning of loaded.warnings.concat(baseUrlWarning)) output.log.warn({}, warning);
  for (const field of loaded.inactiveFields)
    output.log.warn({ field }, 'setting has no effect in this version');
}

function toStartupInfo({ version, dataDir, loaded, snapshots, listening, url }: StartedServer): StartupInfo {
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
