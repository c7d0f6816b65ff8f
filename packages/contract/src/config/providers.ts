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
  connect_ms: 'To open the connection, TLS included.',
  headers_ms: 'From sending the request to the first byte of the answer.',
  first_token_ms: 'From sending the request to the first content of a stream.',
  idle_ms: 'Longest gap inside a stream; any upstream byte resets it.',
  total_ms: 'The whole attempt.',
} as const;

export const TimeoutsSchema = z.strictObject({
  connect_ms: positiveCountField().default(5_000).describe(TIMEOUT_DESCRIPTIONS.connect_ms),
  headers_ms: positiveCountField().default(600_000).describe(TIMEOUT_DESCRIPTIONS.headers_ms),
  first_token_ms: positiveCountField().default(300_000).describe(TIMEOUT_DESCRIPTIONS.first_token_ms),
  idle_ms: positiveCountField().default(300_000).describe(TIMEOUT_DESCRIPTIONS.idle_ms),
  total_ms: positiveCountField().default(3_600_000).describe(TIMEOUT_DESCRIPTIONS.total_ms),
});

/** The same deadlines on a route: what is absent follows the provider. */
export const RouteTimeoutsSchema = z.strictObject({
  connect_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.connect_ms),
  headers_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.headers_ms),
  first_token_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.first_token_ms),
  idle_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.idle_ms),
  total_ms: positiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.total_ms),
});

export const BreakerSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('`false` turns the breaker off. An operator can still force it open.'),
  consecutive_failures: positiveCountField().default(5).describe('Failures in a row that open it.'),
  error_rate: z
    .number()
    .gt(0)
    .max(1)
    .default(0.5)
    .describe('Share of failed calls within 30 s, from 10 calls on, that opens it.'),
  slow_first_token_ms: positiveCountField()
    .default(60_000)
    .describe('A first token later than this is slow; when four of five are, it opens.'),
  open_ms: z
    .int()
    .min(100)
    .max(20_000)
    .default(5_000)
    .describe('How long it stays open at first. Doubles each time in a row, up to 20 s.'),
});

const usdPerMillionTokensField = () => z.number().min(0).max(1_000_000);

export const PriceSchema = z.strictObject({
  input: usdPerMillionTokensField().describe('USD per million input tokens.'),
  output: usdPerMillionTokensField().describe('USD per million output tokens, reasoning included.'),
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
      'USD per million of other units, by name: `cache_write_1h`, `web_search`, `image`, `audio_second`, `character`, `search` … (docs/concepts/how-counting-works.md).',
    ),
  tiers: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/), z.number().min(0).max(100))
    .optional()
    .describe('Factors on the prices of tokens by service tier, such as `priority: 2`.'),
});

export const CredentialSchema = z.strictObject({
  name: slugField().describe('Shown in analytics and breakers instead of the secret.'),
  api_key: secretField().describe('The secret itself; write `${VARIABLE}`.'),
  weight: z.number().positive().default(1).describe('Share of the traffic among the credentials.'),
});

const ClientCertificateSchema = z.strictObject({
  cert_file: labelField().describe('PEM file with the certificate chain.'),
  key_file: labelField().describe('PEM file with the private key.'),
});

/** Who signs requests of the kinds that sign instead of sending a key. */
const IdentitySchema = z
  .strictObject({
    access_key_id: labelField().optional().describe('Id of an AWS key. Absent: the usual chain.'),
    secret_access_key: secretField().optional().describe('Its secret; write `${VARIABLE}`.'),
    session_token: secretField().optional().describe('Its session token, for temporary keys.'),
    profile: labelField().optional().describe('Profile of the shared AWS files.'),
    external_id: labelField().optional().describe('External id for `role_arn`.'),
    file: labelField()
      .optional()
      .describe('Google credentials file. Absent: `GOOGLE_APPLICATION_CREDENTIALS`.'),
    metadata: z
      .boolean()
      .default(false)
      .describe('`true` lets Floe ask the metadata service of the machine it runs on.'),
  })
  .superRefine((identity, context) => {
    if ((identity.access_key_id === undefined) === (identity.secret_access_key === undefined)) return;
    context.addIssue({
      code: 'custom',
      path: ['access_key_id'],
      message: 'must be set together with secret_access_key',
    });
  });

/** What floe.yaml says about a provider, field by field. */
export const PROVIDER_FIELDS = {
  id: slugField().describe('The part of a model id before its first `/`.'),
  kind: z
    .enum(PROVIDER_KIND_NAMES)
    .describe('Kind of the provider. It determines the URLs, the authentication and the API format.'),
  enabled: z.boolean().default(true).describe('`false` takes the provider out of use and keeps its history.'),
  base_url: baseUrlField()
    .optional()
    .describe(
      'Base URL of the upstream. Defaults to the public one of the kind. Include `/v1` for OpenAI-compatible kinds.',
    ),
  api_key: secretField()
    .optional()
    .describe('The one credential; write `${VARIABLE}`. Use `credentials` for several.'),
  credentials: z
    .array(CredentialSchema)
    .min(1)
    .optional()
    .describe('Several credentials that share the traffic.'),
  credential_source: z
    .enum(['provider', 'caller'])
    .default('provider')
    .describe('`caller` forwards the credential the caller sends beside the platform key.'),
  models: z
    .array(modelPatternField())
    .min(1)
    .default(['*'])
    .describe('Allowlist of model ids; `*` matches any characters, `/` included.'),
  dialects: z
    .array(z.enum(['chat', 'responses', 'messages']))
    .min(1)
    .optional()
    .describe('Dialects that the upstream supports natively. Defaults to those of the kind.'),
  headers: extraHeadersField()
    .default({})
    .meta({ writeOnly: true })
    .describe('Extra headers on every request to the upstream.'),
  body: z
    .record(z.string(), jsonValueField())
    .default({})
    .describe('Extra top-level fields for every JSON body sent upstream.'),
  api_version: labelField().optional().describe('Version parameter of the upstream’s API, where it has one.'),
  deployments: z
    .record(modelPatternField(), labelField())
    .default({})
    .describe('Model id to deployment name.'),
  region: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must consist of letters, digits and "-"')
    .optional()
    .describe('Region or location of the upstream.'),
  project: labelField().optional().describe('Project of the upstream’s account.'),
  role_arn: labelField().optional().describe('Role to assume before signing requests.'),
  identity: IdentitySchema.optional().describe(
    'Who signs requests, for kinds that sign instead of sending a key.',
  ),
  outbound: OutboundSchema.optional().describe(
    'Proxy and certificate authorities for this provider. Empty fields use the values of the top-level `outbound`. The user and password of the proxy URL are stored encrypted and are never returned.',
  ),
  client_cert: ClientCertificateSchema.optional().describe(
    'Client certificate for upstreams that ask for one.',
  ),
  billing: z
    .enum(['metered', 'free', 'seat'])
    .default('metered')
    .describe('`free` and `seat` never count against budgets.'),
  price_multiplier: z
    .number()
    .min(0)
    .default(1)
    .describe('Factor on catalog prices: discounts below 1, surcharges above.'),
  prices: z
    .record(modelPatternField(), PriceSchema)
    .default({})
    .describe('Prices by model id; they override the catalog.'),
  timeouts: TimeoutsSchema.prefault({}).describe('Deadlines of one attempt.'),
  breaker: BreakerSchema.prefault({}).describe(
    'When a model of this provider is left alone for a while, per credential.',
  ),
};

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
