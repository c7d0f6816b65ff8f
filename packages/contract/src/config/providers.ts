import * as z from 'zod';
import { createJsonValueField } from '../json-value.ts';
import {
  createBaseUrlField,
  createCrossFieldCheck,
  createExtraHeadersField,
  createHeaderSecretField,
  createModelPatternField,
  createPositiveCountField,
  createSecretField,
  createShortTextField,
  createSlugField,
  limitMapEntries,
} from './fields.ts';
import { OutboundSchema } from './installation-sections.ts';
import { MAX_LIST_ENTRIES } from './max-resources-per-org.ts';
import { isProviderKind, PROVIDER_KIND_NAMES, PROVIDER_KINDS } from './provider-kinds.ts';

const TIMEOUT_DESCRIPTIONS = {
  connect_ms: 'Maximum time to open the connection, including TLS, in milliseconds.',
  headers_ms: 'Maximum time from sending the request to the response headers, in milliseconds.',
  first_token_ms:
    'Maximum time from the response headers to the first content of the response, in milliseconds.',
  idle_ms: 'Maximum time without data after the first content of the response, in milliseconds.',
  total_ms:
    'Maximum time from receiving the client’s request to the end of an attempt, including all earlier attempts, in milliseconds.',
} as const;

/** The timeouts of upstream requests, in milliseconds. */
export const TimeoutsSchema = z.strictObject({
  connect_ms: createPositiveCountField().default(5_000).describe(TIMEOUT_DESCRIPTIONS.connect_ms),
  headers_ms: createPositiveCountField().default(600_000).describe(TIMEOUT_DESCRIPTIONS.headers_ms),
  first_token_ms: createPositiveCountField().default(300_000).describe(TIMEOUT_DESCRIPTIONS.first_token_ms),
  idle_ms: createPositiveCountField().default(300_000).describe(TIMEOUT_DESCRIPTIONS.idle_ms),
  total_ms: createPositiveCountField().default(3_600_000).describe(TIMEOUT_DESCRIPTIONS.total_ms),
});

/** The timeouts of a route. If a timeout is absent, the provider's timeout applies. */
export const RouteTimeoutsSchema = z.strictObject({
  connect_ms: createPositiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.connect_ms),
  headers_ms: createPositiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.headers_ms),
  first_token_ms: createPositiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.first_token_ms),
  idle_ms: createPositiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.idle_ms),
  total_ms: createPositiveCountField().optional().describe(TIMEOUT_DESCRIPTIONS.total_ms),
});

/** The settings of circuit breakers. */
export const BreakerSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe('Set to `false` to disable automatic state changes. You can still force the breaker open.'),
  consecutive_failures: createPositiveCountField()
    .default(5)
    .describe('Number of consecutive failures after which the breaker opens.'),
  error_rate: z
    .number()
    .gt(0)
    .max(1)
    .default(0.5)
    .describe(
      'If at least this share of the calls in the last 30 s failed, and there were at least 10 calls, the breaker opens.',
    ),
  slow_first_token_ms: createPositiveCountField()
    .default(60_000)
    .describe(
      'Time to first token, in milliseconds, above which a response counts as slow. If at least 80% of the calls in the last 30 s were slow, and there were at least 10 calls, the breaker opens.',
    ),
  open_ms: z
    .int()
    .min(100)
    .max(20_000)
    .default(5_000)
    .describe(
      'How long the breaker first stays open, in milliseconds. Then the next request tests the target. The time doubles after each failed test, up to 20 s. Each delay varies randomly by up to 20%.',
    ),
});

const usdPerMillionTokensField = () => z.number().min(0).max(1_000_000);

/** The prices of a model in floe.yaml. */
export const PriceSchema = z.strictObject({
  input: usdPerMillionTokensField().describe('USD per million input tokens.'),
  output: usdPerMillionTokensField().describe('USD per million output tokens, including reasoning.'),
  cache_read: usdPerMillionTokensField()
    .optional()
    .describe(
      'USD per million input tokens read from the provider’s prompt cache. Defaults to the value of `input`.',
    ),
  cache_write: usdPerMillionTokensField()
    .optional()
    .describe(
      'USD per million input tokens written to the provider’s prompt cache. Defaults to the value of `input`.',
    ),
  units: z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), z.number().min(0).max(1_000_000_000_000))
    .optional()
    .describe(
      'Prices of other billed units, in USD per million, by unit name, such as `cache_write_1h`, `web_search`, `image`, `audio_second`, `character` or `search`. The guide “Set prices” lists more units.',
    ),
  tiers: z
    .record(z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/), z.number().min(0).max(100))
    .optional()
    .describe('Price multipliers by service tier, such as `priority: 2`.'),
});

/** A provider credential in floe.yaml. */
export const CredentialSchema = z.strictObject({
  name: createSlugField().describe(
    'Name of the credential. Analytics and the list of breakers show this name instead of the secret.',
  ),
  api_key: createHeaderSecretField().describe('The API key. Use `${VARIABLE}` instead of the value.'),
  weight: z
    .number()
    .positive()
    .default(1)
    .describe(
      'Weight of the credential. A credential with weight 2 receives twice as many requests as one with weight 1.',
    ),
});

const ClientCertificateSchema = z.strictObject({
  cert_file: createShortTextField().describe('Path of a PEM file with the certificate chain.'),
  key_file: createShortTextField().describe('Path of a PEM file with the private key.'),
});

