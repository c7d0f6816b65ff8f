import * as z from 'zod';
import {
  createCrossFieldCheck,
  createModelPatternListField,
  createShortTextField,
  createSlugField,
  createTimestampField,
} from '../config/fields.ts';
import { KEY_SCOPES } from '../scopes.ts';
import { createListQuerySchema, timestamp } from './page.ts';
import { resourceSource } from './resource-source.ts';

/** The fields of a platform key in floe.yaml. */
export const PLATFORM_KEY_FIELDS = {
  name: createShortTextField().describe(
    'Name of the key. No two active keys of an organization can have the same name. Limits, budgets and relay rules refer to the key by this name.',
  ),
  key: z
    .string()
    .max(256)
    .regex(/^(sk-)?eis_[A-Za-z0-9_]{32,}$/, 'must be eis_ followed by at least 32 letters, digits or _')
    .optional()
    .meta({ writeOnly: true })
    .describe(
      'Value of the key. Use `${VARIABLE}` to read it from the environment. Floe stores only its hash, its first eight characters and its last four characters.',
    ),
  imported_hash: z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256: followed by 64 lowercase hexadecimal digits')
    .optional()
    .describe(
      'SHA-256 of a key that another product issued. Set this field instead of `key`. The key can have any format.',
    ),
  imported_from: createSlugField()
    .optional()
    .describe('Product that issued the imported key, such as `litellm`. Allowed only with `imported_hash`.'),
  scopes: z
    .array(z.enum(KEY_SCOPES))
    .min(1)
    .default(['gateway'])
    .describe('Scopes of the key, that is, what the key may do.'),
  team: createSlugField().optional().describe('Team that uses the key.'),
  owner: createShortTextField().optional().describe('Person or job that is responsible for the key.'),
  models: createModelPatternListField()
    .optional()
    .describe('Models that the key may use. Defaults to all models in the organization.'),
  paths: z
    .array(z.string().max(300).regex(/^\//, 'must start with /'))
    .max(50)
    .default([])
    .describe(
      'Paths that a key with `models` may use although requests to these paths do not contain a model, such as `/gateway/v1/files`. Each entry includes all paths below it.',
    ),
  expires_at: createTimestampField().optional().describe('Time at which the key stops working.'),
};

/** A platform key in floe.yaml. */
export const PlatformKeySchema = z.strictObject(PLATFORM_KEY_FIELDS).check(
  createCrossFieldCheck(({ key, imported_hash, imported_from }, report) => {
    if (key === undefined && imported_hash === undefined)
      report(['key'], 'is required, unless imported_hash is set');
    if (key !== undefined && imported_hash !== undefined)
      report(['imported_hash'], 'key and imported_hash cannot be combined; set only one of them');
    if (imported_from !== undefined && imported_hash === undefined)
      report(['imported_from'], 'is only allowed with imported_hash');
  }),
);

const { name: keyName, team, owner } = PLATFORM_KEY_FIELDS;
const models = createModelPatternListField().describe(
  'Ids of models that the key may use. `*` matches any characters, including `/`.',
);

const paths = PLATFORM_KEY_FIELDS.paths
  .unwrap()
  .describe(
    'Paths that a key with `models` may use although requests to these paths do not contain a model, such as `/gateway/v1/files`. Each entry includes all paths below it.',
  );

const shown = { team: z.string().nullable(), owner: z.string().nullable() };

/** The key settings whose names and values are the same in the API and in the database columns. */
export const keyFieldsStoredAsIs = z.object({
  name: z.string(),
  team: shown.team.default(null),
  owner: shown.owner.default(null),
});

const fields = {
  id: z.string(),
  name: keyName,
  prefix: z
    .string()
    .describe('First eight characters of the key; `sha256:` for a key that was imported by its hash.'),
  last4: z.string().describe('Last four characters of the key, or of the imported hash.'),
  imported_from: z
    .string()
    .nullable()
    .describe(
      'Product that issued the value of the key. `null` if the value was not imported, or if the product was not specified.',
    ),
  status: z.enum(['active', 'expired', 'revoked']),
  scopes: z.array(z.enum(KEY_SCOPES)),
  models: models
    .nullable()
    .describe(
      'Ids of models that the key may use. `*` matches any characters, including `/`. `null` means all models of the organization.',
    ),
  paths,
  ...shown,
  created_at: timestamp,
  created_by: z.string().nullable(),
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
  last_used_at: timestamp
    .nullable()
    .describe('Time of the last use. This value can be up to a minute out of date.'),
  rotated_at: timestamp
    .nullable()
    .describe('Time of the last rotation. `null` if the key was never rotated.'),
  previous: z
    .strictObject({
      prefix: z.string(),
      last4: z.string(),
      expires_at: timestamp,
      last_used_at: timestamp
        .nullable()
        .describe(
          'Time of the last use of the previous value. This value can be up to a minute out of date. A recent time means that a caller still uses the previous value.',
        ),
    })
    .nullable()
    .describe(
      'Previous value of the key, which works until it expires. `null` if there is no previous value.',
    ),
  source: resourceSource,
  updated_at: timestamp,
  updated_by: z
    .string()
    .nullable()
    .describe(
      'Actor that last changed this key: a key id, a member id, `file`, `setup` or `oidc <issuer>`. `null` if the actor is unknown.',
    ),
};

/** A platform key. Only the responses that create or rotate a key contain its value. */
export const platformKeyResource = z.strictObject(fields).meta({ id: 'PlatformKey' });
export type PlatformKey = z.output<typeof platformKeyResource>;

/** The response to a request that creates or rotates a key. Only this response contains the new value of the key. */
export const createdKey = z
  .strictObject({
    ...fields,
    key: z.string().describe('Value of the key. Only this response contains the value.'),
  })
  .meta({ id: 'CreatedPlatformKey' });

/** Optional settings of a request. Null clears a setting. */
const settings = {
  models: models.nullish(),
  paths: paths.nullish(),
  team: team.unwrap().nullish().describe('Team that uses the key.'),
  owner: owner.unwrap().nullish().describe('Person or job that is responsible for the key.'),
  expires_at: timestamp.nullish().describe('Time at which the key stops working.'),
};

export const keyCreation = z.strictObject({
  name: keyName,
  scopes: z
    .array(z.enum(KEY_SCOPES))
    .min(1)
    .describe('Scopes of the key. The caller can grant only scopes that it has.'),
  ...settings,
});

/** The request to update a key. Absent fields keep their values. Null clears a field. */
export const keyPatch = z.strictObject({
  name: keyName.optional(),
  scopes: z
    .array(z.enum(KEY_SCOPES))
    .min(1)
    .optional()
    .describe('Scopes of the key. The caller can add only scopes that it has.'),
  ...settings,
});

/**
 * The request to replace a key. It accepts the response of `GET`. Read-only fields are ignored.
 * Absent fields are cleared.
 */
export const keyReplacement = z.strictObject({
  ...platformKeyResource.partial().shape,
  name: keyName,
  scopes: z
    .array(z.enum(KEY_SCOPES))
    .min(1)
    .describe('Scopes of the key. The caller can add only scopes that it has.'),
  ...settings,
});

/** The request to rotate a key. The rotation replaces the value of the key. */
export const keyRotation = z.strictObject({
  overlap_hours: z
    .number()
    .min(0)
    .max(720)
    .default(24)
    .describe('Hours for which the previous value remains valid. `0` revokes it immediately.'),
});

/** The request that reports a leaked key. */
export const leakReport = z
  .strictObject({
    found_in: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe('Place where the key was found, such as a URL.'),
  })
  .optional();

export const keyListQuery = createListQuerySchema().extend({
  owner: z.string().min(1).max(200).optional().describe('Only keys with this owner.'),
  team: z.string().min(1).max(200).optional().describe('Only keys of this team.'),
});
