import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject, parseJsonExactly } from '@floe/contract/json';
import { scanJsonObject } from '@floe/wire/json-edits';
import {
  type BufferedPolicyResponse,
  evaluateResponsePolicies,
} from '../../guardrails/policies/evaluate-bodies.ts';
import { formatDenialMessage } from '../../guardrails/policies/evaluate-policies.ts';
import { tryEvaluateInline } from '../../guardrails/policies/inline-limits.ts';
import type { PolicyRequest } from '../../guardrails/policies/policy-request-view.ts';
import { ECHOED_MEMBERS } from '../../guardrails/policies/request-echo.ts';
import type { AuthenticatedCaller } from '../caller.ts';
import type { ClientCall } from '../client-call.ts';
import { runPolicyEvaluation } from '../policy/run-policy-evaluation.ts';
import { parseRequestControls } from '../request-controls.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import type { StoredTurn } from './turn-store.ts';

const STATED_SETTINGS = [
  ...ECHOED_MEMBERS.filter((name) => name !== 'prompt'),
  'temperature',
  'max_output_tokens',
];

/** The caller who reads a stored response, the caller's connection, and the gateway's dependencies. */
export interface StoredResponseContext {
  readonly gateway: SharedGatewayDependencies;
  readonly caller: AuthenticatedCaller;
  readonly client: ClientCall;
}

/**
 * Applies the response policies to the response of a stored turn, for the caller who reads it. Floe has not
 * evaluated a response that its provider generated in the background, and the policies may have changed.
 * @throws Fault `policy_denied`, `overloaded` or `shutting_down`; `ClientDisconnectedError`
 */
export async function applyPoliciesToStoredResponse(
  reader: StoredResponseContext,
  turn: StoredTurn,
  response: JsonObject,
): Promise<JsonObject> {
  const { gateway, caller, client } = reader;
  const policySet = caller.catalog.policies?.answer ?? null;
  if (policySet === null) return response;
  const given: BufferedPolicyResponse = {
    request: createPolicyRequest(reader, turn),
    dialect: 'responses',
    body: Buffer.from(JSON.stringify(response)),
    usage: null,
    id: client.id,
  };
  const { evaluation, body } =
    tryEvaluateInline((limits) => evaluateResponsePolicies(policySet, given, limits)) ??
    (await runPolicyEvaluation(reader, (context) =>
      gateway.policyThreads.evaluateResponse(policySet, given, context),
    ));
  if (evaluation.deniedBy) throw new Fault('policy_denied', formatDenialMessage(evaluation.deniedBy));
  if (body === given.body) return response;
  const redacted = parseJsonExactly(body.toString('utf8'));
  if (!isJsonObject(redacted)) throw new Error('unreachable: redaction keeps the shape of a response');
  return redacted;
}

/**
 * Applies the response policies to the earlier responses of a conversation when a client lists its items. Evaluates each response
 * together with the request of its turn.
 * @throws Fault `policy_denied`, `overloaded` or `shutting_down`
 */
export async function applyPoliciesToEarlierResponses(
  reader: StoredResponseContext,
  conversation: readonly StoredTurn[],
): Promise<readonly StoredTurn[]> {
  const turns: StoredTurn[] = [];
  for (const turn of conversation.slice(0, -1))
    turns.push({ ...turn, response: await applyPoliciesToStoredResponse(reader, turn, turn.response) });
  return [...turns, ...conversation.slice(-1)];
}

/**
 * Returns the request of a turn as policies read it. Its settings are those that the response states, so the response
 * repeats all of them. `prompt` is not a setting: policies would read it as the input.
 */
function createPolicyRequest(
  { caller: { key }, client }: StoredResponseContext,
  turn: StoredTurn,
): PolicyRequest {
  const { user } = turn.response;
  const settings = STATED_SETTINGS.map((name) => [name, turn.response[name]]);
  const body = Buffer.from(JSON.stringify({ ...Object.fromEntries(settings), input: turn.input }));
  const members = scanJsonObject(body);
  return {
    body,
    members,
    memberCount: members.memberCount,
    model: turn.model,
    stream: false,
    surface: 'responses',
    key: key.name,
    team: key.team,
    owner: key.owner,
    endUser: typeof user === 'string' ? user : null,
    metadata: parseRequestControls(client.headers).metadata,
  };
}
