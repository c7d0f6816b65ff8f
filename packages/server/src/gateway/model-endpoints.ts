import type { ErrorBodyFormat } from '@floe/contract/fault-response';
import { Fault } from '@floe/contract/faults';
import { readLimitAndBudgetStatus } from '../guardrails/limit-and-budget-status.ts';
import type { KeyRecord } from '../platform/keyring.ts';
import type { Provider } from '../providers/configured-provider.ts';
import type { ListedModel, ModelListCache } from '../providers/model-list.ts';
import { getUsdPerMillionTokens, type Price, type TieredRate } from '../providers/prices.ts';
import { toAnthropicModel, toAnthropicModelList } from './anthropic-models.ts';
import type { AuthenticatedCaller } from './caller.ts';
import type { ClientCall } from './client-call.ts';
import { listAliases } from './list-aliases.ts';
import { handleNonExchangeRequest, type NonExchangeOperation } from './non-exchange-request.ts';
import type { OrgCatalog } from './org-catalog.ts';
import type { SharedGatewayDependencies } from './shared-gateway-dependencies.ts';
import type { GatewaySurface } from './surface.ts';

/**
 * Creates the operations `GET /gateway/v1/models`, `/gateway/v1/models/{id}` and `/gateway/v1/key`,
 * which describe what a key may use. A client that sends `anthropic-version` receives models and
 * errors in Anthropic's format.
 */
export function createModelEndpoints(gateway: SharedGatewayDependencies, lists: ModelListCache) {
  const answer = (
    client: ClientCall,
    call: NonExchangeOperation,
    make: (caller: AuthenticatedCaller, models: ModelView[]) => object | Promise<object>,
  ) =>
    void handleNonExchangeRequest(client, gateway, call, (caller) => {
      const models = listCallerModels(caller, lists, gateway.clock.now());
      // The other endpoints accept only model ids.
      return make(caller, call.routeMode === 'unified' ? [...models, ...listCallerAliases(caller)] : models);
    });
  return {
    models: (client: ClientCall, routeMode: RouteMode = 'unified') => {
      const errorFormat = modelShapeFor(client);
      answer(client, { operation: 'models.list', routeMode, errorFormat }, (_, models) =>
        errorFormat === 'anthropic' ? toAnthropicModelList(models) : { object: 'list', data: models },
      );
    },

    model: (client: ClientCall, id: string, routeMode: RouteMode = 'unified') => {
      const errorFormat = modelShapeFor(client);
      answer(client, { operation: 'models.get', routeMode, errorFormat }, (_, models) => {
        const found = models.find((model) => model.id === id);
        if (found) return errorFormat === 'anthropic' ? toAnthropicModel(found) : found;
        throw new Fault(
          'model_not_found',
          `The model "${id}" is not available to this key. Use a model from the model list.`,
          {
            param: 'model',
          },
        );
      });
    },

    key: (client: ClientCall) =>
      answer(client, GET_KEY, ({ key, catalog }, models) => buildKeyView(key, models, catalog, gateway)),
  };
}

type RouteMode = GatewaySurface['routeMode'];

const GET_KEY: NonExchangeOperation = { operation: 'key.get', routeMode: 'unified', errorFormat: 'openai' };

/** Clients of the Messages API send this header with every request. */
function modelShapeFor({ headers }: ClientCall): ErrorBodyFormat {
  return headers['anthropic-version'] === undefined ? 'openai' : 'anthropic';
}

async function buildKeyView(
  key: KeyRecord,
  models: readonly ModelView[],
  { rules }: OrgCatalog,
  { guard }: SharedGatewayDependencies,
): Promise<object> {
  const standing = await readLimitAndBudgetStatus(guard, rules, {
    key,
    endUser: null,
    models: null,
    metadata: null,
  });
  return {
    object: 'platform_key',
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    org: key.orgId,
    team: key.team,
    owner: key.owner,
    scopes: [...key.scopes],
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    models: models.map((model) => model.id),
    limits: standing.limits,
    budgets: standing.budgets,
  };
}

interface ModelView {
  readonly id: string;
  readonly object: 'model';
  /** Seconds since the epoch. */
  readonly created: number;
  readonly owned_by: string;
  readonly context_window: number | null;
  /** USD per million tokens; null if unknown. */
  readonly prices: ListedModelPrices | null;
}

/** A model's prices, as model lists show them. */
export interface ListedModelPrices {
  readonly input_usd: number;
  readonly output_usd: number;
  readonly cache_read_usd: number | null;
  readonly cache_write_usd: number | null;
  /** Prices for requests with more input tokens than `above_input_tokens`. */
  readonly tiers: readonly {
    readonly above_input_tokens: number;
    readonly input_usd: number;
    readonly output_usd: number;
  }[];
  readonly source: Price['source'];
  /** The date of the price catalog; null if the price does not come from the catalog. */
  readonly date: string | null;
}

/**
 * Converts a price to the form that model lists show. `atMs` is needed because some prices depend
 * on the time of day. Returns null if the model has no price.
 */
export function toListedModelPrices(price: Price | null, atMs: number): ListedModelPrices | null {
  if (price === null) return null;
  const { input, output, cached, cache_write } = price.ratesAt(atMs).units;
  const usd = (rate: TieredRate, tokens = 0) =>
    Number((getUsdPerMillionTokens(rate, tokens) * price.multiplier).toFixed(9));
  const steps = new Set([...input.tiers, ...output.tiers].map(({ above }) => above));
  return {
    input_usd: usd(input),
    output_usd: usd(output),
    cache_read_usd: cached ? usd(cached) : null,
    cache_write_usd: cache_write ? usd(cache_write) : null,
    tiers: [...steps]
      .sort((one, other) => one - other)
      .map((above) => ({
        above_input_tokens: above,
        input_usd: usd(input, above + 1),
        output_usd: usd(output, above + 1),
      })),
    source: price.source,
    date: price.date,
  };
}

function listCallerModels(
  { key, catalog }: AuthenticatedCaller,
  lists: ModelListCache,
  nowMs: number,
): ModelView[] {
  return [...catalog.providers.values()]
    .flatMap((provider) => modelViewsOf(provider, lists, nowMs))
    .filter((model) => key.models === null || key.models(model.id));
}

/** An alias has no price of its own, because its targets can have different prices. */
function listCallerAliases({ key, catalog }: AuthenticatedCaller): ModelView[] {
  return listAliases(catalog, key.models ?? (() => true)).map((id) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'floe',
    context_window: null,
    prices: null,
  }));
}

function modelViewsOf(provider: Provider, lists: ModelListCache, nowMs: number): ModelView[] {
  return listProviderModels(provider, lists).map((model) => ({
    id: `${provider.id}/${model.id}`,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy || provider.definition.kind,
    context_window: model.contextWindow,
    prices: toListedModelPrices(provider.priceOf(model.id), nowMs),
  }));
}

/**
 * Lists a provider's models. If the allowlist has patterns, the models come from the provider's
 * model list. Exact ids are listed as configured.
 */
export function listProviderModels(
  provider: Provider,
  lists: Pick<ModelListCache, 'modelsOf'>,
): ListedModel[] {
  const listed = new Map<string, ListedModel>();
  for (const model of lists.modelsOf(provider)) if (provider.allows(model.id)) listed.set(model.id, model);
  for (const id of provider.models)
    if (!id.includes('*') && !listed.has(id))
      listed.set(id, { id, created: 0, ownedBy: '', contextWindow: null, maxOutputTokens: null });
  return [...listed.values()];
}
