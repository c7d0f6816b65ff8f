import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { toResponsesEventStream } from '@floe/wire/responses/responses-event-stream';
import type { AuthenticatedCaller } from '../caller.ts';
import type { ClientConnection } from '../client-connection.ts';
import { handleNonExchangeRequest, type NonExchangeRequest } from '../non-exchange-request.ts';
import type { OrgCatalog } from '../org-catalog.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { listInputItems } from './input-items.ts';
import { isResponseInProgress, refreshResponse, storeUpdatedResponse } from './refresh-response.ts';
import { callResponseProvider } from './response-provider.ts';
import type { StoredTurn } from './turn-store.ts';

/** A stored response and its organization. */
interface FoundResponse {
  readonly turn: StoredTurn;
  readonly catalog: OrgCatalog;
  readonly owner: { readonly orgId: string; readonly keyId: string | null };
}

/** Handles a request about a stored response. */
export type StoredResponseHandler = (client: ClientConnection, id: string, query: URLSearchParams) => void;

/** Creates the operations on stored responses: read, delete, list input items and cancel. */
export function createStoredResponseEndpoints(gateway: SharedGatewayDependencies) {
  const withResponse =
    (
      operation: NonExchangeRequest['operation'],
      act: (found: FoundResponse, query: URLSearchParams) => Promise<JsonObject | string>,
    ): StoredResponseHandler =>
    (client, id, query) =>
      void handleNonExchangeRequest(
        client,
        gateway,
        { operation, routeMode: 'unified', errorFormat: 'openai' },
        async (caller) => act(await requireTurn(caller, gateway, id), query),
      );
  return {
    get: withResponse('responses.get', async ({ turn, catalog }, query) => {
      const response = await refreshResponse(gateway, catalog, turn);
      if (query.get('stream') !== 'true') return response;
      if (isResponseInProgress(response))
        throw new Fault(
          'unsupported_parameter',
          'This response is still being generated. Retrieve it without "stream" until its status is completed.',
          { param: 'stream' },
        );
      return toResponsesEventStream(response, parseStartingAfter(query));
    }),

    remove: withResponse('responses.delete', async ({ turn, catalog, owner }) => {
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

    inputItems: withResponse('responses.list_input_items', async ({ turn }, query) => {
      const conversation = (await gateway.turns.conversation(turn)) ?? [turn];
      return { ...listInputItems(conversation, query) };
    }),

    cancel: withResponse('responses.cancel', (found) => cancelResponse(gateway, found)),
  };
}

/** Cancels a background response at its provider. @throws Fault `invalid_request` or `upstream_error` */
async function cancelResponse(
  gateway: SharedGatewayDependencies,
  { turn, catalog }: FoundResponse,
): Promise<JsonObject> {
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
    throw new Fault('upstream_error', 'The provider did not cancel the response. Retry the request.', {
      upstreamStatus: told?.status ?? 0,
    });
  await storeUpdatedResponse(gateway, turn, told.body);
  return told.body;
}

async function requireTurn(
  { key, catalog }: AuthenticatedCaller,
  gateway: SharedGatewayDependencies,
  id: string,
): Promise<FoundResponse> {
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
