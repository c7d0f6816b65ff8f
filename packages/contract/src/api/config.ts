import * as z from 'zod';
import { EXPORTABLE_CONFIG_SECTIONS } from '../exportable-config-sections.ts';
import { createJsonValueField } from '../json-value.ts';
import { timestamp } from './page.ts';

const problem = z.strictObject({
  where: z
    .string()
    .describe(
      'Path of the field, such as `orgs[0].providers[1].kind`. Empty if the problem concerns the whole file.',
    ),
  message: z.string(),
  line: z.int().nullable(),
  column: z.int().nullable(),
});

const fileFields = {
  file: z.string().nullable().describe('Name of the configuration file. `null` means that there is none.'),
  loaded_at: timestamp.describe(
    'Time at which the last change to the file was applied. If the file has not changed since the process started, the time of the start.',
  ),
  rejected: z
    .strictObject({ at: timestamp, problems: z.array(problem) })
    .nullable()
    .describe(
      'Last rejected change to the file since `loaded_at`. The previous configuration remains in force. `null` if no change was rejected.',
    ),
};

/**
 * The state of floe.yaml: its name, when it was loaded, and the problems of a later version that was rejected.
 */
export const configFileStatus = z.strictObject(fileFields).meta({ id: 'ConfigFile' });

/**
 * The state of the running configuration: its version, and the latest change to floe.yaml that was rejected since
 * `loaded_at`.
 */
export const runningConfigStatus = z
  .strictObject({
    version: z
      .string()
      .describe(
        'Version of the organization’s configuration in force. Every change to the configuration changes the version, except changes to the values of secrets.',
      ),
    ...fileFields,
    counts: z.record(z.string(), z.strictObject({ file: z.int(), console: z.int() })),
  })
  .meta({ id: 'RunningConfig' });

/** The path parameters that identify one configuration entry. */
export const configEntryParams = z.strictObject({
  kind: z.enum(EXPORTABLE_CONFIG_SECTIONS),
  id: z.string().min(1).max(200).describe('Id of the resource in the API.'),
});

/** One configuration entry in the format of floe.yaml. */
export const configEntry = z
  .strictObject({
    yaml: z
      .string()
      .describe(
        'Section of `floe.yaml` with this resource, to be inserted below the organization. Secrets are replaced with `${NAME}`.',
      ),
  })
  .meta({ id: 'ConfigEntry' });

/**
 * A document in the format of floe.yaml. Floe applies the organization in it that has the id of the caller's
 * organization. If the document contains only one organization, Floe applies that one, regardless of its id.
 */
export const configDocumentInput = z
  .strictObject({
    yaml: z.string().max(900_000).optional().describe('Text of a `floe.yaml`.'),
    config: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The configuration as JSON. Set either this field or `yaml`.'),
    variables: z
      .record(z.string(), z.string())
      .default({})
      .describe(
        'Values for the `${NAME}` references in the configuration. If a secret refers to a variable that is not listed here, Floe keeps the stored secret.',
      ),
    reason: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        'Reason for the change, for the audit log. Required for members if a budget change allows more spending.',
      ),
    prune: z
      .boolean()
      .default(false)
      .describe(
        '`true` also removes resources that a section of the document does not contain, except platform keys and resources in `floe.yaml`. Sections that the document does not contain remain unchanged.',
      ),
  })
  .meta({ id: 'ConfigDocument' });

const change = z.strictObject({
  kind: z.string().describe('Section of the resource, such as `providers`, `routes` or `monitors`.'),
  id: z.string(),
  action: z.enum(['created', 'changed', 'removed']),
  fields: z
    .array(z.string())
    .describe(
      'Fields that change. For a created or removed resource, all its fields. Empty if only a secret changes.',
    ),
  before: createJsonValueField(),
  after: createJsonValueField(),
  in_file: z
    .boolean()
    .describe(
      'Whether the resource is defined in `floe.yaml`. Such a resource can be changed only in that file, and `apply` skips it. Floe does not compare its secrets.',
    ),
});

/** The changes that applying a configuration document has made or would make. */
export const configChangeList = z
  .strictObject({
    changes: z.array(change),
    unchanged: z.int().describe('Number of resources in the document that do not change.'),
    ignored: z
      .array(z.string())
      .describe('Parts of the document that are not applied, each with the reason.'),
  })
  .meta({ id: 'ConfigChanges' });
