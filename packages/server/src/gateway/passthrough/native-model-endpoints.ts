import { Fault } from '@floe/contract/faults';
import type { ListedModel, ModelListCache } from '../../providers/model-list.ts';
import { toAnthropicModel, toAnthropicModelList } from '../anthropic-models.ts';
import type { AuthenticatedCaller } from '../caller.ts';
import type { ClientCall } from '../client-call.ts';
import { listProviderModels } from '../model-endpoints.ts';
import { handleNonExchangeRequest, type NonExchangeOperation } from '../non-exchange-request.ts';
import type { ApiStyle } from '../opaque/resource-reference.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { canUseModel } from './passthrough-apis.ts';

/**
 * Creates the passthrough operations `models` and `models/{id}`, which return the models that the key may
 * use. Responses contain the provider's model ids and have the format of the native API: OpenAI (`a`) or
 * Anthropic (`b`).
 */
export function createNativeModelEndpoints(gateway: SharedGatewayDependencies, lists: ModelListCache) {
  const call = (operation: NonExchangeOperation['operation'], style: ApiStyle): NonExchangeOperation => ({
    operation,
    routeMode: `passthrough-${style}`,
    errorFormat: style === 'a' ? 'openai' : 'anthropic',
  });
  return {
    models: (client: ClientCall, style: ApiStyle) =>
      handleNonExchangeRequest(client, gateway, call('models.list', style), (caller) => {
        const models = listNativeModels(caller, lists, style);
        return style === 'a' ? openaiList(models) : toAnthropicModelList(models);
      }),

    model: (client: ClientCall, style: ApiStyle, id: string) =>
      handleNonExchangeRequest(client, gateway, call('models.get', style), (caller) => {
        const found = listNativeModels(caller, lists, style).find((model) => model.id === id);
        if (found) return style === 'a' ? openaiModel(found) : toAnthropicModel(found);
        throw new Fault(
          'model_not_found',
          `The model "${id}" is not available to this key. Use a model from the model list.`,
          {
            param: 'model',
          },
        );
      }),
  };
}

/**
 * Returns the models that the key may use. If several providers have the same model, the first one is listed.
 */
function listNativeModels(
  { key, catalog }: AuthenticatedCaller,
  lists: ModelListCache,
  style: ApiStyle,
): ListedModel[] {
  const found = new Map<string, ListedModel>();
  for (const { provider, modelMap } of catalog.passthrough[style]) {
    const listed = new Map(listProviderModels(provider, lists).map((model) => [model.id, model]));
    const names = new Set([...modelMap.keys(), ...listed.keys()]);
    for (const name of names) {
      const id = modelMap.get(name) ?? name;
      if (found.has(name) || !canUseModel(provider, key, id)) continue;
      const known = listed.get(id) ?? { created: 0, ownedBy: '', contextWindow: null, maxOutputTokens: null };
      found.set(name, { ...known, id: name, ownedBy: known.ownedBy || provider.definition.kind });
    }
  }
  return [...found.values()];
}

function openaiModel({ id, created, ownedBy }: ListedModel) {
  return { id, object: 'model', created, owned_by: ownedBy };
}

function openaiList(models: readonly ListedModel[]) {
  return { object: 'list', data: models.map(openaiModel) };
}
