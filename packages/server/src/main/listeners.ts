import type { FloeConfig, ListenerConfig } from '@floe/contract/config';
import { buildLocalListenerUrl } from '@floe/contract/config/server';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import {
  allowsUnauthenticatedMetrics,
  blockMetricsWithoutToken,
  limitToSurfaces,
} from '../http/listener-surfaces.ts';
import { normalizeRequestUrl } from '../http/normalize-request-url.ts';
import { OpenFileMonitor } from '../http/open-file-monitor.ts';
import { createHttpServer, type HttpServer, type ListenerHandler } from '../http/server.ts';
import { UnauthenticatedConnectionLimiter } from '../http/unauthenticated-connection-limiter.ts';

/** The dependencies of the listeners. */
export interface ListenerDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns the bearer token that `/metrics` requires. '' for none. */
  readonly metricsToken: () => string;
}

/** The open listeners, with their URLs as seen from this host. */
export interface OpenedListeners {
  readonly url: string;
  readonly port: number;
  readonly additional: readonly { readonly url: string; readonly surfaces: readonly string[] }[];
  /** Stops accepting connections. Open connections are still served. */
  stopAccepting(): void;
  /** Makes every following response ask the client to close its connection. Requests are still served. */
  announceClose(): void;
  /**
   * Stops accepting connections, waits until open requests end, and ends the remaining ones after
   * `limitMs`.
   */
  drain(limitMs: number): Promise<void>;
}

/**
 * Surfaces that operators use. Listeners with only these surfaces stay open until all requests have ended.
 */
const OPERATIONAL_SURFACES: ReadonlySet<string> = new Set<ListenerConfig['surfaces'][number]>([
  'metrics',
  'health',
]);
const OPERATIONAL_DRAIN_MS = 1_000;

/**
 * Opens the main listener, which serves all surfaces, and the listeners in `server.listeners`, which serve
 * some of them.
 * @param prefix path of the configured base URL; empty if it has none
 * @throws ListenError if a listener cannot be opened. The process must then end.
 */
export async function openListeners(
  config: FloeConfig['server'],
  prefix: string,
  router: ListenerHandler,
  { clock, log, metricsToken }: ListenerDependencies,
): Promise<OpenedListeners> {
  const servers: HttpServer[] = [];
  const operational: HttpServer[] = [];
  const { total, per_address } = config.unauthenticated_connections;
  const caps = { total, perAddress: per_address, trustedProxies: config.trusted_proxies };
  // One limit for all listeners, because they share the memory.
  const unauthenticated = new UnauthenticatedConnectionLimiter(caps, clock);
  const openFiles = new OpenFileMonitor({ clock, log });
  openFiles.start();
  const open = async (entrance: ListenerHandler, host: string, port: number, setting: string) => {
    const server = createHttpServer(normalizeRequestUrl(prefix, openFiles.restrict(entrance)), {
      clock,
      log,
      connectionLimiter: unauthenticated,
      openFiles,
    });
    const boundPort = await server.listen(host, port, setting);
    return { server, boundPort };
  };
  const hasProxies = config.trusted_proxies.length > 0;
  const guardMetrics = (entrance: ListenerHandler, host: string, surfaces: ListenerConfig['surfaces']) =>
    allowsUnauthenticatedMetrics(host, hasProxies, surfaces)
      ? entrance
      : blockMetricsWithoutToken(entrance, () => metricsToken() !== '');
  const main = await open(guardMetrics(router, config.host, []), config.host, config.port, 'server');
  const port = main.boundPort;
  servers.push(main.server);
  const others: { readonly url: string; readonly surfaces: readonly string[] }[] = [];
  for (const [index, { host = config.host, port: wanted, surfaces }] of config.listeners.entries()) {
    const entrance = limitToSurfaces(surfaces, guardMetrics(router, host, surfaces));
    const isOperational = surfaces.every((surface) => OPERATIONAL_SURFACES.has(surface));
    const { server, boundPort } = await open(entrance, host, wanted, `server.listeners[${index}]`);
    (isOperational ? operational : servers).push(server);
    others.push({ url: buildLocalListenerUrl(host, boundPort), surfaces });
  }
  return {
    url: buildLocalListenerUrl(config.host, port),
    port,
    additional: others,
    stopAccepting() {
      for (const server of [...servers, ...operational]) server.stopAccepting();
    },
    announceClose() {
      for (const server of [...servers, ...operational]) server.announceClose();
    },
    async drain(limitMs) {
      await Promise.all(servers.map((server) => server.drain(limitMs)));
      // Until here, Prometheus sees the requests that end during the drain.
      await Promise.all(operational.map((server) => server.drain(OPERATIONAL_DRAIN_MS)));
      openFiles.close();
    },
  };
}
