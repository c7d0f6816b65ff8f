import { isObject } from '@floe/contract/json';
import { FILE_SETTINGS } from '../../platform/config/file-entries.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { type DocumentKind, plain, type Step, stored } from './document-kind.ts';

/** Name and zone of the org. */
export const ORG: DocumentKind = {
  section: [],
  kind: 'org',
  entries: ({ name, timezone }, orgId) => new Map([[orgId, { name, timezone }]]),
  async steps({ org, sets }, { orgId }) {
    const fields = (['name', 'timezone'] as const).filter((field) => sets(field));
    const body = Object.fromEntries(fields.map((field) => [field, org[field]]));
    return fields.length === 0 ? [] : [{ kind: 'org', id: orgId, verb: 'org.update', params: {}, body }];
  },
};

/** One at a time: what of them is in floe.yaml is left alone, and the others are not. The cache has a verb of its own. */
export const SETTINGS: DocumentKind = {
  ...stored(FILE_SETTINGS, (row) => ({ [row.id]: parsed(row)['value'] })),
  section: [],
  entries: (org) =>
    new Map(FILE_SETTINGS.list(org).map(({ section, value }) => [section, { [section]: value }])),
  steps: async ({ org, sets }) =>
    FILE_SETTINGS.list(org).flatMap(({ section, value }): Step[] => {
      // Rules alone set nothing of the relay.
      const isGiven =
        section === 'relay' && isObject(value)
          ? Object.keys(value).some((field) => sets(section, field))
          : sets(section);
      if (!isGiven || section === 'cache') return [];
      return [
        {
          kind: 'settings',
          id: section,
          verb: 'settings.update',
          params: {},
          body: plain({ [section]: value }),
        },
      ];
    }),
};

export const CACHE: DocumentKind = {
  section: [],
  kind: 'cache',
  entries: ({ cache }) => new Map([['cache', { cache }]]),
  steps: async ({ org, sets }) =>
    sets('cache')
      ? [{ kind: 'cache', id: 'cache', verb: 'cache.update', params: {}, body: plain(org.cache) }]
      : [],
};
