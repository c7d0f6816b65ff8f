import { modelListQuery, modelResource } from '@floe/contract/api/models';
import { createPageSchema } from '@floe/contract/api/page';
import type * as z from 'zod';
import { listAliasRoutes } from '../../gateway/list-aliases.ts';
import { toListedModelPrices } from '../../gateway/model-endpoints.ts';
import type { CompiledRoute, OrgCatalog } from '../../gateway/org-catalog.ts';
import type { KeyRecord } from '../../platform/keyring.ts';
import { InternedKeyFields, toKeyRecord } from '../../platform/stored-platform-key.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import type { ListedModel } from '../../providers/model-list.ts';
import { listPlatformKeysOfOrg } from '../../store/platform-keys.ts';
import { paginateListForResponse } from '../list-page.ts';
import type { GetLoadedOrg } from '../loaded-org.ts';
import { defineReadOperation, type Operation } from '../operation.ts';

const MAX_LISTED_KEY_NAMES = 20;

type ModelResource = z.input<typeof modelResource>;

/** The dependencies of the operation that lists models. */
export interface ModelListDependencies {
  readonly getLoadedOrg: GetLoadedOrg;
  /** The models of a provider for lists. */
  readonly listProviderModels: (provider: Provider) => readonly ListedModel[];
}

/**
 * Defines the operation that lists all models that clients can request, with their prices and who
 * may use them.
 */
export function defineListModelsOperation({
  getLoadedOrg,
  listProviderModels,
}: ModelListDependencies): Operation {
  return defineReadOperation({
    name: 'models.list',
    method: 'GET',
    path: '/api/management/models',
    scope: 'management',
    summary:
      'List the models that callers can request, with the current prices, aliases and allowed keys of each',
    query: modelListQuery,
    answer: createPageSchema(modelResource),
    async run({ orgId, reader, clock }, { query }) {
      const now = clock.now();
      const { catalog } = getLoadedOrg(orgId);
      const shared = new InternedKeyFields();
      const keys = (await listPlatformKeysOfOrg(reader, orgId))
        .map((row) => toKeyRecord(row, shared))
        .filter((key) => isActiveGatewayKey(key, now))
        .sort((one, other) => (one.name < other.name ? -1 : 1));
      const asked = query.key === undefined ? undefined : keys.find(({ id }) => id === query.key);
      const all = [
        ...[...catalog.providers.values()].flatMap((provider) =>
          listProviderModels(provider).map((listed) =>
            toModelResource(provider, listed, { catalog, keys, now }),
          ),
        ),
        ...listAliasRoutes(catalog).map((route) => toAliasResource(route, keys)),
      ].filter(
        ({ id, provider }) =>
          (query.provider === undefined || provider === query.provider) &&
          (query.key === undefined || (asked !== undefined && canUseModelId(asked, id))),
      );
      return paginateListForResponse(all, ({ id }) => ({ id }), query);
    },
  });
}

function isActiveGatewayKey({ revokedAt, expiresAt, scopes }: KeyRecord, now: number): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now) && scopes.has('gateway');
}

function canUseModelId({ models }: KeyRecord, id: string): boolean {
  return models === null || models(id);
}

/** The models, keys and prices of an org at one time. */
interface OrgModelContext {
  readonly catalog: OrgCatalog;
  readonly keys: readonly KeyRecord[];
  readonly now: number;
}

function toModelResource(
  provider: Provider,
  listed: ListedModel,
  { catalog, keys, now }: OrgModelContext,
): ModelResource {
  const id = `${provider.id}/${listed.id}`;
  const own = catalog.routes.find((route) => route.matches(id));
  return {
    id,
    kind: 'model',
    provider: provider.id,
    model: listed.id,
    listed_by: provider.models.includes(listed.id) ? 'allowlist' : 'provider',
    targets: [...(own?.targets ?? [])],
    aliases: listAliasRoutes(catalog)
      .filter(({ targets }) => targets.includes(id))
      .map((route) => route.model),
    context_window: listed.contextWindow,
    max_output_tokens: listed.maxOutputTokens,
    prices: toModelPrices(provider, listed.id, now),
    keys: toKeyNameList(keys, id),
  };
}

function toModelPrices(provider: Provider, name: string, now: number): ModelResource['prices'] {
  const prices = toListedModelPrices(provider.priceOf(name), now);
  return prices && { ...prices, tiers: prices.tiers.map((tier) => ({ ...tier })) };
}

function toAliasResource({ model: id, targets }: CompiledRoute, keys: readonly KeyRecord[]): ModelResource {
  return {
    id,
    kind: 'alias',
    provider: null,
    model: null,
    listed_by: 'route',
    targets: [...targets],
    aliases: [],
    context_window: null,
    max_output_tokens: null,
    prices: null,
    keys: toKeyNameList(keys, id),
  };
}

function toKeyNameList(keys: readonly KeyRecord[], id: string): ModelResource['keys'] {
  const able = keys.filter((key) => canUseModelId(key, id));
  return { count: able.length, names: able.slice(0, MAX_LISTED_KEY_NAMES).map(({ name }) => name) };
}
