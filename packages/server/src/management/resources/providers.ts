import { createListQuerySchema } from '@floe/contract/api/page';
import {
  type ProviderResource,
  providerCreation,
  providerPatch,
  providerReplacement,
  providerResource,
} from '@floe/contract/api/providers';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { removeProvider } from '../../platform/config/remove-provider.ts';
import { paginateList } from '../list-page.ts';
import type { ProviderDependencies } from '../providers/provider-dependencies.ts';
import { buildProviderDraft, type ProviderDraft, toProviderFields } from '../providers/provider-draft.ts';
import { toEnvironmentProviderResource, toProviderResource } from '../providers/provider-resource.ts';
import {
  createStoredProviderLookup,
  type EnvironmentProvider,
  listEnvironmentProviders,
  listStoredProviders,
  type StoredProvider,
} from '../providers/stored-providers.ts';
import { upsertProvider } from '../providers/write-provider.ts';
import { createInvalidInputFault } from '../validate-input.ts';
import type { ResourceKind } from './resource-kind.ts';

const PROVIDER_SCHEMAS = {
  answer: providerResource,
  list: createListQuerySchema(['position']),
  creation: providerCreation,
  change: providerPatch,
  replacement: providerReplacement,
};

type KnownProvider = StoredProvider | EnvironmentProvider;
type ProviderResourceKind = ResourceKind<
  KnownProvider,
  ProviderDraft,
  ProviderResource,
  typeof PROVIDER_SCHEMAS
>;

// budget: one declaration
/**
 * Creates the resource kind of providers. Providers in floe.yaml come first, in file order, then those that were
 * created with the API, and then those that the environment defines. Changing a provider of the environment stores
 * it in the database, with its key from the environment.
 */
export function createProviderResourceKind(dependencies: ProviderDependencies): ProviderResourceKind {
  const stored = createStoredProviderLookup(dependencies.secretsKey);
  const buildDraft = (
    fields: Readonly<Record<string, unknown>>,
    row: KnownProvider | null,
    base: JsonObject,
  ) => buildProviderDraft(dependencies, fields, base, asStoredProvider(row));
  return {
    kind: 'providers',
    path: '/api/management/providers',
    scope: 'management',
    invalidates: 'config',
    volatileFields: ['origin', 'problem', 'native_dialects', 'credentials.tested_at', 'credentials.test'],
    summaries: {
      list: 'List providers and their credentials, without secrets; providers in floe.yaml come first',
      create: 'Create a provider; its credentials are stored encrypted and are sent only to its URL',
      get: 'Read one provider, without secrets',
      update:
        'Change a provider; a request that changes the scheme, host or port of its URL must contain its credentials and other secrets again',
      replace: 'Create or replace a provider by its id',
      delete:
        'Remove a provider and its credentials; fails while a route or the setting `passthrough` refers to the provider',
    },
    schemas: PROVIDER_SCHEMAS,
    notFoundMessage: stored.notFoundMessage,
    async find(reader, orgId, id) {
      const found = await stored.find(reader, orgId, id);
      return (
        found ??
        listEnvironmentProviders(dependencies.getLoadedOrg(orgId)).find(
          ({ environmentProvider }) => environmentProvider.id === id,
        )
      );
    },
    async getPage({ reader, orgId }, query) {
      const found = await listStoredProviders(reader, orgId, dependencies.secretsKey);
      const fromEnvironment = listEnvironmentProviders(dependencies.getLoadedOrg(orgId)).filter(
        (one) => !found.some(({ row }) => row.id === one.environmentProvider.id),
      );
      const getListFields = (one: KnownProvider) => ({
        id: knownProviderId(one),
        createdAt: asStoredProvider(one)?.row.created_at ?? null,
      });
      return paginateList<KnownProvider>([...found, ...fromEnvironment], getListFields, query);
    },
    toResource: (row, { orgId }) =>
      'environmentProvider' in row
        ? toEnvironmentProviderResource(row.environmentProvider)
        : toProviderResource(row, dependencies, dependencies.getLoadedOrg(orgId)),
    toAuditView: (view, row) => ('environmentProvider' in row ? null : { ...view, ...row.replacedSecrets }),
    requireChangeable(row, actor) {
      if (!('environmentProvider' in row)) stored.requireChangeable?.(row, actor);
    },
    async configFromCreation({ reader, orgId }, { body }) {
      const id = String(body['id']);
      if (await stored.find(reader, orgId, id))
        throw new Fault('conflict', `The provider "${id}" already exists. Choose another id.`, {
          param: 'id',
        });
      return buildDraft(body, null, {});
    },
    configFromPatch(_, row, { body }) {
      requireSameId(knownProviderId(row), body['id']);
      return buildDraft(
        body,
        row,
        'environmentProvider' in row
          ? { id: row.environmentProvider.id, kind: row.environmentProvider.definition.kind }
          : toProviderFields(row),
      );
    },
    configFromReplacement(_, row, id, { body }) {
      requireSameId(id, body['id']);
      return buildDraft(body, row, { id });
    },
    insert: async (context, wanted) =>
      (await upsertProvider(context, dependencies.secretsKey, wanted, null)).provider,
    async update(context, row, wanted) {
      const { provider, isChanged } = await upsertProvider(
        context,
        dependencies.secretsKey,
        wanted,
        asStoredProvider(row),
      );
      return isChanged ? provider : null;
    },
    remove({ writer }, row) {
      if ('environmentProvider' in row)
        throw new Fault(
          'conflict',
          'This provider is configured by environment variables and cannot be removed. To disable it, send PATCH with enabled: false.',
        );
      return removeProvider(writer, row.row);
    },
  };
}

function asStoredProvider(row: KnownProvider | null): StoredProvider | null {
  return row && 'row' in row ? row : null;
}

function knownProviderId(row: KnownProvider): string {
  return 'environmentProvider' in row ? row.environmentProvider.id : row.row.id;
}

/**
 * @throws Fault `invalid_request` if the body has another id; analytics, routes and breakers reference a
 *   provider by id
 */
function requireSameId(id: string, given: unknown): void {
  if (given !== undefined && given !== null && given !== id)
    throw createInvalidInputFault({
      path: ['id'],
      message: 'must match the id in the path. Ids cannot be changed.',
    });
}
