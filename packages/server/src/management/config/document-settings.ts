import { isJsonObject } from '@floe/contract/json';
import { CONFIG_FILE_SETTINGS_RESOURCE_KIND } from '../../platform/config/config-file-entries.ts';
import { parseStoredConfigEntry } from '../../platform/config/stored-config.ts';
import {
  type ConfigStep,
  type DocumentResourceKind,
  defineStoredDocumentResourceKind,
  toPlainJson,
} from './document-resource-kind.ts';

/** How a configuration document contains the organization's name and time zone. */
export const ORG_DOCUMENT_RESOURCE_KIND: DocumentResourceKind = {
  section: [],
  kind: 'org',
  entries: ({ name, timezone }, orgId) => new Map([[orgId, { name, timezone }]]),
  async buildSteps({ org, isSet }, { orgId }) {
    const fields = (['name', 'timezone'] as const).filter((field) => isSet(field));
    const body = Object.fromEntries(fields.map((field) => [field, org[field]]));
    return fields.length === 0 ? [] : [{ kind: 'org', id: orgId, operation: 'org.update', params: {}, body }];
  },
};

/**
 * Defines how settings are represented in a configuration document. Applying a document takes one step per section.
 * Sections that floe.yaml defines are not changed. The cache settings have their own operation.
 */
export const SETTINGS_DOCUMENT_RESOURCE_KIND: DocumentResourceKind = {
  ...defineStoredDocumentResourceKind(CONFIG_FILE_SETTINGS_RESOURCE_KIND, (row) => ({
    [row.id]: parseStoredConfigEntry(row)['value'],
  })),
  section: [],
  entries: (org) =>
    new Map(
      CONFIG_FILE_SETTINGS_RESOURCE_KIND.list(org).map(({ section, value }) => [
        section,
        { [section]: value },
      ]),
    ),
  buildSteps: async ({ org, isSet }) =>
    CONFIG_FILE_SETTINGS_RESOURCE_KIND.list(org).flatMap(({ section, value }): ConfigStep[] => {
      // A relay section with rules only sets no relay settings.
      const isGiven =
        section === 'relay' && isJsonObject(value)
          ? Object.keys(value).some((field) => isSet(section, field))
          : isSet(section);
      if (!isGiven || section === 'cache') return [];
      return [
        {
          kind: 'settings',
          id: section,
          operation: 'settings.update',
          params: {},
          body: toPlainJson({ [section]: value }),
        },
      ];
    }),
};

/** How a configuration document contains the response cache settings, which have their own operation. */
export const CACHE_DOCUMENT_RESOURCE_KIND: DocumentResourceKind = {
  section: [],
  kind: 'cache',
  entries: ({ cache }) => new Map([['cache', { cache }]]),
  buildSteps: async ({ org, isSet }) =>
    isSet('cache')
      ? [{ kind: 'cache', id: 'cache', operation: 'cache.update', params: {}, body: toPlainJson(org.cache) }]
      : [],
};
