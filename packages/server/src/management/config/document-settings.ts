import type { OrgConfig } from '@floe/contract/config';
import { SECTIONS, type Section } from '../../platform/config/sections.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { entriesOfOrg } from '../../store/config-entries.ts';
import type { ConfigDocument } from './document.ts';
import { type DocumentKind, plain } from './document-kind.ts';

const NOTHING = { section: [], existing: async () => [] };

/** Name and zone of the org. */
export const ORG: DocumentKind = {
  ...NOTHING,
  kind: 'org',
  entries: ({ name, timezone }, orgId) => new Map([[orgId, { name, timezone }]]),
  async steps({ org, sets }, { orgId }) {
    const fields = (['name', 'timezone'] as const).filter((field) => sets(field));
    if (fields.length === 0) return [];
    const body = Object.fromEntries(fields.map((field) => [field, org[field]]));
    return [{ kind: 'org', id: orgId, verb: 'org.update', params: {}, body }];
  },
};

/** One at a time: what of them is in floe.yaml is left alone, and the others are not. */
export const SETTINGS: DocumentKind = {
  section: [],
  kind: 'settings',
  entries: (org) => new Map(SECTIONS.map((section) => [section, { [section]: settingOf(org, section) }])),
  async steps(document) {
    const given = SECTIONS.filter((section) => section !== 'cache' && isGiven(document, section));
    return given.map((section) => {
      const body = plain({ [section]: settingOf(document.org, section) });
      return { kind: 'settings', id: section, verb: 'settings.update', params: {}, body };
    });
  },
  existing: async ({ reader, orgId }) =>
    (await entriesOfOrg(reader, orgId, 'settings')).map((row) => ({
      id: row.id,
      source: row.source,
      entry: () => ({ [row.id]: parsed(row)['value'] }),
    })),
};

/** The one setting with a verb of its own. */
export const CACHE: DocumentKind = {
  ...NOTHING,
  kind: 'cache',
  entries: ({ cache }) => new Map([['cache', { cache }]]),
  steps: async ({ org, sets }) =>
    sets('cache')
      ? [{ kind: 'cache', id: 'cache', verb: 'cache.update', params: {}, body: plain(org.cache) }]
      : [],
};

function settingOf(org: OrgConfig, section: Section): unknown {
  const { rules: _, ...relay } = org.relay;
  return section === 'relay' ? relay : org[section];
}

function isGiven({ org, sets }: ConfigDocument, section: Section): boolean {
  if (section !== 'relay') return sets(section);
  return Object.keys(org.relay).some((field) => field !== 'rules' && sets('relay', field));
}
