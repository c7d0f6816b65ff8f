import { Fault } from '@floe/contract/faults';
import { scanJsonObject } from '@floe/wire/json-edits';
import type { CompiledPolicies, PolicySet } from '../../guardrails/policies/policies.ts';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Exchange } from '../exchange-record.ts';
import { applyRequestPolicies } from '../policy/apply-request-policies.ts';
import type { BufferedJsonBody, OpaqueRequest } from './opaque-request.ts';

/**
 * Applies policies to a JSON body. Forms, files and responses are forwarded without evaluation.
 * @throws Fault `policy_denied`, `overloaded` or `shutting_down`; `ClientDisconnectedError`
 */
export async function applyOpaquePolicies(
  x: Exchange,
  key: KeyRecord,
  opaqueRequest: OpaqueRequest,
  policies: CompiledPolicies,
): Promise<OpaqueRequest> {
  const { body } = opaqueRequest;
  if (policies.answer) recordOrRejectUnevaluatedResponse(x, policies.answer);
  if (policies.request && (body.kind === 'upload' || body.kind === 'spool'))
    recordNotEvaluated(x, 'forms and files');
  if (body.kind !== 'json') return opaqueRequest;
  const { bytes, members } = body;
  const { stream, user, model } = opaqueRequest;
  const asked = { body: bytes, members, model: model ?? '', stream, choices: 1, user };
  const evaluated = applyRequestPolicies(x, key, asked, { request: policies.request, answer: null });
  const changed = evaluated instanceof Promise ? await evaluated : evaluated;
  if (changed === bytes) return opaqueRequest;
  const kept: BufferedJsonBody = { kind: 'json', bytes: changed, members: scanJsonObject(changed) };
  const { prompt } = x.request;
  const opaque = { ...opaqueRequest, body: kept, bytes: changed.length };
  x.request = { ...x.request, prompt: prompt && { ...prompt, body: changed, members: kept.members }, opaque };
  return opaque;
}

/**
 * Records that no policy evaluates the response. If an enforced policy denies or redacts responses, rejects text
 * completions of the unified API, because a caller could choose them to receive text that the policies of the other text
 * APIs deny or redact.
 * @throws Fault `policy_denied`
 */
function recordOrRejectUnevaluatedResponse(x: Exchange, { policies }: PolicySet): void {
  const { name, routeMode } = x.surface;
  const policy = policies.find(
    ({ enforced, action }) => enforced && (action === 'deny' || action === 'redact'),
  );
  if (policy && name === 'completions' && routeMode === 'unified')
    throw new Fault(
      'policy_denied',
      `Floe cannot apply the policy "${policy.name}" to the responses of this endpoint. Use /gateway/v1/chat/completions.`,
    );
  recordNotEvaluated(x, 'responses on this path');
}

function recordNotEvaluated(x: Exchange, content: string): void {
  const reason = `Floe does not apply policies to ${content}`;
  x.decisions.push({ step: 'policy', outcome: 'not_evaluated', reason });
}
