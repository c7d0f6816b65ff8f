import type { OrgConfig } from '@floe/contract/config';
import { ORG_SETTINGS_FIELDS } from '@floe/contract/config/org';
import * as z from 'zod';

/** The schema of an organization's settings. Each section is changed as a whole. */
export const OrgSettingsSchema = z.strictObject(ORG_SETTINGS_FIELDS);
export type OrgSettings = z.output<typeof OrgSettingsSchema>;
export type SettingsSection = keyof OrgSettings;

export const SETTINGS_SECTIONS: readonly SettingsSection[] =
  Object.keys(ORG_SETTINGS_FIELDS).filter(isSettingsSection);

/** Returns whether a name is the name of a settings section. */
export function isSettingsSection(name: string): name is SettingsSection {
  return Object.hasOwn(ORG_SETTINGS_FIELDS, name);
}

/** Returns an organization's settings. Sections in `over` take precedence over those in `org`. */
export function mergeOrgSettings(
  org: Pick<OrgConfig, SettingsSection>,
  over: Readonly<Record<string, unknown>> = {},
): OrgSettings {
  // Relay rules are resources that are created and changed individually.
  const { rules: _, ...relay } = org.relay;
  const own: Readonly<Record<string, unknown>> = { ...org, relay };
  return OrgSettingsSchema.parse(
    Object.fromEntries(SETTINGS_SECTIONS.map((section) => [section, over[section] ?? own[section]])),
  );
}
