import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { OrgCatalog } from '../org-catalog.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { callResponseProvider } from './response-provider.ts';
import type { StoredTurn } from './turn-store.ts';

/** Returns whether the provider is still generating a response. */
export function isResponseInProgress(response: JsonObject): boolean {
  return response['status'] === 'queued' || response['status'] === 'in_progress';
}

/**
 * Returns the response of a turn. If a background response was in progress, requests its current
 * state from the provider.
 */
export async function refreshResponse(
  gateway: SharedGatewayDependencies,
  catalog: OrgCatalog,
  turn: StoredTurn,
): Promise<JsonObject> {
  if (!isResponseInProgress(turn.response)) return turn.response;
  const told = await callResponseProvider(gateway, catalog, turn, 'show');
  if (told?.status !== 200 || told.body === null) return turn.response;
  if (!isResponseInProgress(told.body)) await storeUpdatedResponse(gateway, turn, told.body);
  return told.body;
}

/** Stores the final response and finalizes its exchange. */
export async function storeUpdatedResponse(
  gateway: SharedGatewayDependencies,
  turn: StoredTurn,
  response: JsonObject,
): Promise<void> {
  await gateway.turns.replace(turn, response);
  if (!isResponseInProgress(response))
    await gateway.background.recordEnd(turn.orgId, String(turn.response['id']), response);
}

/**
 * Returns the turns. For each response that was in progress, requests the current state from its
 * provider.
 * @throws Fault `invalid_request` if a response is still in progress, because it would be missing
 * from the conversation
 */
export async function requireFinishedTurns(
  gateway: SharedGatewayDependencies,
  catalog: OrgCatalog,
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
        `The response "${String(id)}" is still in progress (status "${String(status)}"). Retry the request after the response has finished.`,
        { param: 'previous_response_id' },
      );
    }),
  );
}
