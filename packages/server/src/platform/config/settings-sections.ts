import type { OrgConfig } from '@floe/contract/config';
import { ORG_SETTINGS } from '@floe/contract/config/org';
import * as z from 'zod';

/** Settings of an org, each changed as a whole. */
export const OrgSettingsSchema = z.strictObject(ORG_SETTINGS);
export type OrgSettings = z.output<typeof OrgSettingsSchema>;
export type SettingsSection = keyof OrgSettings;

export const SETTINGS_SECTIONS: readonly SettingsSection[] =
  Object.keys(ORG_SETTINGS).filter(isSettingsSection);

export function isSettingsSection(name: string): name is SettingsSection {
  return Object.hasOwn(ORG_SETTINGS, name);
}

/** The settings of an org; `over` replaces those that it names. */
export function mergeOrgSettings(
  org: Pick<OrgConfig, SettingsSection>,
  over: Readonly<Record<string, unknown>> = {},
): OrgSettings {
  // Rules are things with a life of their own, made and changed one by one.
  const { rules: _, ...relay } = org.relay;
  const own: Readonly<Record<string, unknown>> = { ...org, relay };
  return OrgSettingsSchema.parse(
    Object.fromEntries(SETTINGS_SECTIONS.map((section) => [section, over[section] ?? own[section]])),
  );
}
