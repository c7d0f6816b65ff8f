import * as z from 'zod';
import { label, modelPatterns, slug } from '../config/fields.ts';
import { KEY_FIELDS } from '../config/org.ts';
import { SCOPES } from '../scopes.ts';
import { listQuery, moment } from './page.ts';
import { filePlace } from './place.ts';

const keyName = label();
const models = modelPatterns().describe(
  'Model ids the key may ask for; `*` matches any run of characters, `/` included.',
);

const paths = KEY_FIELDS.paths
  .unwrap()
  .describe(
    'Paths without a model, as `/gateway/v1/files`, that a key with `models` may use, and all below them.',
  );

/** Where a resource is written: `file` ones are read-only here, `line` is theirs in the file. */
export const source = filePlace;

const fields = {
  id: z.string(),
  name: keyName,
  prefix: z.string().describe('First eight characters of the key.'),
  last4: z.string(),
  status: z.enum(['active', 'expired', 'revoked']),
  scopes: z.array(z.enum(SCOPES)),
  models: models.nullable().describe('Null: every model of the organization.'),
  paths,
  team: z.string().nullable(),
  owner: z.string().nullable(),
  created_at: moment,
  created_by: z.string().nullable(),
  expires_at: moment.nullable(),
  revoked_at: moment.nullable(),
  last_used_at: moment.nullable().describe('Up to a minute behind.'),
  rotated_at: moment.nullable().describe('When it got its present value.'),
  previous: z
    .strictObject({
      prefix: z.string(),
      last4: z.string(),
      expires_at: moment,
      last_used_at: moment.nullable().describe('Up to a minute behind; tells who still has to change over.'),
    })
    .nullable()
    .describe('The value before the last rotation: it works until it expires.'),
  source,
  updated_at: moment,
  updated_by: z.string().nullable().describe('Who changed it last; null while that is not known.'),
};

/** A platform key as every answer but that to its creation shows it. */
export const platformKey = z.strictObject(fields).meta({ id: 'PlatformKey' });
export type PlatformKey = z.output<typeof platformKey>;

/** Answer to the creation of a key: the only one that carries its value. */
export const createdKey = z
  .strictObject({ ...fields, key: z.string().describe('The key itself. It is shown this once.') })
  .meta({ id: 'CreatedPlatformKey' });

export const keyCreation = z.strictObject({
  name: keyName,
  scopes: z.array(z.enum(SCOPES)).min(1).describe('None that the caller itself lacks.'),
  models: models.nullish(),
  paths: paths.nullish(),
  team: slug().nullish(),
  owner: label().nullish(),
  expires_at: moment.nullish(),
});

/** Absent fields stay; null clears. */
export const keyChange = z.strictObject({
  name: keyName.optional(),
  scopes: z.array(z.enum(SCOPES)).min(1).optional().describe('None new that the caller itself lacks.'),
  models: models.nullish(),
  paths: paths.nullish(),
  team: slug().nullish(),
  owner: label().nullish(),
  expires_at: moment.nullish(),
});

/** What `GET` returned is accepted; what only answers carry is passed over, absent fields are cleared. */
export const keyReplacement = z.strictObject({
  ...platformKey.partial().shape,
  name: keyName,
  scopes: z.array(z.enum(SCOPES)).min(1),
});

export const keyRotation = z.strictObject({
  overlap_hours: z
    .number()
    .min(0)
    .max(720)
    .default(24)
    .describe('How long the old value works beside the new one; 0 ends it at once.'),
});

export const leakReport = z
  .strictObject({ found_at: z.string().min(1).max(2000).optional().describe('Where it was found.') })
  .optional();

export const keyList = listQuery().extend({
  owner: z.string().min(1).max(200).optional(),
  team: z.string().min(1).max(200).optional(),
});
