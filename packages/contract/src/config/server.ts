import * as z from 'zod';
import {
  createBaseUrlField,
  createNetworkField,
  createPositiveCountField,
  createShortTextField,
} from './fields.ts';

/** The surfaces that a listener can serve. */
export const LISTENER_SURFACES = [
  'gateway',
  'relay',
  'beats',
  'management',
  'console',
  'boards',
  'metrics',
  'health',
] as const;

/** First path segments that Floe uses at the root of the host. */
const RESERVED_PATHS = new Set(['gateway', 'relay', 'beat', 'api', 'boards', 'metrics', 'healthz', 'readyz']);

/** Far above any useful number, so a larger value is probably a typo. */
const MAX_PROCESSES = 256;

/** IPv6 addresses may be written in brackets, as in a URL. */
const listenHostField = () =>
  createShortTextField()
    .transform((host) => host.replace(/^\[(.*)\]$/, '$1'))
    .meta({ pattern: '.' });

const ListenerSchema = z.strictObject({
  port: z.int().min(0).max(65_535).describe('Port of this listener. 0 selects a free port.'),
  host: listenHostField()
    .optional()
    .describe('Address to listen on. Defaults to the value of `server.host`.'),
  surfaces: z
    .array(z.enum(LISTENER_SURFACES))
    .min(1)
    .describe(
      'Groups of paths that this listener serves in addition to `/healthz` and `/readyz`. All other paths return 404. `management` includes all paths under `/api` except `/api/monitoring/heartbeat`. `console` also requires `management`.',
    ),
});

const UnauthenticatedSchema = z.strictObject({
  total: createPositiveCountField()
    .default(8_192)
    .describe('Maximum number of unauthenticated connections on all listeners of one process together.'),
  per_address: createPositiveCountField()
    .default(1_024)
    .describe(
      'Maximum number of unauthenticated connections to one process from one client address, or from one IPv6 /64 network. Connections from `trusted_proxies` do not count toward either maximum.',
    ),
});

const OverloadSchema = z.strictObject({
  max_concurrent_requests: createPositiveCountField()
    .default(10_000)
    .describe('Maximum number of gateway requests in progress in one process.'),
  max_body_memory_mb: z
    .int()
    .min(64)
    .max(1_000_000)
    .optional()
    .describe(
      'Maximum size of the request bodies and buffered responses in memory in one process, in MiB. Defaults to a quarter of the memory of the machine or container, divided by the number of processes, and at least 64.',
    ),
  max_body_disk_mb: z
    .int()
    .min(64)
    .max(100_000_000)
    .optional()
    .describe(
      'Maximum size of the request bodies in temporary files of one process, in MiB. Floe writes forms of more than 1 MiB that name a model, such as audio uploads, to the data directory. Defaults to a tenth of the free space on the disk of the data directory when the process starts, divided by the number of processes, and at least 1024.',
    ),
  max_event_loop_delay_ms: z
    .int()
    .min(0)
    .max(1_000)
    .default(50)
    .describe(
      'Delay of the event loop, in milliseconds, above which Floe lowers the maximum number of concurrent gateway requests until the delay is shorter. 0 disables this limit.',
    ),
});

export const ServerSchema = z
  .strictObject({
    host: listenHostField()
      .default('127.0.0.1')
      .describe('Address to listen on. `::` means IPv4 and IPv6. Defaults to `127.0.0.1`.'),
    port: z
      .int()
      .min(0)
      .max(65535)
      .default(3563)
      .describe('Port of the main listener, which serves every surface. 0 selects a free port.'),
    base_url: createBaseUrlField()
      .refine(hasUnreservedPath, 'must not have a path that Floe itself uses, such as /api or /gateway')
      .optional()
      .describe(
        'Public URL of the installation, which Floe uses in links and cookies. The URL can contain a path. Defaults to an `http` URL with `host` and `port`.',
      ),
    processes: z
      .union([z.int().min(1).max(MAX_PROCESSES), z.literal('auto')])
      .default(1)
      .describe('Number of processes that share the listeners. `auto` starts one process for each core.'),
    trusted_proxies: z
      .array(createNetworkField())
      .default([])
      .describe('Proxies whose headers `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` Floe trusts.'),
    shutdown_delay_ms: z
      .int()
      .min(0)
      .max(300_000)
      .default(5_000)
      .describe(
        'How long Floe continues to serve all requests after SIGTERM, in milliseconds. During this time, `/readyz` returns 503, so that load balancers stop sending requests. SIGINT skips the delay.',
      ),
    drain_timeout_ms: z
      .int()
      .min(0)
      .max(86_400_000)
      .default(900_000)
      .describe(
        'How long requests in progress may continue after the shutdown delay, in milliseconds. Floe then ends incomplete requests with an error.',
      ),
    unauthenticated_connections: UnauthenticatedSchema.prefault({}).describe(
      'Limits on connections without an authenticated caller. If there are more connections, Floe closes the oldest ones.',
    ),
    overload: OverloadSchema.prefault({}).describe(
      'Limits above which Floe rejects new gateway requests with 503 `overloaded`. If the installation has several organizations, an organization may use more than an equal share only while all organizations together use less than 90% of a limit.',
    ),
    listeners: z
      .array(ListenerSchema)
      .default([])
      .describe(
        'Additional listeners. Each listener serves the surfaces that you list, and the health checks.',
      ),
  })
  .transform((server) => ({
    ...server,
    base_url: server.base_url ?? buildLocalListenerUrl(server.host, server.port),
  }));

function hasUnreservedPath(url: string): boolean {
  const [, first = ''] = URL.canParse(url) ? new URL(url).pathname.split('/') : [];
  return !RESERVED_PATHS.has(first);
}

/**
 * Returns the URL of a listener that a browser on this host can open. Replaces an address for all interfaces
 * with a local one.
 */
export function buildLocalListenerUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || /^[0:]+$/.test(host);
  // Browsers cannot open addresses with a zone.
  const bare = host.replace(/%.*$/, '');
  const name = everywhere ? '127.0.0.1' : bare.includes(':') ? `[${bare}]` : bare;
  return `http://${name}:${port}`;
}
