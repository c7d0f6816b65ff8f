import { cacheSettingsResource } from '@floe/contract/api/cache';
import { cacheSettingsPatch } from '@floe/contract/api/settings';
import { isJsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import { getCachePurgeCount } from '../../store/cache-purges.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { READ_ONLY_CONFIG_ENTRY_FIELDS } from '../entries/parse-config-entry.ts';
import type { GetLoadedOrg } from '../loaded-org.ts';
import { defineReadOperation, defineWriteOperation, type Operation } from '../operation.ts';
import {
  getSettingsSectionMetadata,
  loadStoredSettings,
  type StoredSettings,
  writeSettingsSection,
} from '../settings/settings-sections.ts';

const CACHE_PATH = '/api/management/cache';

/** The operation that returns the response cache settings (`GET /api/management/cache`). */
export const getCacheSettingsOperation = defineReadOperation({
  name: 'cache.get',
  method: 'GET',
  path: CACHE_PATH,
  scope: 'management',
  summary: 'Read the response cache settings',
  volatileFields: ['purges'],
  answer: cacheSettingsResource,
  run: async ({ orgId, reader }) => toCacheResource(reader, orgId, await loadStoredSettings(reader, orgId)),
});

/** Defines the operation that changes the response cache settings (`PATCH /api/management/cache`). */
export function defineUpdateCacheSettingsOperation(getLoadedOrg: GetLoadedOrg): Operation {
  return defineWriteOperation({
    name: 'cache.update',
    method: 'PATCH',
    path: CACHE_PATH,
    scope: 'management',
    summary: 'Change the response cache settings',
    body: cacheSettingsPatch,
    answer: cacheSettingsResource,
    status: 200,
    invalidates: 'config',
    async run(context, { sent }) {
      const { writer, orgId } = context;
      const before = await loadStoredSettings(writer, orgId);
      const fields = Object.entries(isJsonObject(sent) ? sent : {});
      const given = Object.fromEntries(
        fields.filter(([name]) => name !== 'purges' && !READ_ONLY_CONFIG_ENTRY_FIELDS.has(name)),
      );
      const isChanged = await writeSettingsSection(
        context,
        before,
        { section: 'cache', given },
        getLoadedOrg,
      );
      const answer = await toCacheResource(writer, orgId, await loadStoredSettings(writer, orgId));
      if (!isChanged) return { answer, audit: 'unchanged' };
      return {
        answer,
        audit: { subject: 'cache', before: await toCacheResource(writer, orgId, before), after: answer },
      };
    },
  });
}

async function toCacheResource(
  reader: DatabaseReader,
  orgId: string,
  stored: StoredSettings,
): Promise<z.output<typeof cacheSettingsResource>> {
  const { enabled, ttl_seconds, scope } = stored.settings.cache;
  return {
    enabled,
    ttl_seconds,
    scope,
    purges: await getCachePurgeCount(reader, orgId),
    ...getSettingsSectionMetadata(stored, 'cache'),
  };
}
