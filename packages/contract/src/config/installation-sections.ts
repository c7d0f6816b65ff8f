import * as z from 'zod';
import { MEMBER_ROLES } from '../roles.ts';
import {
  createNetworkField,
  createOptionalUrlField,
  createPositiveCountField,
  createSecretField,
  createShortTextField,
  createSlugField,
  createWebUrlField,
} from './fields.ts';

export const StorageSchema = z.strictObject({
  database: z
    .string()
    .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, 'must be sqlite:<file> or postgres://…')
    .default('sqlite:./.floe/floe.db')
    .meta({ writeOnly: true })
    .describe(
      'URL of the database: `sqlite:<file>` for one machine, or `postgres://…` for one or more machines.',
    ),
  shared: z
    .string()
    .regex(/^(memory|rediss?:\/\/.+)$/, 'must be memory, redis://… or rediss://…')
    .default('memory')
    .meta({ writeOnly: true })
    .describe(
      'Store for counters and cached responses: `memory` for one server, or `redis://…` or `rediss://…` (Redis or Valkey) to share them between several servers.',
    ),
  shared_timeout_ms: createPositiveCountField()
    .default(50)
    .describe(
      'How long a request waits for the shared store, in milliseconds. With `shared: memory` and several processes, this is the timeout for the supervisor, and values below 1000 are treated as 1000. After the timeout, the `on_store_error` setting of each limit and budget applies.',
    ),
});

export const SecuritySchema = z.strictObject({
  private_networks: z
    .array(createNetworkField())
    .default([])
    .describe(
      'Private networks that Floe may connect to, such as `10.20.0.0/16`. If the installation has only one organization, Floe may connect to all private and loopback addresses without this setting. Organizations that were created with the API or that this file no longer contains count as organizations of the installation. If the installation has several organizations, Floe connects to a private address only if this list contains the address, or if a URL in this file contains its host and port. A URL in the section of an organization allows the address only for this organization. Floe never connects to cloud metadata addresses, except to get credentials for Bedrock and Vertex AI.',
    ),
});

const daysField = () => z.int().min(1).max(36_500);

export const RetentionSchema = z.strictObject({
  requests_days: daysField()
    .default(90)
    .describe(
      'Number of days that Floe stores the request log, chart data, the history of breakers, and the decisions, reports, approvals and sessions of the relay.',
    ),
  checks_days: daysField()
    .default(400)
    .describe('Number of days that Floe stores alerts, the history of monitors, and deleted monitors.'),
  audit_days: daysField().default(400).describe('Number of days that Floe stores audit log entries.'),
  bodies_days: daysField()
    .default(7)
    .describe(
      'Number of days that Floe stores request and response bodies, if `bodies.keep` is set in an organization.',
    ),
  responses_days: daysField()
    .default(30)
    .describe(
      'Number of days that Floe stores responses of the Responses API, so that requests can continue them with `previous_response_id`.',
    ),
});

export const OutboundSchema = z.strictObject({
  proxy: createOptionalUrlField(['http', 'https'])
    .default('')
    .meta({ writeOnly: true })
    .describe(
      'URL of the proxy for outbound requests. If it is empty for a provider, the top-level proxy applies. If that is also empty, the environment variable `HTTPS_PROXY` applies to HTTPS requests.',
    ),
  no_proxy: z
    .string()
    .default('')
    .describe(
      'Comma-separated list of hosts that Floe calls without the proxy. If empty at the top level, Floe uses the value of the environment variable `NO_PROXY`.',
    ),
  ca_file: z
    .string()
    .default('')
    .describe(
      'PEM file with certificate authorities that Floe trusts in addition to those of Node.js and `NODE_EXTRA_CA_CERTS`.',
    ),
});

export const TelemetrySchema = z.strictObject({
  otlp_endpoint: createOptionalUrlField(['http', 'https'])
    .default('')
    .meta({ inactive: true })
    .describe(
      'URL of an OTLP/HTTP collector for traces. This setting has no effect in this version, because Floe does not send traces.',
    ),
  metrics_token: z
    .string()
    .default('')
    .meta({ writeOnly: true })
    .describe(
      'Bearer token that `/metrics` requires on all listeners. If not set, two kinds of listeners serve `/metrics`: listeners whose surfaces are limited to `metrics` and `health`, and, if `server.trusted_proxies` is empty, listeners with a loopback address.',
    ),
});

