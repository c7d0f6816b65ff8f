import { listQuery } from '@floe/contract/api/page';
import {
  type ProviderView,
  provider,
  providerChange,
  providerCreation,
  providerReplacement,
} from '@floe/contract/api/providers';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { removeProvider } from '../../platform/config/remove-provider.ts';
import { refused } from '../input.ts';
import { pageOfList } from '../list-page.ts';
import {
  allProviders,
  type FoundProvider,
  type LentProvider,
  lentProviders,
  storedProviders,
} from '../providers/found-provider.ts';
import { lentView, providerView } from '../providers/provider-answer.ts';
import { baseOf, type ProviderDraft, providerDraft } from '../providers/provider-draft.ts';
import type { ProviderHost } from '../providers/provider-host.ts';
import { putProvider } from '../providers/write-provider.ts';
import type { ResourceKind } from './resource-kind.ts';

const SHAPES = {
  answer: provider,
  list: listQuery(['position']),
  creation: providerCreation,
  change: providerChange,
  replacement: providerReplacement,
};

type Known = FoundProvider | LentProvider;
type ProviderKind = ResourceKind<Known, ProviderDraft, ProviderView, typeof SHAPES>;

/**
 * Providers: those of floe.yaml as they stand there, those the API made, then those the environment gave. One of these
 * becomes one of the store by a change, and goes on with the key of the environment.
 */
// budget: one declaration
export function providers(host: ProviderHost): ProviderKind {
  const stored = storedProviders(host.key);
  const draft = (fields: Readonly<Record<string, unknown>>, row: Known | null, base: JsonObject) =>
    providerDraft(host, fields, base, storedIn(row));
  return {
    kind: 'providers',
    path: '/api/management/providers',
    scope: 'management',
    changes: 'config',
    live: ['origin', 'problem', 'speaks', 'credentials.tested_at', 'credentials.test'],
    summaries: {
      list: 'List providers and their credentials by name, without any secret',
      create: 'Create a provider; its keys are stored encrypted and bound to its address',
      get: 'Read one provider, without any secret',
      update: 'Change a provider; its keys stay, unless it moves to another address',
      replace: 'Create or replace the provider with this id',
      delete: 'Remove a provider and its keys; not while a route names it',
    },
    shapes: SHAPES,
    unknown: stored.unknown,
    async find(reader, orgId, id) {
      const found = await stored.find(reader, orgId, id);
      return found ?? lentProviders(host.orgs(orgId)).find(({ lent }) => lent.id === id);
    },
    async page({ reader, orgId }, query) {
      const found = await allProviders(reader, orgId, host.key);
      const lent = lentProviders(host.orgs(orgId)).filter(
        (one) => !found.some(({ row }) => row.id === one.lent.id),
      );
      const place = (one: Known) => ({ id: idOf(one), at: storedIn(one)?.row.created_at ?? null });
      return pageOfList<Known>([...found, ...lent], place, query);
    },
    view: (row, { orgId }) =>
      'lent' in row ? lentView(row.lent) : providerView(row, host, host.orgs(orgId)),
    shown: (view, row) => ('lent' in row ? null : { ...view, ...row.replaced }),
    mustBeChangeable(row, actor) {
      if (!('lent' in row)) stored.mustBeChangeable?.(row, actor);
    },
    async created({ reader, orgId }, { body }) {
      const id = String(body['id']);
      if (await stored.find(reader, orgId, id))
        throw new Fault('conflict', `There is a provider "${id}" already.`, { param: 'id' });
      return draft(body, null, {});
    },
    changed(_, row, { body }) {
      mustKeepId(idOf(row), body['id']);
      return draft(body, row, 'lent' in row ? { id: row.lent.id, kind: row.lent.sheet.kind } : baseOf(row));
    },
    replaced(_, row, id, { body }) {
      mustKeepId(id, body['id']);
      return draft(body, row, { id });
    },
    insert: async (context, wanted) => (await putProvider(context, host.key, wanted, null)).provider,
    async update(context, row, wanted) {
      const { provider, isChanged } = await putProvider(context, host.key, wanted, storedIn(row));
      return isChanged ? provider : null;
    },
    remove({ writer }, row) {
      if ('lent' in row)
        throw new Fault(
          'conflict',
          'The environment of the process gives this provider; PATCH enabled: false takes it out of use.',
        );
      return removeProvider(writer, row.row);
    },
  };
}

function storedIn(row: Known | null): FoundProvider | null {
  return row && 'row' in row ? row : null;
}

function idOf(row: Known): string {
  return 'lent' in row ? row.lent.id : row.row.id;
}

/** @throws Fault `invalid_request`: analytics, routes and breakers know a provider by its id */
function mustKeepId(id: string, given: unknown): void {
  if (given !== undefined && given !== null && given !== id)
    throw refused({ path: ['id'], message: 'is not the one of the path; an id never changes' });
}
