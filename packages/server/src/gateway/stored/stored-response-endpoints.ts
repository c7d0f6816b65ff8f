import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { toResponsesEventStream } from '@floe/wire/responses/responses-event-stream';
import type { ClientCall } from '../client-call.ts';
import { handleNonExchangeRequest, type NonExchangeOperation } from '../non-exchange-request.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { applyPoliciesToEarlierResponses, type StoredResponseContext } from './evaluate-stored-response.ts';
import { listInputItems } from './input-items.ts';
import {
  evaluateAndStoreResponse,
  fetchCurrentResponse,
  isResponseInProgress,
  refreshResponse,
} from './refresh-response.ts';
import { callResponseProvider } from './response-provider.ts';
import type { StoredTurn } from './turn-store.ts';

/** A stored response and the caller who reads it. */
interface FoundResponse {
  readonly turn: StoredTurn;
  readonly reader: StoredResponseContext;
  readonly owner: { readonly orgId: string; readonly keyId: string | null };
}

/** Handles a request about a stored response. */
export type StoredResponseHandler = (client: ClientCall, id: string, query: URLSearchParams) => void;

/** Creates the operations on stored responses: read, delete, list input items and cancel. */
export function createStoredResponseEndpoints(gateway: SharedGatewayDependencies) {
  const withResponse =
    (
      operation: NonExchangeOperation['operation'],
      act: (found: FoundResponse, query: URLSearchParams) => Promise<JsonObject | string>,
    ): StoredResponseHandler =>
    (client, id, query) =>
      void handleNonExchangeRequest(
        client,
        gateway,
        { operation, routeMode: 'unified', errorFormat: 'openai' },
        async (caller) => act(await requireTurn({ gateway, caller, client }, id), query),
      );
  return {
    get: withResponse('responses.get', async ({ turn, reader }, query) => {
      const response = await refreshResponse(reader, turn);
      if (query.get('stream') !== 'true') return response;
      if (isResponseInProgress(response))
        throw new Fault(
          'unsupported_parameter',
          'This response is still being generated. Until it is finished, retrieve it without "stream".',
          { param: 'stream' },
        );
      return toResponsesEventStream(response, parseStartingAfter(query));
    }),

    remove: withResponse('responses.delete', async ({ turn, reader, owner }) => {
      const kept = await callResponseProvider(gateway, reader.caller.catalog, turn, 'delete');
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

    inputItems: withResponse('responses.list_input_items', async ({ turn, reader }, query) => {
      const conversation = (await gateway.turns.conversation(turn)) ?? [turn];
      return { ...listInputItems(await applyPoliciesToEarlierResponses(reader, conversation), query) };
    }),

    cancel: withResponse('responses.cancel', cancelResponse),
  };
}

/** Cancels a background response at its provider. @throws Fault `invalid_request` or `upstream_error` */
async function cancelResponse({ turn, reader }: FoundResponse): Promise<JsonObject> {
  if (turn.response['background'] !== true)
    throw new Fault(
      'invalid_request',
      'Only responses created with "background": true can be canceled. To stop any other response, close the connection.',
      { param: 'response_id' },
    );
  // Policies must not prevent the cancellation of an unfinished response.
  const current = await fetchCurrentResponse(reader, turn);
  if (!isResponseInProgress(current)) return evaluateAndStoreResponse(reader, turn, current);
  const told = await callResponseProvider(reader.gateway, reader.caller.catalog, turn, 'cancel');
  if (told === null || told.status !== 200 || told.body === null)
    throw new Fault(
      'upstream_error',
      'The provider did not cancel the response, or is no longer configured. Check that the provider is enabled, then retry the request.',
      {
        upstreamStatus: told?.status ?? 0,
      },
    );
  return evaluateAndStoreResponse(reader, turn, told.body);
}

async function requireTurn(reader: StoredResponseContext, id: string): Promise<FoundResponse> {
  const { key, catalog } = reader.caller;
  const owner = { orgId: key.orgId, keyId: catalog.resourceScope === 'org' ? null : key.id };
  const turn = await reader.gateway.turns.find(owner, id);
  if (turn) return { turn, reader, owner };
  throw new Fault(
    'not_found',
    `The stored response "${id.slice(0, 100)}" does not exist, or this key cannot access it. Check the id, or use the key that created the response.`,
    {
      param: 'response_id',
    },
  );
}

function parseStartingAfter(query: URLSearchParams): number {
  const after = Number(query.get('starting_after') ?? -1);
  if (Number.isInteger(after) && after >= -1) return after + 1;
  throw new Fault('invalid_request', 'The parameter "starting_after" must be a non-negative integer.', {
    param: 'starting_after',
  });
}
