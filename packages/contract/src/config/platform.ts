import * as z from 'zod';
import { MEMBER_ROLES } from '../roles.ts';
import {
  baseUrlField,
  labelField,
  networkField,
  optionalUrlField,
  positiveCountField,
  secretField,
  slugField,
  webUrlField,
} from './fields.ts';

/** Surfaces that a listener can serve. */
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

/** IPv6 addresses may be written in brackets, as in a URL. */
const listenHostField = () =>
  labelField()
    .transform((host) => host.replace(/^\[(.*)\]$/, '$1'))
    .meta({ pattern: '.' });

const ListenerSchema = z.strictObject({
  port: z.int().min(0).max(65_535).describe('Port of this listener. 0 selects a free port.'),
  host: listenHostField().optional().describe('Address to listen on. Defaults to `server.host`.'),
  surfaces: z
    .array(z.enum(LISTENER_SURFACES))
    .min(1)
    .describe(
      'Surfaces that this listener serves. Other paths return 404. `management` (or `api`) includes all of `/api`, which `console` requires. Every listener serves `/healthz` and `/readyz`.',
    ),
});

const UnauthenticatedSchema = z.strictObject({
  total: positiveCountField().default(8_192).describe('Maximum over all listeners.'),
  per_address: positiveCountField()
    .default(1_024)
    .describe(
      'Maximum from one client address. Connections from `trusted_proxies` count in neither maximum.',
    ),
});

export const ServerSchema = z
  .strictObject({
    host: listenHostField().default('127.0.0.1').describe('Address to listen on. `::` means IPv4 and IPv6.'),
    port: z
      .int()
      .min(0)
      .max(65535)
      .default(3563)
      .describe('Port of the main listener, which serves every surface. 0 selects a free port.'),
    base_url: baseUrlField()
      .refine(isOriginUrl, 'must not have a path that starts with a path of Floe, such as /api or /gateway')
      .optional()
      .describe(
        'Public URL of the installation, used in links and cookies. It may have a path prefix. Defaults to a URL with host and port.',
      ),
    trusted_proxies: z
      .array(networkField())
      .default([])
      .describe('Proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` headers Floe uses.'),
    shutdown_delay_ms: z
      .int()
      .min(0)
      .max(300_000)
      .default(5_000)
      .describe(
        'How long Floe serves everything after SIGTERM while `/readyz` already returns 503, so that load balancers stop sending requests. SIGINT skips the delay.',
      ),
    drain_timeout_ms: z
      .int()
      .min(0)
      .max(86_400_000)
      .default(900_000)
      .describe(
        'How long requests in progress may take after the shutdown delay. Requests that are not complete by then end with an error.',
      ),
    unauthenticated_connections: UnauthenticatedSchema.prefault({}).describe(
      'Limits on open connections that have not authenticated yet. Floe closes the oldest first.',
    ),
    listeners: z
      .array(ListenerSchema)
      .default([])
      .describe('Additional listeners, each with some of the surfaces.'),
  })
  .transform((server) => ({
    ...server,
    base_url: server.base_url ?? localListenerUrl(server.host, server.port),
  }));

function isOriginUrl(url: string): boolean {
  const [, first = ''] = URL.canParse(url) ? new URL(url).pathname.split('/') : [];
  return !RESERVED_PATHS.has(first);
}

/** A URL of a listener that a browser on this machine can open. */
export function localListenerUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || /^[0:]+$/.test(host);
  // Browsers cannot open addresses with a zone.
  const bare = host.replace(/%.*$/, '');
  const name = everywhere ? '127.0.0.1' : bare.includes(':') ? `[${bare}]` : bare;
  return `http://${name}:${port}`;
}

export const StorageSchema = z.strictObject({
  database: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'must be sqlite:<file> or postgres://…')
    .default('sqlite:./.floe/floe.db')
    .meta({ writeOnly: true })
    .describe('URL of the database: `sqlite:<file>` for one process, `postgres://…` for several.'),
  shared: z
    .string()
    .regex(/^(memory|rediss?:\/\/.+)$/, 'must be memory, redis://… or rediss://…')
    .default('memory')
    .meta({ writeOnly: true })
    .describe(
      'Store of counters and signals: `memory` for one process, `redis://…` (Redis or Valkey) for several.',
    ),
  shared_timeout_ms: positiveCountField()
    .default(50)
    .describe(
      'How long a request waits for the shared store, in milliseconds. After that, `on_store_error` of each limit and budget applies.',
    ),
});

export const SecuritySchema = z.strictObject({
  private_networks: z
    .array(networkField())
    .default([])
    .describe(
      'Private networks to which Floe may connect for providers, channels and sign-in. Hosts named in this file are always allowed. Cloud metadata addresses are never allowed.',
    ),
});

const daysField = () => z.int().min(1).max(36_500);

