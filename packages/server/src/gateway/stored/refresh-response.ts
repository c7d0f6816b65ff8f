import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { applyPoliciesToStoredResponse, type StoredResponseContext } from './evaluate-stored-response.ts';
import { callResponseProvider } from './response-provider.ts';
import type { StoredTurn } from './turn-store.ts';

/** Returns whether the provider is still generating a response. */
export function isResponseInProgress(response: JsonObject): boolean {
  return response['status'] === 'queued' || response['status'] === 'in_progress';
}

/**
 * Returns the response of a turn, after the response policies. If a background response was in progress,
 * requests its current state from the provider.
 * @throws Fault `policy_denied`, and the faults of `callResponseProvider`
 */
export async function refreshResponse(reader: StoredResponseContext, turn: StoredTurn): Promise<JsonObject> {
  return evaluateAndStoreResponse(reader, turn, await fetchCurrentResponse(reader, turn));
}

/** Returns the current response of a turn, before the response policies. */
export async function fetchCurrentResponse(
  { gateway, caller }: StoredResponseContext,
  turn: StoredTurn,
): Promise<JsonObject> {
  if (!isResponseInProgress(turn.response)) return turn.response;
  const told = await callResponseProvider(gateway, caller.catalog, turn, 'show');
  return told?.status === 200 && told.body !== null ? told.body : turn.response;
}

/**
 * Applies the response policies to the current response of a turn, and returns the result. If the provider has
 * finished the response since the turn was stored, also finalizes the exchange of the response and stores the
 * result.
 * @throws Fault `policy_denied`; the response is then not stored
 */
export async function evaluateAndStoreResponse(
  reader: StoredResponseContext,
  turn: StoredTurn,
  response: JsonObject,
): Promise<JsonObject> {
  const { gateway } = reader;
  const isNew = response !== turn.response && !isResponseInProgress(response);
  if (isNew) await gateway.background.recordEnd(turn.orgId, String(turn.response['id']), response);
  const evaluated = await applyPoliciesToStoredResponse(reader, turn, response);
  if (isNew) await gateway.turns.replace(turn, evaluated);
  return evaluated;
}

/**
 * Returns the turns. Refreshes each response that was in progress (`refreshResponse`) with its current state from its
 * provider.
 * @throws Fault `invalid_request` if a response is still in progress, because it would be missing
 * from the conversation; `policy_denied`
 */
export async function refreshTurns(
  reader: StoredResponseContext,
  turns: readonly StoredTurn[],
): Promise<readonly StoredTurn[]> {
  return Promise.all(
    turns.map(async (turn) => {
      if (!isResponseInProgress(turn.response)) return turn;
      const response = await refreshResponse(reader, turn);
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
