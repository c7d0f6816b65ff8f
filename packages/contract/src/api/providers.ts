import * as z from 'zod';
import { CredentialSchema, PROVIDER_FIELDS, PriceSchema } from '../config/providers.ts';
import { createJsonValueField } from '../json-value.ts';
import { createPageSchema, timestamp } from './page.ts';
import {
  readOnlyField,
  readOnlyMetadataFields,
  resourceMetadataFields,
  toWritableFields,
} from './resource-fields.ts';

const timeouts = z.strictObject({
  connect_ms: z.int(),
  headers_ms: z.int(),
  first_token_ms: z.int(),
  idle_ms: z.int(),
  total_ms: z.int(),
});

/** The result of a test request to a provider. Its messages never contain the secret of the credential. */
export const credentialTestResult = z
  .strictObject({
    ok: z.boolean(),
    method: z
      .enum(['models', 'completion'])
      .nullable()
      .describe(
        'Request that tested the credential: the list of models or a short completion. `null` means that nothing was sent.',
      ),
    status: z
      .int()
      .nullable()
      .describe(
        'HTTP status that the provider returned. `null` means that nothing was sent or that the provider did not respond.',
      ),
    models: z
      .int()
      .nullable()
      .describe(
        'Number of models on the first page of the provider’s model list. `null` if Floe did not receive the list.',
      ),
    message: z.string().describe('Result of the test, and what to do if it failed.'),
    duration_ms: z.int(),
  })
  .meta({ id: 'CredentialTest' });

/** A provider credential: its name and last characters, never its value. */
export const credentialResource = z
  .strictObject({
    name: z.string(),
    weight: z.number(),
    last4: z
      .string()
      .nullable()
      .describe('Last four characters of the key. `null` if the key has fewer than 16 characters.'),
    origin: z
      .string()
      .nullable()
      .describe(
        'Scheme, host and port that the credential was stored for. Floe sends the credential to no other destination.',
      ),
    tested_at: timestamp.nullable(),
    test: credentialTestResult
      .nullable()
      .describe('Result of the last test. `null` if the credential was never tested.'),
    ...resourceMetadataFields,
  })
  .meta({ id: 'Credential' });

const identityFields = z.strictObject({
  access_key_id: z.string().nullable(),
  profile: z.string().nullable(),
  external_id: z.string().nullable(),
  file: z.string().nullable(),
  metadata: z.boolean(),
});

/** A provider of the organization, without its secrets. */
export const providerResource = z
  .strictObject({
    id: z.string(),
    kind: z.string(),
    enabled: z.boolean(),
    base_url: z
      .string()
      .nullable()
      .describe('Base URL of the provider’s API. `null` means the public URL for this kind of provider.'),
    origin: z
      .string()
      .nullable()
      .describe(
        'Scheme, host and port of the provider’s API. `null` if the provider is disabled or Floe cannot use it.',
      ),
    problem: z
      .string()
      .nullable()
      .describe(
        'Reason why Floe cannot use the provider although the provider is enabled. `null` if there is no such reason.',
      ),
    credentials: z.array(credentialResource),
    credential_source: z.enum(['provider', 'caller']),
    models: z.array(z.string()),
    dialects: z
      .array(z.string())
      .nullable()
      .describe(
        'API formats (dialects) that the provider supports. `null` means the dialects of this kind of provider.',
      ),
    native_dialects: z
      .array(z.string())
      .describe(
        'Dialects whose requests Floe forwards to the provider unchanged. Floe translates requests in all other dialects. Empty if the provider is disabled or Floe cannot use it.',
      ),
    header_names: z
      .array(z.string())
      .describe('Names of the additional headers. Their values are never returned.'),
    body: z.record(z.string(), createJsonValueField()),
    api_version: z.string().nullable(),
    deployments: z.record(z.string(), z.string()),
    region: z.string().nullable(),
    project: z.string().nullable(),
    role_arn: z.string().nullable(),
    identity: identityFields.nullable(),
    outbound: z.record(z.string(), createJsonValueField()).nullable(),
    client_cert: z.record(z.string(), createJsonValueField()).nullable(),
    billing: z.enum(['metered', 'free', 'seat']),
    price_multiplier: z.number(),
    prices: z.record(z.string(), PriceSchema),
    timeouts,
    breaker: z.record(z.string(), z.union([z.number(), z.boolean()])),
    ...resourceMetadataFields,
  })
  .meta({ id: 'Provider' });

/** Fields of a response that a request may repeat without effect. */
const readOnlyFields = {
  ...readOnlyMetadataFields,
  origin: readOnlyField,
  problem: readOnlyField,
  native_dialects: readOnlyField,
  header_names: readOnlyField,
};

const credentialWeight = z.number().positive().describe('Relative share of the provider’s requests.');

const writableCredential = z.strictObject({
  name: CredentialSchema.shape.name,
  api_key: CredentialSchema.shape.api_key
    .optional()
    .describe(
      'Secret of the credential. If absent, the stored secret of the credential with this name remains. Never returned.',
    ),
  weight: credentialWeight.optional(),
  last4: readOnlyField,
  origin: readOnlyField,
  tested_at: readOnlyField,
  test: readOnlyField,
  ...readOnlyMetadataFields,
});

const settings = {
  ...toWritableFields(PROVIDER_FIELDS),
  credentials: z
    .array(writableCredential)
    .nullish()
    .describe('Complete list of credentials. A credential that is missing from the list is removed.'),
  identity: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe(
      'Identity for signed requests. Responses never contain its secrets. Secrets that a request omits remain unchanged.',
    ),
};

export const providerCreation = z.strictObject({ ...settings, ...readOnlyFields, id: PROVIDER_FIELDS.id });
/**
 * The request to update a provider. Absent fields keep their values. Null returns a field to its
 * default.
 */
export const providerPatch = z.strictObject({ ...settings, ...readOnlyFields });
/**
 * The request to replace a provider. It accepts the response of `GET`, including read-only fields.
 * Absent secrets keep their values.
 */
export const providerReplacement = z.strictObject({ ...settings, ...readOnlyFields });

export const credentialCreation = z.strictObject({
  name: CredentialSchema.shape.name,
  api_key: CredentialSchema.shape.api_key.describe('Secret of the credential. Never returned.'),
  weight: credentialWeight.default(1),
});
export const credentialPatch = z.strictObject({
  api_key: CredentialSchema.shape.api_key
    .optional()
    .describe('New secret that replaces the stored one. Never returned.'),
  weight: credentialWeight.optional(),
});
export const credentialParams = z.strictObject({ id: z.string(), name: z.string() });
export const credentialList = createPageSchema(credentialResource);

/** The request to test a provider that is not stored. */
export const providerTestInput = z.strictObject({
  ...providerCreation.shape,
  test_model: z
    .string()
    .min(1)
    .max(300)
    .nullish()
    .describe(
      'Model to which Floe sends a short completion request. If absent, Floe requests the provider’s model list, or sends the completion request to the first model without `*` in `models` if there is no list.',
    ),
});

export type ProviderResource = z.input<typeof providerResource>;
export type CredentialResource = z.input<typeof credentialResource>;
