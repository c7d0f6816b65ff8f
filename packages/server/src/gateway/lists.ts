import { Fault } from '@floe/contract/faults';
import { presentedKey } from '../platform/key-format.ts';
import { type KeyRecord, requireScope } from '../platform/keyring.ts';
import type { Provider } from '../providers/configured.ts';
import type { ListedModel, ModelLists } from '../providers/model-list.ts';
import { type Catalog, EMPTY_CATALOG } from './catalog.ts';
import type { Client } from './client.ts';
import { answerFault } from './exchange.ts';
import type { Gateway } from './gateway.ts';

interface Caller {
  readonly key: KeyRecord;
  readonly catalog: Catalog;
}

/** `GET /gateway/v1/models`, `/gateway/v1/models/{id}` and `/gateway/v1/key`: what this key may use. */
export function createLists(gateway: Gateway, lists: ModelLists) {
  function callerOf(client: Client): Caller {
    const { keyring, catalogs } = gateway.snapshot();
    const key = keyring.authenticate(presentedKey(client.headers), gateway.clock.now());
    requireScope(key, 'gateway');
    return { key, catalog: catalogs.get(key.orgId) ?? EMPTY_CATALOG };
  }

  function modelsOf({ key, catalog }: Caller) {
    return [...catalog.providers.values()]
      .flatMap((provider) => modelsOfProvider(provider, lists))
      .filter((model) => key.models === null || key.models(model.id));
  }

  return {
    models: (client: Client) => respond(client, () => ({ object: 'list', data: modelsOf(callerOf(client)) })),

    model: (client: Client, id: string) =>
      respond(client, () => {
        const found = modelsOf(callerOf(client)).find((model) => model.id === id);
        if (!found)
          throw new Fault('model_not_found', `The model "${id}" is not available to this key.`, {
            param: 'model',
          });
        return found;
      }),

    key: (client: Client) =>
      respond(client, () => {
        const caller = callerOf(client);
        const { key } = caller;
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
          models: modelsOf(caller).map((model) => model.id),
          limits: [],
          budgets: [],
        };
      }),
  };

  function respond(client: Client, make: () => object): void {
    const headers = ['content-type', 'application/json', 'x-request-id', client.id];
    try {
      client.answer(200, headers, JSON.stringify(make()));
    } catch (error) {
      if (!(error instanceof Fault))
        gateway.log.error({ err: error, request_id: client.id }, 'a list failed on a bug');
      const fault =
        error instanceof Fault
          ? error
          : new Fault(
              'internal_error',
              `Something went wrong inside Floe. Quote the request id ${client.id}.`,
            );
      answerFault(client, fault, 'openai', headers);
    }
  }
}

/** Ids from an open allowlist come from the provider's own list, exact ones stand for themselves. */
function modelsOfProvider(provider: Provider, lists: ModelLists) {
  const listed = new Map<string, ListedModel>();
  for (const model of lists.of(provider)) if (provider.allows(model.id)) listed.set(model.id, model);
  for (const id of provider.models)
    if (!id.includes('*') && !listed.has(id))
      listed.set(id, { id, created: 0, ownedBy: '', contextWindow: null });
  return [...listed.values()].map((model) => ({
    id: `${provider.id}/${model.id}`,
    object: 'model',
    created: model.created,
    owned_by: model.ownedBy || provider.sheet.kind,
    context_window: model.contextWindow,
  }));
}
