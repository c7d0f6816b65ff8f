import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { replayResponse } from '@floe/wire/responses/replay';
import type { Catalog } from '../catalog.ts';
import type { Client } from '../client.ts';
import type { Gateway } from '../gateway.ts';
import { callerOf } from '../lists.ts';
import { answerFault, internalFault } from '../send-error.ts';
import { currentResponse, isUnderWay, replaceResponse } from './current-response.ts';
import { listInputItems } from './input-items.ts';
import { askKeeper } from './keeper.ts';
import type { Turn } from './turn-store.ts';

/** A stored response and the org it is looked at in. */
interface Found {
  readonly turn: Turn;
  readonly catalog: Catalog;
  readonly owner: { readonly orgId: string; readonly keyId: string | null };
}

export type ResponseVerb = (client: Client, id: string, query: URLSearchParams) => void;

/** What can be asked of a stored response: `GET`, `DELETE`, its input items, and to stop it. */
export function createStoredResponses(gateway: Gateway) {
  const verb =
    (act: (found: Found, query: URLSearchParams) => Promise<JsonObject | string>): ResponseVerb =>
    (client, id, query) =>
      void respond(client, gateway, async () => act(await findTurn(client, gateway, id), query));
  return {
    get: verb(async ({ turn, catalog }, query) => {
      const response = await currentResponse(gateway, catalog, turn);
      if (query.get('stream') !== 'true') return response;
      if (isUnderWay(response))
        throw new Fault(
          'unsupported_parameter',
          'This response is still being made. Ask again without "stream" until its status is completed.',
          { param: 'stream' },
        );
      return replayResponse(response, startOf(query));
    }),

    remove: verb(async ({ turn, catalog, owner }) => {
      const kept = await askKeeper(gateway, catalog, turn, 'delete');
      if (kept && kept.status !== 404 && kept.status >= 300)
        throw new Fault('upstream_error', 'The provider did not delete its copy; try again.', {
          upstreamStatus: kept.status,
        });
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
          'Only a response made with "background": true can be cancelled. End others by closing the connection.',
          { param: 'response_id' },
        );
      const response = await currentResponse(gateway, catalog, turn);
      if (!isUnderWay(response)) return response;
      const told = await askKeeper(gateway, catalog, turn, 'cancel');
      if (told === null || told.status !== 200 || told.body === null)
        throw new Fault('upstream_error', 'The provider did not cancel the response.', {
          upstreamStatus: told?.status ?? 0,
        });
      await replaceResponse(gateway, turn, told.body);
      return told.body;
    }),
  };
}

async function findTurn(client: Client, gateway: Gateway, id: string): Promise<Found> {
  const { key, catalog } = callerOf(client, gateway);
  const owner = { orgId: key.orgId, keyId: catalog.resourceScope === 'org' ? null : key.id };
  const turn = await gateway.turns.find(owner, id);
  if (turn) return { turn, catalog, owner };
  throw new Fault('not_found', `There is no stored response "${id.slice(0, 100)}" for this key.`, {
    param: 'response_id',
  });
}

function startOf(query: URLSearchParams): number {
  const after = Number(query.get('starting_after') ?? -1);
  if (Number.isInteger(after) && after >= -1) return after + 1;
  throw new Fault('invalid_request', 'The parameter "starting_after" must be a whole number.', {
    param: 'starting_after',
  });
}

/** An object leaves as JSON, text as an event stream. */
async function respond(
  client: Client,
  gateway: Gateway,
  make: () => Promise<JsonObject | string>,
): Promise<void> {
  const headers = (type: string) => ['content-type', type, 'x-request-id', client.id];
  try {
    const made = await make();
    if (typeof made === 'string') client.answer(200, headers('text/event-stream; charset=utf-8'), made);
    else client.answer(200, headers('application/json'), JSON.stringify(made));
  } catch (error) {
    const fault = error instanceof Fault ? error : internalFault(gateway.log, client.id, error);
    answerFault(client, fault, 'openai', headers('application/json'));
  }
}
