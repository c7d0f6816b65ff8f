import type { orgSettings } from '@floe/contract/api/settings';
import type * as z from 'zod';

export type OrgSettings = z.output<typeof orgSettings>;

/** What a setting holds, and so what it is changed with. */
export type SettingValue = string | boolean | number | readonly string[];

/** A setting of the org: its path in the API, its effect in one sentence. */
export interface SettingField {
  readonly path: string;
  readonly label: string;
  readonly hint: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

export interface SettingGroup {
  readonly title: string;
  readonly fields: readonly SettingField[];
}

/** Settings by section of the page. */
export const SETTING_GROUPS = {
  gateway: [
    {
      title: 'Answers',
      fields: [
        {
          path: 'chat_reasoning',
          label: 'Reasoning text in Chat answers',
          hint: 'Clients that do not know it may show it to people or fail on it.',
          choices: [
            { value: 'strip', label: 'Leave out' },
            { value: 'forward', label: 'Forward' },
          ],
        },
        {
          path: 'stored_responses',
          label: 'Keep turns for previous_response_id',
          hint: 'Encrypted. Off: a client sends the whole conversation each time.',
        },
        {
          path: 'resource_scope',
          label: 'Who sees files, batches and stored responses',
          hint: 'Of one key, or of every key of the org.',
          choices: [
            { value: 'key', label: 'The key that made them' },
            { value: 'org', label: 'The whole org' },
          ],
        },
      ],
    },
    {
      title: 'IDE adapter',
      fields: [
        {
          path: 'ide.error_profile',
          label: 'Errors in the form editors show',
          hint: 'Editors show only some errors as they are; this chooses those.',
        },
        {
          path: 'ide.freeform_tools',
          label: 'Freeform tools',
          hint: 'How tools without a schema are told to models.',
          choices: [
            { value: 'function', label: 'As functions' },
            { value: 'custom', label: 'As custom tools' },
          ],
        },
        {
          path: 'ide.capture',
          label: 'Keep what editors send that is not understood',
          hint: 'For a bug report. It may hold parts of prompts.',
        },
      ],
    },
  ],
  data: [
    {
      title: 'Bodies',
      fields: [
        {
          path: 'bodies.keep',
          label: 'Keep bodies of requests and answers',
          hint: 'For retention.bodies_days of floe.yaml. Who may read them: owners and admins.',
        },
        {
          path: 'bodies.redact',
          label: 'Remove secrets and personal data from kept bodies',
          hint: 'Before they are written; what was removed cannot be brought back.',
        },
      ],
    },
    {
      title: 'Analytics',
      fields: [
        {
          path: 'analytics.metadata_keys',
          label: 'Metadata keys to group by',
          hint: 'One on a line, at most 10. They count from the moment they stand here.',
        },
        {
          path: 'attribution.user_headers',
          label: 'Headers that name the end user',
          hint: 'One on a line; the first that a request has wins.',
        },
      ],
    },
  ],
  monitoring: [
    {
      title: 'Defaults of monitors',
      fields: [
        {
          path: 'monitoring.grace_period_minutes',
          label: 'Grace in minutes',
          hint: 'How long after a missed beat a monitor that sets no grace is still healthy.',
        },
      ],
    },
  ],
} as const satisfies Readonly<Record<string, readonly SettingGroup[]>>;

export type SettingSection = keyof typeof SETTING_GROUPS;

/** The value that stands at a path, such as `bodies.keep`. */
export function valueAt(settings: OrgSettings, path: string): SettingValue {
  let value: unknown = settings;
  for (const step of path.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : '';
}

/** What a section's form holds, by path. */
export type SettingForm = Readonly<Record<string, SettingValue>>;

export function formOf(section: SettingSection, settings: OrgSettings): SettingForm {
  const paths = SETTING_GROUPS[section].flatMap(({ fields }) => fields.map(({ path }) => path));
  return Object.fromEntries(paths.map((path) => [path, valueAt(settings, path)]));
}

/** The change that puts a form in place: only what differs from what is there, sections within. */
export function settingsChange(settings: OrgSettings, form: SettingForm): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(form)) {
    if (JSON.stringify(valueAt(settings, path)) === JSON.stringify(value)) continue;
    const [section = '', field] = path.split('.', 2);
    const within = change[section];
    if (field === undefined) change[section] = value;
    else change[section] = { ...(typeof within === 'object' ? within : {}), [field]: value };
  }
  return change;
}
