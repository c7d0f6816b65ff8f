import { orgSettingsPatch, orgSettingsResource } from '@floe/contract/api/settings';
import { isJsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import { applyDefaultGracePeriod } from '../../monitoring/monitors.ts';
import { isSettingsSection, SETTINGS_SECTIONS } from '../../platform/config/settings-sections.ts';
import { setDeclaredMetadataKeys } from '../../store/orgs.ts';
import type { GetLoadedOrg } from '../loaded-org.ts';
import {
  createMonitorChangeContext,
  type MonitoringDependencies,
} from '../monitors/monitoring-dependencies.ts';
import { defineReadOperation, defineWriteOperation, type Operation } from '../operation.ts';
import { castToJson } from '../validate-input.ts';
import {
  getSettingsSectionMetadata,
  loadStoredSettings,
  type StoredSettings,
  writeSettingsSection,
} from './settings-sections.ts';

const ORG_SETTINGS_PATH = '/api/management/settings';

/** The operation that returns the organization's settings (`GET /api/management/settings`). */
export const getSettingsOperation = defineReadOperation({
  name: 'settings.get',
  method: 'GET',
  path: ORG_SETTINGS_PATH,
  scope: 'management',
  summary: 'Read the settings of the organization and where each section is defined',
  answer: orgSettingsResource,
  run: async ({ reader, orgId }) => toSettingsResource(await loadStoredSettings(reader, orgId)),
});

/** Defines the operation that changes the organization's settings (`PATCH /api/management/settings`). */
export function defineUpdateSettingsOperation(
  getLoadedOrg: GetLoadedOrg,
  monitoring: MonitoringDependencies,
): Operation {
  return defineWriteOperation({
    name: 'settings.update',
    method: 'PATCH',
    path: ORG_SETTINGS_PATH,
    scope: 'management',
    summary: 'Change settings of the organization; null resets a setting to its default',
    body: orgSettingsPatch,
    answer: orgSettingsResource,
    status: 200,
    invalidates: 'config',
    beforeTransaction: () => monitoring.engine.changeContext(),
    async run(context, { sent }) {
      const { writer, orgId } = context;
      const before = await loadStoredSettings(writer, orgId);
      const changed: string[] = [];
      for (const [section, value] of Object.entries(isJsonObject(sent) ? sent : {}))
        if (
          isSettingsSection(section) &&
          (await writeSettingsSection(context, before, { section, given: castToJson(value) }, getLoadedOrg))
        )
          changed.push(section);
      const after = await loadStoredSettings(writer, orgId);
      const { analytics, monitoring: monitoringSettings } = after.settings;
      if (changed.includes('analytics'))
        await setDeclaredMetadataKeys(writer, orgId, analytics.metadata_keys);
      if (changed.includes('monitoring'))
        await applyDefaultGracePeriod(
          createMonitorChangeContext(context, monitoring),
          orgId,
          monitoringSettings.grace_period_minutes * 60_000,
        );
      const answer = toSettingsResource(after);
      if (changed.length === 0) return { answer, audit: 'unchanged' };
      return { answer, audit: { subject: 'settings', before: toSettingsResource(before), after: answer } };
    },
  });
}

function toSettingsResource(stored: StoredSettings): z.output<typeof orgSettingsResource> {
  const { cache: _, ...settings } = stored.settings;
  const shown = SETTINGS_SECTIONS.filter((section) => section !== 'cache');
  return {
    ...settings,
    sources: Object.fromEntries(
      shown.map((section) => [section, getSettingsSectionMetadata(stored, section)]),
    ),
  };
}
