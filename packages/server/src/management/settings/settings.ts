import { orgSettings, settingsChange } from '@floe/contract/api/settings';
import { isObject } from '@floe/contract/json';
import type * as z from 'zod';
import { setDefaultGrace } from '../../monitoring/monitors.ts';
import { isSection, SECTIONS } from '../../platform/config/sections.ts';
import { putMetadataKeys } from '../../store/orgs.ts';
import { asJson } from '../input.ts';
import { changing, type MonitoringHost } from '../monitors/monitoring-host.ts';
import type { RunningOrgs } from '../running-org.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import { putSection, type StoredSections, sourceOf, storedSections } from './sections-of.ts';

const PATH = '/api/management/settings';

export const getSettings = readVerb({
  name: 'settings.get',
  method: 'GET',
  path: PATH,
  scope: 'management',
  summary: 'Read the settings of the org, and where each stands',
  answer: orgSettings,
  run: async ({ reader, orgId }) => view(await storedSections(reader, orgId)),
});

export function updateSettings(orgs: RunningOrgs, monitoring: MonitoringHost): Verb {
  return writeVerb({
    name: 'settings.update',
    method: 'PATCH',
    path: PATH,
    scope: 'management',
    summary: 'Change settings of the org; null returns one to its default',
    body: settingsChange,
    answer: orgSettings,
    status: 200,
    changes: 'config',
    before: () => monitoring.engine.moment(),
    async run(context, { sent }) {
      const { writer, orgId } = context;
      const before = await storedSections(writer, orgId);
      const changed: string[] = [];
      for (const [section, value] of Object.entries(isObject(sent) ? sent : {}))
        if (
          isSection(section) &&
          (await putSection(context, before, { section, given: asJson(value) }, orgs))
        )
          changed.push(section);
      const after = await storedSections(writer, orgId);
      const { analytics, monitoring: clocks } = after.settings;
      if (changed.includes('analytics')) await putMetadataKeys(writer, orgId, analytics.metadata_keys);
      if (changed.includes('monitoring'))
        await setDefaultGrace(changing(context, monitoring), orgId, clocks.grace_period_minutes * 60_000);
      const answer = view(after);
      if (changed.length === 0) return { answer, audit: 'unchanged' };
      return { answer, audit: { subject: 'settings', before: view(before), after: answer } };
    },
  });
}

function view(stored: StoredSections): z.output<typeof orgSettings> {
  const { cache: _, ...settings } = stored.settings;
  const shown = SECTIONS.filter((section) => section !== 'cache');
  return {
    ...settings,
    sources: Object.fromEntries(shown.map((section) => [section, sourceOf(stored, section)])),
  };
}
