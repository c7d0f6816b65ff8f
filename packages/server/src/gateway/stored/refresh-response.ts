import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { Catalog } from '../catalog.ts';
import type { Gateway } from '../gateway.ts';
import { callResponseProvider } from './response-provider.ts';
import type { StoredTurn } from './turn-store.ts';

export function isResponseInProgress(response: JsonObject): boolean {
  return response['status'] === 'queued' || response['status'] === 'in_progress';
}

/** A background response is asked after at its provider until it has ended. */
export async function refreshResponse(
  gateway: Gateway,
  catalog: Catalog,
  turn: StoredTurn,
): Promise<JsonObject> {
  if (!isResponseInProgress(turn.response)) return turn.response;
  const told = await callResponseProvider(gateway, catalog, turn, 'show');
  if (told?.status !== 200 || told.body === null) return turn.response;
  if (!isResponseInProgress(told.body)) await replaceResponse(gateway, turn, told.body);
  return told.body;
}

/** The final answer takes its place, and what it cost is settled. */
export async function replaceResponse(
  gateway: Gateway,
  turn: StoredTurn,
  response: JsonObject,
): Promise<void> {
  await gateway.turns.replace(turn, response);
  if (!isResponseInProgress(response))
    await gateway.background.recordEnd(turn.orgId, String(turn.response['id']), response);
}

/**
 * The turns with their answers as they are now.
 *
 * @throws Fault `invalid_request` while one of them is still being made: what would be sent lacked its answer.
 */
export async function requireFinishedTurns(
  gateway: Gateway,
  catalog: Catalog,
  turns: readonly StoredTurn[],
): Promise<readonly StoredTurn[]> {
  if (!turns.some((turn) => isResponseInProgress(turn.response))) return turns;
  return Promise.all(
    turns.map(async (turn) => {
      const response = await refreshResponse(gateway, catalog, turn);
      if (!isResponseInProgress(response)) return { ...turn, response };
      const { id, status } = response;
      throw new Fault(
        'invalid_request',
        `The response "${String(id)}" has the status ${String(status)}. Continue from it when its status is completed.`,
        { param: 'previous_response_id' },
      );
    }),
  );
}