export const SmtpSchema = z
  .strictObject({
    url: createOptionalUrlField(['smtp', 'smtps'])
      .default('')
      .meta({ writeOnly: true })
      .describe(
        'URL of the mail server, such as `smtps://user:password@host:465`. If empty, Floe does not send emails.',
      ),
    from: z.string().default('').describe('Sender address for all emails.'),
    require_tls: z
      .boolean()
      .default(true)
      .describe(
        'Whether Floe requires STARTTLS for `smtp://` connections before it sends a password or an email.',
      ),
  })
  .superRefine((smtp, context) => {
    if (smtp.url !== '' && smtp.from === '')
      context.addIssue({ code: 'custom', path: ['from'], message: 'is required if smtp.url is set' });
  });

const OidcSchema = z.strictObject({
  name: createSlugField().describe(
    'Name of the issuer on the sign-in page and in the redirect URI `<base_url>/api/session/oidc/<name>/callback`.',
  ),
  issuer: createWebUrlField().describe('Issuer URL, exactly as in the issuer’s discovery document.'),
  client_id: createShortTextField().describe('Client id that the issuer assigned to Floe.'),
  client_secret: createSecretField().optional().describe('Client secret. Omit it for public clients.'),
  group_claim: createShortTextField()
    .default('groups')
    .describe('Name of the claim that contains the user’s groups.'),
  map: z
    .array(
      z.strictObject({
        group: createShortTextField().describe('Name of a group at the issuer.'),
        role: z.enum(MEMBER_ROLES).describe('Role that the group’s members receive in Floe.'),
        org: createSlugField()
          .optional()
          .describe(
            'Organization in which the members receive the role. Required if this file has several organizations.',
          ),
        team: createSlugField()
          .optional()
          .describe('Team in this organization that the group’s members join.'),
      }),
    )
    .default([])
    .describe('Groups whose members may sign in, with their roles.'),
  unmapped: z
    .enum(['refuse', 'viewer'])
    .default('refuse')
    .describe(
      'What happens to users who are not in any mapped group: they cannot sign in (`refuse`), or they become viewers of the only organization (`viewer`).',
    ),
  trust_email: z
    .boolean()
    .default(false)
    .describe(
      'Whether Floe treats email addresses as verified if the issuer does not send `email_verified`. Floe always rejects addresses with `email_verified: false`.',
    ),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a valid OAuth scope, such as "email"'))
    .default(['openid', 'email', 'profile'])
    .describe('OAuth scopes that Floe requests. Some issuers send groups only if Floe requests `groups`.'),
});

const AuthSessionsSchema = z.strictObject({
  idle_minutes: z
    .int()
    .min(5)
    .max(43_200)
    .default(720)
    .describe(
      'Number of minutes without use after which a session expires. An open console page counts as use only while a person uses it.',
    ),
  max_hours: z
    .int()
    .min(1)
    .max(8_760)
    .default(168)
    .describe(
      'Maximum lifetime of a session in hours, even if the session is in use. Floe updates a user’s groups only at sign-in, so a group change takes effect within this time.',
    ),
});

export const AuthSchema = z.strictObject({
  password: z
    .boolean()
    .default(true)
    .describe(
      'Whether members can sign in with email and password. If you disable this method, sessions that started with a password end.',
    ),
  passkey: z
    .boolean()
    .default(true)
    .describe(
      'Whether members can sign in with a passkey. Browsers allow passkeys only if `server.base_url` is an https URL with a host name, or if its host is `localhost`.',
    ),
  oidc: z
    .array(OidcSchema)
    .default([])
    .describe('OpenID Connect issuers (identity providers) for sign-in to the console.'),
  sessions: AuthSessionsSchema.prefault({}).describe('How long console sessions last.'),
});
