import * as z from 'zod';
import { EXPORTED_CONFIG_SECTIONS } from '../exported-sections.ts';
import { jsonValueField } from '../json-value.ts';
import { timestamp } from './page.ts';

const problem = z.strictObject({
  where: z.string().describe('The field, as `orgs[0].providers[1].kind`; empty for the whole file.'),
  message: z.string(),
  line: z.int().nullable(),
  column: z.int().nullable(),
});

const fileFields = {
  file: z.string().nullable().describe('Name of the file; null when there is none.'),
  loaded_at: timestamp.describe('When the file was taken over last, or the process started.'),
  rejected: z
    .strictObject({ at: timestamp, problems: z.array(problem) })
    .nullable()
    .describe('The last file that was refused after that; the running one stayed.'),
};

/** What became of floe.yaml. */
export const configFile = z.strictObject(fileFields).meta({ id: 'ConfigFile' });

/** Which configuration runs, and what was refused since. */
export const runningConfig = z
  .strictObject({
    version: z.string().describe('Changes whenever what is in force for the org does.'),
    ...fileFields,
    counts: z.record(z.string(), z.strictObject({ file: z.int(), console: z.int() })),
  })
  .meta({ id: 'RunningConfig' });

/** Path parameters of one entry. */
export const configEntryParams = z.strictObject({
  kind: z.enum(EXPORTED_CONFIG_SECTIONS),
  id: z.string().min(1).max(200).describe('As the API names it.'),
});

/** One entry as floe.yaml would say it. */
export const configEntry = z
  .strictObject({
    yaml: z
      .string()
      .describe('Its section with this one entry, to be put below the org. Secrets are `${NAME}`.'),
  })
  .meta({ id: 'ConfigEntry' });

/** A floe.yaml, of which the one org counts, or that with the caller's own id. */
export const configDocumentInput = z
  .strictObject({
    yaml: z.string().max(900_000).optional().describe('Text of a floe.yaml.'),
    config: z.record(z.string(), z.unknown()).optional().describe('The same as JSON, instead of `yaml`.'),
    variables: z
      .record(z.string(), z.string())
      .default({})
      .describe('Values of `${NAME}`. A secret whose variable is missing stays as it is stored.'),
    reason: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Why, for the audit log. Members must say it where a budget lets more money through.'),
    prune: z
      .boolean()
      .default(false)
      .describe('Removes what a section of the document does not name; sections it does not have stay.'),
  })
  .meta({ id: 'ConfigDocument' });

const change = z.strictObject({
  kind: z.string().describe('`providers`, `routes`, `monitors` …'),
  id: z.string(),
  action: z.enum(['created', 'changed', 'removed']),
  fields: z.array(z.string()).describe('Fields that change; empty where only a secret does.'),
  before: jsonValueField(),
  after: jsonValueField(),
  in_file: z
    .boolean()
    .describe(
      'The resource is defined in floe.yaml. It changes with that file, and `apply` skips it. Secrets are not compared.',
    ),
});

export const configChangeList = z
  .strictObject({
    changes: z.array(change),
    unchanged: z.int().describe('Resources of the document that are there already, as they are.'),
    ignored: z.array(z.string()).describe('What of the document is not applied here, and why.'),
  })
  .meta({ id: 'ConfigChanges' });
