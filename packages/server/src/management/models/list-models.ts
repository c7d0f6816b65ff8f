import { modelListQuery, modelResource } from '@floe/contract/api/models';
import { createPageSchema } from '@floe/contract/api/page';
import type * as z from 'zod';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { listAliasRoutes } from '../../gateway/list-aliases.ts';
import { toListedModelPrices } from '../../gateway/model-endpoints.ts';
import type { CompiledRoute, OrgCatalog } from '../../gateway/org-catalog.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import type { ListedModel } from '../../providers/model-list.ts';
import { paginateListForResponse } from '../list-page.ts';
import type { GetLoadedOrg } from '../loaded-org.ts';
import { defineReadOperation, type Operation } from '../operation.ts';
import { GatewayKeys } from './gateway-keys.ts';

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
      const turns = new EventLoopYielder();
      const keys = await GatewayKeys.load(reader, { orgId, nowMs: now }, turns);
      const mayUse = query.key === undefined ? () => true : keys.createFilter(query.key);
      const found: ListedEntry[] = [];
      for (const provider of catalog.providers.values()) {
        if (query.provider !== undefined && provider.id !== query.provider) continue;
        for (const listed of listProviderModels(provider)) {
          const id = `${provider.id}/${listed.id}`;
          if (mayUse(id)) found.push({ id, provider, listed });
        }
        await turns.endStep();
      }
      if (query.provider === undefined)
        for (const route of listAliasRoutes(catalog))
          if (mayUse(route.model)) found.push({ id: route.model, route });
      const { data: page, next_cursor } = paginateListForResponse(found, ({ id }) => ({ id }), query);
      const data: ModelResource[] = [];
      for (const entry of page) {
        const key = keys.summarize(entry.id);
        data.push(
          'route' in entry
            ? toAliasResource(entry.route, key)
            : toModelResource(entry, { catalog, keys: key, now }),
        );
        await turns.endStep();
      }
      return { data, next_cursor };
    },
  });
}

/** A model of a provider. */
interface ListedProviderModel {
  readonly id: string;
  readonly provider: Provider;
  readonly listed: ListedModel;
}

type ListedEntry = ListedProviderModel | { readonly id: string; readonly route: CompiledRoute };

/** The catalog of a model, the keys that may use it, and the time of its prices. */
interface ModelContext {
  readonly catalog: OrgCatalog;
  readonly keys: ModelResource['keys'];
  readonly now: number;
}

function toModelResource(
  { id, provider, listed }: ListedProviderModel,
  { catalog, keys, now }: ModelContext,
): ModelResource {
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
    keys,
  };
}

function toModelPrices(provider: Provider, name: string, now: number): ModelResource['prices'] {
  const prices = toListedModelPrices(provider.priceOf(name), now);
  return prices && { ...prices, tiers: prices.tiers.map((tier) => ({ ...tier })) };
}

function toAliasResource({ model: id, targets }: CompiledRoute, keys: ModelResource['keys']): ModelResource {
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
    keys,
  };
}
