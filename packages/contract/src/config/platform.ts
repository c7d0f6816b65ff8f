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

/** Parts of the HTTP surface a listener can offer. */
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

/** First parts of paths that mean something at the root of the host. */
const RESERVED_PATHS = new Set(['gateway', 'relay', 'beat', 'api', 'boards', 'metrics', 'healthz', 'readyz']);

/** IPv6 addresses may stand in brackets, as in a URL. */
const listenHostField = () =>
  labelField()
    .transform((host) => host.replace(/^\[(.*)\]$/, '$1'))
    .meta({ pattern: '.' });

const ListenerSchema = z.strictObject({
  port: z.int().min(0).max(65_535).describe('Port of this listener; 0 takes a free one.'),
  host: listenHostField().optional().describe('Address to listen on. Absent: `server.host`.'),
  surfaces: z
    .array(z.enum(LISTENER_SURFACES))
    .min(1)
    .describe(
      'What answers here; everything else is a 404. `management` (or `api`) is all of `/api`, which `console` needs; `/healthz` and `/readyz` answer on every listener.',
    ),
});

const UnauthenticatedSchema = z.strictObject({
  total: positiveCountField().default(8_192).describe('In all, over all listeners.'),
  per_address: positiveCountField()
    .default(1_024)
    .describe('From one address. Connections from `trusted_proxies` count in neither.'),
});

export const ServerSchema = z
  .strictObject({
    host: listenHostField().default('127.0.0.1').describe('Address to listen on; `::` is IPv4 and IPv6.'),
    port: z
      .int()
      .min(0)
      .max(65535)
      .default(3563)
      .describe('Port of the main listener, which offers every surface; 0 takes a free one.'),
    base_url: baseUrlField()
      .refine(isOriginUrl, 'its path must not start with a path that Floe uses, such as /api or /gateway')
      .optional()
      .describe(
        'Address users see, in links and cookies; may carry a path prefix. Absent: from host and port.',
      ),
    trusted_proxies: z
      .array(networkField())
      .default([])
      .describe('Proxies whose `X-Forwarded-For`, `X-Forwarded-Proto` and `Forwarded` headers are believed.'),
    unauthenticated_connections: UnauthenticatedSchema.prefault({}).describe(
      'Limits on open connections that have not authenticated yet. The oldest are closed first.',
    ),
    listeners: z.array(ListenerSchema).default([]).describe('Further listeners with some of the surfaces.'),
  })
  .transform((server) => ({
    ...server,
    base_url: server.base_url ?? localListenerUrl(server.host, server.port),
  }));

function isOriginUrl(url: string): boolean {
  const [, first = ''] = URL.canParse(url) ? new URL(url).pathname.split('/') : [];
  return !RESERVED_PATHS.has(first);
}

/** A URL this machine reaches a listener at, with a name a browser can open. */
export function localListenerUrl(host: string, port: number): string {
  const everywhere = host === '0.0.0.0' || /^[0:]+$/.test(host);
  // A browser can open no address with a zone.
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
    .describe('`sqlite:<file>` for one process, `postgres://…` for several.'),
  shared: z
    .string()
    .regex(/^(memory|rediss?:\/\/.+)$/, 'must be memory, redis://… or rediss://…')
    .default('memory')
    .meta({ writeOnly: true })
    .describe('Counters and signals: `memory` for one process, `redis://…` (Redis or Valkey) for several.'),
  shared_timeout_ms: positiveCountField()
    .default(50)
    .describe(
      'How long a request may wait for the shared store before its process counts its own share of a limit.',
    ),
});

export const SecuritySchema = z.strictObject({
  private_networks: z
    .array(networkField())
    .default([])
    .describe(
      'Private networks that providers, channels and sign-in may reach. Addresses named in this file always may, cloud metadata addresses never.',
    ),
});

const daysField = () => z.int().min(1).max(36_500);

export const RetentionSchema = z.strictObject({
  requests_days: daysField().default(90).describe('Rows of exchanges.'),
  checks_days: daysField().default(400).describe('Checks of monitors.'),
  audit_days: daysField().default(400).describe('Audit log.'),
  bodies_days: daysField().default(7).describe('Bodies, where an org keeps them.'),
  responses_days: daysField().default(30).describe('Stored responses.'),
});