/** The identity that signs requests, for provider kinds that use signatures instead of a key. */
const IdentitySchema = z
  .strictObject({
    access_key_id: createShortTextField()
      .optional()
      .describe(
        'Id of an AWS access key. If not set, Floe looks for other AWS credentials in a fixed order.',
      ),
    secret_access_key: createSecretField()
      .optional()
      .describe('Secret access key. Use `${VARIABLE}` instead of the value.'),
    session_token: createHeaderSecretField().optional().describe('Session token for a temporary access key.'),
    profile: createShortTextField().optional().describe('Profile in the shared AWS configuration files.'),
    external_id: createShortTextField()
      .optional()
      .describe('External id that Floe sends when it assumes `role_arn`.'),
    file: createShortTextField()
      .optional()
      .describe(
        'Path of a Google credentials file. Defaults to the value of the environment variable `GOOGLE_APPLICATION_CREDENTIALS`.',
      ),
    metadata: z
      .boolean()
      .default(false)
      .describe(
        'Whether Floe may get credentials from the machine’s metadata service, such as those of an instance role.',
      ),
  })
  .superRefine((identity, context) => {
    if ((identity.access_key_id === undefined) === (identity.secret_access_key === undefined)) return;
    context.addIssue({
      code: 'custom',
      path: ['access_key_id'],
      message: 'must be set together with secret_access_key',
    });
  });

/** The fields of a provider in floe.yaml. */
export const PROVIDER_FIELDS = {
  id: createSlugField().describe('Id of the provider. A model id starts with this id, followed by `/`.'),
  kind: z
    .enum(PROVIDER_KIND_NAMES)
    .describe('Kind of the provider. The kind determines the URLs, the authentication and the API format.'),
  enabled: z
    .boolean()
    .default(true)
    .describe('Set to `false` to disable the provider. Floe keeps the provider’s history.'),
  base_url: createBaseUrlField()
    .optional()
    .describe(
      'Base URL of the provider’s API. Defaults to the public URL for this kind of provider. Include `/v1` for OpenAI-compatible kinds.',
    ),
  api_key: createHeaderSecretField()
    .optional()
    .describe('The API key. Use `${VARIABLE}` instead of the value. For several keys, use `credentials`.'),
  credentials: z
    .array(CredentialSchema)
    .min(1)
    .max(MAX_LIST_ENTRIES.providerCredentials)
    .optional()
    .describe('Credentials that share the traffic. Set either this field or `api_key`.'),
  credential_source: z
    .enum(['provider', 'caller'])
    .default('provider')
    .describe(
      'Which credential Floe sends: the credential of this provider entry (`provider`), or the credential that the caller sends in addition to the platform key (`caller`).',
    ),
  models: z
    .array(createModelPatternField())
    .min(1)
    .max(MAX_LIST_ENTRIES.providerModels)
    .default(['*'])
    .describe(
      'Allowed models: names or patterns without the provider id, such as `gpt-5*`. `*` matches any characters, including `/`.',
    ),
  dialects: z
    .array(z.enum(['chat', 'responses', 'messages']))
    .min(1)
    .optional()
    .describe(
      'API formats (dialects) that the provider supports natively. Defaults to the dialects of this kind of provider.',
    ),
  headers: createExtraHeadersField()
    .default({})
    .meta({ writeOnly: true })
    .describe('Headers that Floe adds to every request that it sends to the provider.'),
  body: z
    .record(z.string(), createJsonValueField())
    .default({})
    .describe(
      'Top-level fields that Floe sets in the JSON bodies of requests for model output. They replace fields with the same name. Passthrough requests and other requests, such as embeddings, are not changed.',
    ),
  api_version: createShortTextField()
    .optional()
    .describe('API version that Floe sends to the provider, for providers with an API version parameter.'),
  deployments: limitMapEntries(
    z.record(createModelPatternField(), createShortTextField()),
    MAX_LIST_ENTRIES.providerModels,
  )
    .default({})
    .describe('Map from model names or patterns (without the provider id) to deployment names.'),
  region: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must consist of 1 to 64 letters, digits and hyphens, such as eu-west-1')
    .optional()
    .describe('Cloud region or location.'),
  project: createShortTextField().optional().describe('Cloud project.'),
  role_arn: createShortTextField()
    .optional()
    .describe('ARN of the AWS role that Floe assumes to sign requests.'),
  identity: IdentitySchema.optional().describe(
    'Identity for providers that require signed requests instead of an API key.',
  ),
  outbound: OutboundSchema.optional().describe(
    'Proxy and certificate authorities for this provider. For empty fields, the top-level `outbound` settings apply. Floe encrypts the user name and password from the proxy URL before it stores them, and never returns them.',
  ),
  client_cert: ClientCertificateSchema.optional().describe(
    'Client certificate for providers that require one.',
  ),
  billing: z
    .enum(['metered', 'free', 'seat'])
    .default('metered')
    .describe(
      'How the provider charges for requests: by usage (`metered`), not at all (`free`), or per seat (`seat`). Requests to `free` and `seat` providers do not count against budgets.',
    ),
  price_multiplier: z
    .number()
    .min(0)
    .max(1_000)
    .default(1)
    .describe(
      'Multiplier for catalog prices. A value below 1 is a discount, and a value above 1 is a surcharge.',
    ),
  prices: limitMapEntries(z.record(createModelPatternField(), PriceSchema), MAX_LIST_ENTRIES.providerModels)
    .default({})
    .describe(
      'Prices by model name or pattern, without the provider id. These prices override the price catalog.',
    ),
  timeouts: TimeoutsSchema.prefault({}).describe('Timeouts for calls to the provider.'),
  breaker: BreakerSchema.prefault({}).describe(
    'Settings for circuit breakers, which temporarily stop requests to a model that fails repeatedly. Each combination of a credential and a model has its own breaker.',
  ),
};

/** A provider in floe.yaml. */
export const ProviderSchema = z
  .strictObject(PROVIDER_FIELDS)
  .check(
    createCrossFieldCheck(({ kind, base_url, api_key, credentials }, report) => {
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
