import { Fault } from '@floe/contract/faults';
import { presentedKey } from '../platform/key-format.ts';
import { type KeyRecord, requireScope } from '../platform/keyring.ts';
import type { Provider } from '../providers/configured.ts';
import type { ListedModel, ModelLists } from '../providers/model-list.ts';
import { type Catalog, EMPTY_CATALOG } from './catalog.ts';
import type { Client } from './client.ts';
import { answerFault, internalFault } from './exchange.ts';
import type { Gateway } from './gateway.ts';

interface Caller {
  readonly key: KeyRecord;
  readonly catalog: Catalog;
}

/** `GET /gateway/v1/models`, `/gateway/v1/models/{id}` and `/gateway/v1/key`: what this key may use. */
export function createLists(gateway: Gateway, lists: ModelLists) {
  const answer = (client: Client, make: (caller: Caller, models: ModelView[]) => object) =>
    respond(client, gateway, () => {
      const caller = callerOf(client, gateway);
      return make(caller, modelsOf(caller, lists));
    });
  return {
    models: (client: Client) => answer(client, (_, models) => ({ object: 'list', data: models })),

    model: (client: Client, id: string) =>
      answer(client, (_, models) => {
        const found = models.find((model) => model.id === id);
        if (found) return found;
        throw new Fault('model_not_found', `The model "${id}" is not available to this key.`, {
          param: 'model',
        });
      }),

    key: (client: Client) => answer(client, ({ key }, models) => keyView(key, models)),
  };
}

/** Who asks for something else than an exchange, and what their org offers. Throws as `authenticate` does. */
export function callerOf(client: Client, gateway: Gateway): Caller {
  const { keyring, catalogs } = gateway.snapshot();
  const key = keyring.authenticate(presentedKey(client.headers), gateway.clock.now());
  requireScope(key, 'gateway');
  return { key, catalog: catalogs.get(key.orgId) ?? EMPTY_CATALOG };
}

function respond(client: Client, gateway: Gateway, make: () => object): void {
  const headers = ['content-type', 'application/json', 'x-request-id', client.id];
  try {
    client.answer(200, headers, JSON.stringify(make()));
  } catch (error) {
    const fault = error instanceof Fault ? error : internalFault(gateway.log, client.id, error);
    answerFault(client, fault, 'openai', headers);
  }
}

function keyView(key: KeyRecord, models: readonly ModelView[]): object {
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
    limits: [],
    budgets: [],
  };
}

interface ModelView {
  readonly id: string;
  readonly object: 'model';
  /** Seconds since the epoch. */
  readonly created: number;
  readonly owned_by: string;
  readonly context_window: number | null;
}

function modelsOf({ key, catalog }: Caller, lists: ModelLists): ModelView[] {
  return [...catalog.providers.values()]
    .flatMap((provider) => modelsOfProvider(provider, lists))
    .filter((model) => key.models === null || key.models(model.id));
}

/** Ids from an open allowlist come from the provider's own list, exact ones stand for themselves. */
function modelsOfProvider(provider: Provider, lists: ModelLists): ModelView[] {
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