export const OutboundSchema = z.strictObject({
  proxy: optionalUrlField(['http', 'https'])
    .default('')
    .meta({ writeOnly: true })
    .describe('Proxy for every call Floe makes. Empty: `HTTPS_PROXY`.'),
  no_proxy: z
    .string()
    .default('')
    .describe('Hosts reached directly, separated by commas. Empty: `NO_PROXY`.'),
  ca_file: z
    .string()
    .default('')
    .describe('PEM file of further certificate authorities. Empty: `NODE_EXTRA_CA_CERTS`.'),
});

export const TelemetrySchema = z.strictObject({
  otlp_endpoint: optionalUrlField(['http', 'https'])
    .default('')
    .meta({ inactive: true })
    .describe('OTLP/HTTP collector for traces. Has no effect in this version: Floe sends no traces.'),
  metrics_token: z
    .string()
    .default('')
    .meta({ writeOnly: true })
    .describe(
      'Bearer token that `/metrics` asks for. Without it `/metrics` answers on a listener of its own, or where `server.host` is loopback and no proxy is trusted.',
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
      .describe('Mail server, as `smtps://user:password@host:465`. Empty: no mail.'),
    from: z.string().default('').describe('Sender of every mail.'),
    require_tls: z
      .boolean()
      .default(true)
      .describe('Whether `smtp://` must switch to TLS (STARTTLS) before a password or a mail is sent.'),
  })
  .superRefine((smtp, context) => {
    if (smtp.url !== '' && smtp.from === '')
      context.addIssue({ code: 'custom', path: ['from'], message: 'is required with smtp.url' });
  });

const OidcSchema = z.strictObject({
  name: slugField().describe('Shown on the sign-in page.'),
  issuer: webUrlField().describe('Issuer, as its discovery document spells it.'),
  client_id: labelField().describe('Client id at the issuer.'),
  client_secret: secretField().optional().describe('Client secret; absent for public clients.'),
  group_claim: labelField().default('groups').describe('Claim that lists the groups of a user.'),
  map: z
    .array(
      z.strictObject({
        group: labelField().describe('A group of the issuer.'),
        role: z.enum(MEMBER_ROLES).describe('Role its members get.'),
        org: slugField().optional().describe('In which org. Absent: the only one.'),
        team: slugField().optional().describe('Team of that org its members join.'),
      }),
    )
    .default([])
    .describe('Groups that may sign in, and as what.'),
  unmapped: z
    .enum(['refuse', 'viewer'])
    .default('refuse')
    .describe('Who is in none of these groups: not let in, or a viewer of the only org.'),
  trust_email: z
    .boolean()
    .default(false)
    .describe(
      'The issuer verifies every e-mail address itself, and does not say so (`email_verified`). An address that it says is not verified is still refused.',
    ),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'is not a valid OAuth scope'))
    .default(['openid', 'email', 'profile'])
    .describe('What is asked for; some issuers tell groups only when asked for `groups`.'),
});

const AuthSessionsSchema = z.strictObject({
  idle_minutes: z
    .int()
    .min(5)
    .max(43_200)
    .default(720)
    .describe('A session expires when it is unused for this long.'),
  max_hours: z
    .int()
    .min(1)
    .max(8_760)
    .default(168)
    .describe(
      'A session is over this long after it began, however much it is used. Groups of an issuer are as old as the last sign-in.',
    ),
});

export const AuthSchema = z.strictObject({
  password: z
    .boolean()
    .default(true)
    .describe('Sign-in to the console by e-mail and password. Off, sessions that began by one end.'),
  passkey: z
    .boolean()
    .default(true)
    .describe(
      'Sign-in by passkey; browsers allow them where `server.base_url` is https with a name, or localhost.',
    ),
  oidc: z.array(OidcSchema).default([]).describe('OpenID Connect issuers for the console.'),
  sessions: AuthSessionsSchema.prefault({}).describe('How long people stay signed in.'),
});
