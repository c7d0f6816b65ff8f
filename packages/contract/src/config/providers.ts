import * as z from 'zod';
import { jsonValueField } from '../json-value.ts';
import {
  baseUrlField,
  crossFieldRule,
  extraHeadersField,
  labelField,
  modelPatternField,
  positiveCountField,
  secretField,
  slugField,
} from './fields.ts';
import { OutboundSchema } from './platform.ts';
import { isProviderKind, PROVIDER_KIND_NAMES, PROVIDER_KINDS } from './provider-kinds.ts';

const TIMEOUT_DESCRIPTIONS = {
  connect_ms: 'Maximum time to open the connection, including TLS, in milliseconds.',
  headers_ms: 'Maximum time from sending the request to the first byte of the response, in milliseconds.',
  first_token_ms: 'Maximum time from sending the request to the first content of a stream, in milliseconds.',
  idle_ms: 'Maximum time without data in a stream, in milliseconds. Each byte from the upstream resets it.',
  total_ms: 'Maximum duration of the whole attempt, in milliseconds.',
} as const;

/** Timeouts of upstream requests in milliseconds. */
export const TimeoutsSchema = z.strictObject({
  connect_ms: positiveCountField().default(5_000).describe(TIMEOUT_DESCRIPTIONS.connect_ms),
  headers_ms: positiveCountField().default(600_000).describe(TIMEOUT_DESCRIPTIONS.headers_ms),
  first_token_ms: positiveCountField().default(300_000).describe(TIMEOUT_DESCRIPTIONS.first_token_ms),
  idle_ms: positiveCountField().default(300_000).describe(TIMEOUT_DESCRIPTIONS.idle_ms),
  total_ms: positiveCountField().default(3_600_000).describe(TIMEOUT_DESCRIPTIONS.total_ms),
});

/** Timeouts of a route. Absent ones have the value of the provider. */
export const RouteTimeoutsSchema = z.strictObject({
  connect_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.connect_ms),
  headers_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.headers_ms),
  first_token_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.first_token_ms),
  idle_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.idle_ms),
  total_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.total_ms),
});

/** The settings of circuit breakers. */
export const BreakerSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Set to `false` to disable the breaker. An operator can still force it open.'),
  consecutive_failures: positiveCountField()
    .default(5)
    .describe('Number of consecutive failures that opens the breaker.'),
  error_rate: z
    .number()
    .gt(0)
    .max(1)
    .default(0.5)
    .describe('Share of failed calls within 30 s that opens the breaker. It applies from 10 calls.'),
  slow_first_token_ms: positiveCountField()
    .default(60_000)
    .describe(
      'A response whose first token takes longer is slow. If four of five responses are slow, the breaker opens.',
    ),
  open_ms: z
    .int()
    .min(100)
    .max(20_000)
    .default(5_000)
    .describe(
      'How long the breaker stays open the first time. The time doubles after each consecutive failure, up to 20 s.',
    ),
});

const usdPerMillionTokensField = () => z.number().min(0).max(1_000_000);

/** Prices of a model. */
export const PriceSchema = z.strictObject({
  input: usdPerMillionTokensField().describe('USD per million input tokens.'),
  output: usdPerMillionTokensField().describe('USD per million output tokens, including reasoning.'),
  cache_read: usdPerMillionTokensField()
    .optional()
    .describe('USD per million input tokens read from the provider’s prompt cache. Defaults to `input`.'),
  cache_write: usdPerMillionTokensField()
    .optional()
    .describe('USD per million input tokens written to the provider’s prompt cache. Defaults to `input`.'),
  units: z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), z.number().min(0).max(1_000_000_000_000))
    .optional()
    .describe(
      'USD per million of other billed units, by name: `cache_write_1h`, `web_search`, `image`, `audio_second`, `character`, `search` and others (see docs/concepts/how-counting-works.md).',
    ),
  tiers: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/), z.number().min(0).max(100))
    .optional()
    .describe('Price multipliers by service tier, such as `priority: 2`.'),
});

/** A credential of a provider in floe.yaml. */
export const CredentialSchema = z.strictObject({
  name: slugField().describe('Name of the credential. Analytics and breakers show it instead of the secret.'),
  api_key: secretField().describe('The API key. Use `${VARIABLE}` instead of the value.'),
  weight: z.number().positive().default(1).describe('Relative share of requests that use this credential.'),
});

const ClientCertificateSchema = z.strictObject({
  cert_file: labelField().describe('Path of a PEM file with the certificate chain.'),
  key_file: labelField().describe('Path of a PEM file with the private key.'),
});