export const RetentionSchema = z.strictObject({
  requests_days: daysField().default(90).describe('Days for which the request log is stored.'),
  checks_days: daysField().default(400).describe('Days for which checks of monitors are stored.'),
  audit_days: daysField().default(400).describe('Days for which audit log entries are stored.'),
  bodies_days: daysField()
    .default(7)
    .describe('Days for which bodies of requests and responses are stored, if an organization stores them.'),
  responses_days: daysField().default(30).describe('Days for which stored responses are available.'),
});

export const OutboundSchema = z.strictObject({
  proxy: optionalUrlField(['http', 'https'])
    .default('')
    .meta({ writeOnly: true })
    .describe('Proxy for all outbound requests of Floe. Empty: the value of `HTTPS_PROXY`.'),
  no_proxy: z
    .string()
    .default('')
    .describe(
      'Comma-separated hosts that Floe connects to without the proxy. Empty: the value of `NO_PROXY`.',
    ),
  ca_file: z
    .string()
    .default('')
    .describe('PEM file with additional certificate authorities. Empty: the value of `NODE_EXTRA_CA_CERTS`.'),
});

export const TelemetrySchema = z.strictObject({
  otlp_endpoint: optionalUrlField(['http', 'https'])
    .default('')
    .meta({ inactive: true })
    .describe(
      'URL of an OTLP/HTTP collector for traces. Has no effect in this version, because Floe sends no traces.',
    ),
  metrics_token: z
    .string()
    .default('')
    .meta({ writeOnly: true })
    .describe(
      'Bearer token that `/metrics` requires. Without a token, `/metrics` is available only on a separate listener, or if `server.host` is a loopback address and no proxy is trusted.',
    ),
});

const AccessLogSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Whether Floe logs one line for each gateway request and API call, at the level `info`.'),
  sample: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of successful requests that are logged. Errors are always logged.'),
});

export const LogSchema = z.strictObject({
  access: AccessLogSchema.prefault({}).describe('The access log.'),
});

export const SmtpSchema = z
  .strictObject({
    url: optionalUrlField(['smtp', 'smtps'])
      .default('')
      .meta({ writeOnly: true })
      .describe('Mail server, such as `smtps://user:password@host:465`. Empty: Floe sends no email.'),
    from: z.string().default('').describe('Sender address of all emails.'),
    require_tls: z
      .boolean()
      .default(true)
      .describe(
        'Whether connections with `smtp://` must switch to TLS (STARTTLS) before Floe sends a password or an email.',
      ),
  })
  .superRefine((smtp, context) => {
    if (smtp.url !== '' && smtp.from === '')
      context.addIssue({ code: 'custom', path: ['from'], message: 'is required with smtp.url' });
  });

const OidcSchema = z.strictObject({
  name: slugField().describe('Name on the sign-in page.'),
  issuer: webUrlField().describe('Issuer URL, exactly as in its discovery document.'),
  client_id: labelField().describe('Client id that the issuer assigned to Floe.'),
  client_secret: secretField().optional().describe('Client secret. Not set for public clients.'),
  group_claim: labelField()
    .default('groups')
    .describe('Name of the claim that contains the groups of a user.'),
  map: z
    .array(
      z.strictObject({
        group: labelField().describe('Name of a group at the issuer.'),
        role: z.enum(MEMBER_ROLES).describe('Role of its members in Floe.'),
        org: slugField()
          .optional()
          .describe('Organization of the role. Required if there are several organizations.'),
        team: slugField().optional().describe('Team of that organization that its members join.'),
      }),
    )
    .default([])
    .describe('Groups whose members may sign in, with their roles.'),
  unmapped: z
    .enum(['refuse', 'viewer'])
    .default('refuse')
    .describe(
      'What happens to users who are in none of these groups: they cannot sign in, or become viewers of the only organization.',
    ),
  trust_email: z
    .boolean()
    .default(false)
    .describe(
      'Whether email addresses count as verified if the issuer does not send `email_verified`. Addresses with `email_verified: false` are always rejected.',
    ),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a valid OAuth scope, such as email'))
    .default(['openid', 'email', 'profile'])
    .describe('Scopes that Floe requests. Some issuers send groups only if `groups` is requested.'),
});

const AuthSessionsSchema = z.strictObject({
  idle_minutes: z
    .int()
    .min(5)
    .max(43_200)
    .default(720)
    .describe('Minutes without use after which a session expires.'),
  max_hours: z
    .int()
    .min(1)
    .max(8_760)
    .default(168)
    .describe(
      'Maximum lifetime of a session, even if it is used. Groups of an issuer are updated only at sign-in.',
    ),
});

export const AuthSchema = z.strictObject({
  password: z
    .boolean()
    .default(true)
    .describe(
      'Whether members can sign in with email and password. If you disable it, existing sessions that began with a password end.',
    ),
  passkey: z
    .boolean()
    .default(true)
    .describe(
      'Whether members can sign in with a passkey. Browsers require that `server.base_url` is an https URL with a host name, or localhost.',
    ),
  oidc: z.array(OidcSchema).default([]).describe('OpenID Connect issuers for sign-in to the console.'),
  sessions: AuthSessionsSchema.prefault({}).describe('Lifetime of console sessions.'),
});
