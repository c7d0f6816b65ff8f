import type { OrgConfig } from '@floe/contract/config';
import { SETTINGS } from '@floe/contract/config/org';
import * as z from 'zod';

/** Settings of an org, each changed as a whole. */
export const OrgSettingsSchema = z.strictObject(SETTINGS);
export type OrgSettings = z.output<typeof OrgSettingsSchema>;
export type Section = keyof OrgSettings;

export const SECTIONS: readonly Section[] = Object.keys(SETTINGS).filter(isSection);

export function isSection(name: string): name is Section {
  return Object.hasOwn(SETTINGS, name);
}

/** The settings of an org; `over` replaces those that it names. */
export function settingsOf(
  org: Pick<OrgConfig, Section>,
  over: Readonly<Record<string, unknown>> = {},
): OrgSettings {
  // Rules are things with a life of their own, made and changed one by one.
  const { rules: _, ...relay } = org.relay;
  const own: Readonly<Record<string, unknown>> = { ...org, relay };
  return OrgSettingsSchema.parse(
    Object.fromEntries(SECTIONS.map((section) => [section, over[section] ?? own[section]])),
  );
}
