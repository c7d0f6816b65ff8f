import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { toResponseStream } from '@floe/wire/responses/response-stream';
import type { Catalog } from '../catalog.ts';
import type { ClientConnection } from '../client.ts';
import type { Gateway } from '../gateway.ts';
import { authenticateRequest } from '../model-endpoints.ts';
import { reportInternalFault, sendFaultAnswer } from '../send-error.ts';
import { listInputItems } from './input-items.ts';
import { isResponseInProgress, refreshResponse, replaceResponse } from './refresh-response.ts';
import { callResponseProvider } from './response-provider.ts';
import type { StoredTurn } from './turn-store.ts';

/** A stored response and the org it is looked at in. */
interface FoundResponse {
  readonly turn: StoredTurn;
  readonly catalog: Catalog;
  readonly owner: { readonly orgId: string; readonly keyId: string | null };
}

export type StoredResponseHandler = (client: ClientConnection, id: string, query: URLSearchParams) => void;

/** What can be asked of a stored response: `GET`, `DELETE`, its input items, and to stop it. */
export function createStoredResponseEndpoints(gateway: Gateway) {
  const verb =
    (
      act: (found: FoundResponse, query: URLSearchParams) => Promise<JsonObject | string>,
    ): StoredResponseHandler =>
    (client, id, query) =>
      void sendResult(client, gateway, async () => act(await requireTurn(client, gateway, id), query));
  return {
    get: verb(async ({ turn, catalog }, query) => {
      const response = await refreshResponse(gateway, catalog, turn);
      if (query.get('stream') !== 'true') return response;
      if (isResponseInProgress(response))
        throw new Fault(
          'unsupported_parameter',
          'This response is still being generated. Retrieve it without "stream" until its status is completed.',
          { param: 'stream' },
        );
      return toResponseStream(response, parseStartingAfter(query));
    }),

    remove: verb(async ({ turn, catalog, owner }) => {
      const kept = await callResponseProvider(gateway, catalog, turn, 'delete');
      if (kept && kept.status !== 404 && kept.status >= 300)
        throw new Fault(
          'upstream_error',
          'The provider did not delete its copy of the response. Retry the request.',
          {
            upstreamStatus: kept.status,
          },
        );
      const id = String(turn.response['id']);
      await gateway.turns.remove(owner, id);
      return { id, object: 'response', deleted: true };
    }),

    inputItems: verb(async ({ turn }, query) => {
      const conversation = (await gateway.turns.conversation(turn)) ?? [turn];
      return { ...listInputItems(conversation, query) };
    }),

    cancel: verb(async ({ turn, catalog }) => {
      if (turn.response['background'] !== true)
        throw new Fault(
          'invalid_request',
          'Only responses created with "background": true can be canceled. To stop any other response, close the connection.',
          { param: 'response_id' },
        );
      const response = await refreshResponse(gateway, catalog, turn);
      if (!isResponseInProgress(response)) return response;
      const told = await callResponseProvider(gateway, catalog, turn, 'cancel');
      if (told === null || told.status !== 200 || told.body === null)
        throw new Fault('upstream_error', 'The provider did not cancel the response.', {
          upstreamStatus: told?.status ?? 0,
        });
      await replaceResponse(gateway, turn, told.body);
      return told.body;
    }),
  };
}

async function requireTurn(client: ClientConnection, gateway: Gateway, id: string): Promise<FoundResponse> {
  const { key, catalog } = authenticateRequest(client, gateway);
  const owner = { orgId: key.orgId, keyId: catalog.resourceScope === 'org' ? null : key.id };
  const turn = await gateway.turns.find(owner, id);
  if (turn) return { turn, catalog, owner };
  throw new Fault('not_found', `There is no stored response "${id.slice(0, 100)}" for this key.`, {
    param: 'response_id',
  });
}

function parseStartingAfter(query: URLSearchParams): number {
  const after = Number(query.get('starting_after') ?? -1);
  if (Number.isInteger(after) && after >= -1) return after + 1;
  throw new Fault('invalid_request', 'The parameter "starting_after" must be a non-negative integer.', {
    param: 'starting_after',
  });
}

/** An object leaves as JSON, text as an event stream. */
async function sendResult(
  client: ClientConnection,
  gateway: Gateway,
  make: () => Promise<JsonObject | string>,
): Promise<void> {
  const headers = (type: string) => ['content-type', type, 'x-request-id', client.id];
  try {
    const made = await make();
    if (typeof made === 'string') client.sendAnswer(200, headers('text/event-stream; charset=utf-8'), made);
    else client.sendAnswer(200, headers('application/json'), JSON.stringify(made));
  } catch (error) {
    const fault = error instanceof Fault ? error : reportInternalFault(gateway.log, client.id, error);
    sendFaultAnswer(client, fault, 'openai', headers('application/json'));
  }
}
