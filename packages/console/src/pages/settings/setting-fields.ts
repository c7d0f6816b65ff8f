import type { orgSettingsResource } from '@floe/contract/api/settings';
import type * as z from 'zod';
import { settingFieldText } from './setting-field-text.ts';

/** The settings of the organization as the API returns them. */
export type OrgSettingsResource = z.output<typeof orgSettingsResource>;

/** The value of a setting. */
export type SettingValue = string | boolean | number | readonly string[];

/** A setting of the organization: its path in the API, label and help text. */
export interface SettingField {
  readonly path: string;
  readonly label: string;
  readonly hint: string;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

/** Settings that are shown together under a title. */
export interface SettingGroup {
  readonly title: string;
  readonly fields: readonly SettingField[];
}

/** The groups of settings in each section of the page. */
export const SETTING_GROUPS = {
  gateway: [
    {
      title: settingFieldText.groups.answers,
      fields: [
        {
          path: 'chat_reasoning',
          label: settingFieldText.chatReasoning.label,
          hint: settingFieldText.chatReasoning.hint,
          choices: [
            { value: 'strip', label: settingFieldText.chatReasoning.choices.strip },
            { value: 'forward', label: settingFieldText.chatReasoning.choices.forward },
          ],
        },
        {
          path: 'stored_responses',
          label: settingFieldText.storedResponses.label,
          hint: settingFieldText.storedResponses.hint,
        },
        {
          path: 'resource_scope',
          label: settingFieldText.resourceScope.label,
          hint: settingFieldText.resourceScope.hint,
          choices: [
            { value: 'key', label: settingFieldText.resourceScope.choices.key },
            { value: 'org', label: settingFieldText.resourceScope.choices.org },
          ],
        },
      ],
    },
    {
      title: settingFieldText.groups.ide,
      fields: [
        {
          path: 'ide.error_profile',
          label: settingFieldText.ideErrors.label,
          hint: settingFieldText.ideErrors.hint,
        },
        {
          path: 'ide.freeform_tools',
          label: settingFieldText.freeformTools.label,
          hint: settingFieldText.freeformTools.hint,
          choices: [
            { value: 'function', label: settingFieldText.freeformTools.choices.function },
            { value: 'custom', label: settingFieldText.freeformTools.choices.custom },
          ],
        },
        {
          path: 'ide.capture',
          label: settingFieldText.ideCapture.label,
          hint: settingFieldText.ideCapture.hint,
        },
      ],
    },
  ],
  data: [
    {
      title: settingFieldText.groups.bodies,
      fields: [
        {
          path: 'bodies.keep',
          label: settingFieldText.keepBodies.label,
          hint: settingFieldText.keepBodies.hint,
        },
        {
          path: 'bodies.redact',
          label: settingFieldText.redactBodies.label,
          hint: settingFieldText.redactBodies.hint,
        },
      ],
    },
    {
      title: settingFieldText.groups.analytics,
      fields: [
        {
          path: 'analytics.metadata_keys',
          label: settingFieldText.metadataKeys.label,
          hint: settingFieldText.metadataKeys.hint,
        },
        {
          path: 'attribution.user_headers',
          label: settingFieldText.userHeaders.label,
          hint: settingFieldText.userHeaders.hint,
        },
      ],
    },
  ],
  monitoring: [
    {
      title: settingFieldText.groups.monitors,
      fields: [
        {
          path: 'monitoring.grace_period_minutes',
          label: settingFieldText.gracePeriod.label,
          hint: settingFieldText.gracePeriod.hint,
        },
      ],
    },
  ],
} as const satisfies Readonly<Record<string, readonly SettingGroup[]>>;

/** A section of the page that contains settings of the organization. */
export type SettingSection = keyof typeof SETTING_GROUPS;

/** Returns the value of the setting at a path such as `bodies.keep`, or an empty string if there is none. */
export function getSettingValue(settings: OrgSettingsResource, path: string): SettingValue {
  let value: unknown = settings;
  for (const step of path.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : '';
}

/** The form values of a section, by path of the setting. */
export type SettingsFormValues = Readonly<Record<string, SettingValue>>;

/** Converts the settings of a section to form values. */
export function toSettingsFormValues(
  section: SettingSection,
  settings: OrgSettingsResource,
): SettingsFormValues {
  const paths = SETTING_GROUPS[section].flatMap(({ fields }) => fields.map(({ path }) => path));
  return Object.fromEntries(paths.map((path) => [path, getSettingValue(settings, path)]));
}

/**
 * Returns the body of a `PATCH` request. It contains only the settings whose form value differs from the
 * current value.
 */
export function toSettingsPatch(
  settings: OrgSettingsResource,
  form: SettingsFormValues,
): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(form)) {
    if (JSON.stringify(getSettingValue(settings, path)) === JSON.stringify(value)) continue;
    const [section = '', field] = path.split('.', 2);
    const within = change[section];
    if (field === undefined) change[section] = value;
    else change[section] = { ...(typeof within === 'object' ? within : {}), [field]: value };
  }
  return change;
}