/** The identity that signs requests, for provider kinds that use signatures instead of a key. */
const IdentitySchema = z
  .strictObject({
    access_key_id: labelField()
      .optional()
      .describe('Id of an AWS access key. Defaults to the standard AWS credential chain.'),
    secret_access_key: secretField()
      .optional()
      .describe('Secret of the access key. Use `${VARIABLE}` instead of the value.'),
    session_token: secretField().optional().describe('Session token of a temporary access key.'),
    profile: labelField().optional().describe('Profile in the shared AWS configuration files.'),
    external_id: labelField().optional().describe('External id that Floe sends when it assumes `role_arn`.'),
    file: labelField()
      .optional()
      .describe('Google credentials file. Defaults to the value of `GOOGLE_APPLICATION_CREDENTIALS`.'),
    metadata: z
      .boolean()
      .default(false)
      .describe('Whether Floe may get credentials from the metadata service of its machine.'),
  })
  .superRefine((identity, context) => {
    if ((identity.access_key_id === undefined) === (identity.secret_access_key === undefined)) return;
    context.addIssue({
      code: 'custom',
      path: ['access_key_id'],
      message: 'must be set together with secret_access_key',
    });
  });

/** Fields of a provider in floe.yaml. */
export const PROVIDER_FIELDS = {
  id: slugField().describe('Id of the provider. It is the part of model ids before the first `/`.'),
  kind: z
    .enum(PROVIDER_KIND_NAMES)
    .describe('Kind of the provider. It determines the URLs, the authentication and the API format.'),
  enabled: z.boolean().default(true).describe('Set to `false` to disable the provider. Its history remains.'),
  base_url: baseUrlField()
    .optional()
    .describe(
      'Base URL of the upstream. Defaults to the public URL of the kind. Include `/v1` for OpenAI-compatible kinds.',
    ),
  api_key: secretField()
    .optional()
    .describe('The API key. Use `${VARIABLE}` instead of the value. For several keys, use `credentials`.'),
  credentials: z
    .array(CredentialSchema)
    .min(1)
    .optional()
    .describe('Credentials that share the traffic. Cannot be combined with `api_key`.'),
  credential_source: z
    .enum(['provider', 'caller'])
    .default('provider')
    .describe(
      'Which credential Floe sends: the one of the provider, or the one that the caller sends in addition to the platform key (`caller`).',
    ),
  models: z
    .array(modelPatternField())
    .min(1)
    .default(['*'])
    .describe('Allowed model ids. `*` matches any characters, including `/`.'),
  dialects: z
    .array(z.enum(['chat', 'responses', 'messages']))
    .min(1)
    .optional()
    .describe('Dialects that the upstream supports natively. Defaults to those of the kind.'),
  headers: extraHeadersField()
    .default({})
    .meta({ writeOnly: true })
    .describe('Additional headers of every request to the upstream.'),
  body: z
    .record(z.string(), jsonValueField())
    .default({})
    .describe('Additional top-level fields of every JSON body that Floe sends to the upstream.'),
  api_version: labelField().optional().describe('Version parameter of the provider’s API, if it has one.'),
  deployments: z
    .record(modelPatternField(), labelField())
    .default({})
    .describe('Deployment name by model id.'),
  region: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must consist of letters, digits and "-"')
    .optional()
    .describe('Region or location of the provider.'),
  project: labelField().optional().describe('Project of the provider account.'),
  role_arn: labelField().optional().describe('ARN of the AWS role that Floe assumes to sign requests.'),
  identity: IdentitySchema.optional().describe(
    'Identity for providers that require signed requests instead of an API key.',
  ),
  outbound: OutboundSchema.optional().describe(
    'Proxy and certificate authorities for this provider. Empty fields use the values of the top-level `outbound`. The user and password of the proxy URL are stored encrypted and are never returned.',
  ),
  client_cert: ClientCertificateSchema.optional().describe(
    'Client certificate for providers that require one.',
  ),
  billing: z
    .enum(['metered', 'free', 'seat'])
    .default('metered')
    .describe(
      'How the provider is billed. Requests to `free` and `seat` providers do not count against budgets.',
    ),
  price_multiplier: z
    .number()
    .min(0)
    .default(1)
    .describe('Multiplier of catalog prices. A value below 1 is a discount, a value above 1 a surcharge.'),
  prices: z
    .record(modelPatternField(), PriceSchema)
    .default({})
    .describe('Prices by model id. They override the price catalog.'),
  timeouts: TimeoutsSchema.prefault({}).describe('Timeouts of one attempt.'),
  breaker: BreakerSchema.prefault({}).describe(
    'When Floe temporarily stops sending requests for a model of this provider, per credential.',
  ),
};

/** A provider in floe.yaml. */
export const ProviderSchema = z
  .strictObject(PROVIDER_FIELDS)
  .check(
    crossFieldRule(({ kind, base_url, api_key, credentials }, report) => {
      const needsUrl = isProviderKind(kind) && PROVIDER_KINDS[kind].base_url === 'required';
      if (needsUrl && base_url === undefined) report(['base_url'], `is required for kind ${kind}`);
      if (api_key !== undefined && credentials !== undefined)
        report(['api_key'], 'api_key and credentials cannot be combined; set only one of them');
    }),
  )
  .transform(({ api_key, credentials, ...provider }) => ({
    ...provider,
    credentials: credentials ?? (api_key === undefined ? [] : [{ name: 'default', api_key, weight: 1 }]),
  }));
