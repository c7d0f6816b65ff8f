import { Fault } from '@floe/contract/faults';
import { type EvaluatedBody, evaluateRequestPolicies } from '../../guardrails/policies/evaluate-bodies.ts';
import { formatDenialMessage, type PolicyEvaluation } from '../../guardrails/policies/evaluate-policies.ts';
import { tryEvaluateInline } from '../../guardrails/policies/inline-limits.ts';
import type { CompiledPolicies } from '../../guardrails/policies/policies.ts';
import type { PolicyRequest } from '../../guardrails/policies/policy-request-view.ts';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { ClientRequest } from '../client-request.ts';
import { findEndUser } from '../end-user.ts';
import type { Exchange } from '../exchange-record.ts';
import { runPolicyEvaluation } from './run-policy-evaluation.ts';

/**
 * Applies the organization's policies to a request, and records which policies apply to the response. Returns
 * the body to send, which is the original or a redacted one. Returns a promise only if a thread evaluates the
 * policies because the body is large.
 * @throws Fault `policy_denied`, `overloaded` or `shutting_down`; `ClientDisconnectedError`
 */
export function applyRequestPolicies(
  x: Exchange,
  key: KeyRecord,
  prompt: ClientRequest,
  policies: CompiledPolicies,
): Buffer | Promise<Buffer> {
  const { request: policySet, answer } = policies;
  const request = createPolicyRequest(x, key, prompt);
  if (answer) x.policy = { ...x.policy, answerContext: { policySet: answer, request } };
  if (policySet === null) return prompt.body;
  const evaluated = tryEvaluateInline((limits) => evaluateRequestPolicies(policySet, request, limits));
  if (evaluated !== null) return applyEvaluation(x, prompt, evaluated);
  const { policyThreads } = x.gateway;
  return runPolicyEvaluation(x, (caller) => policyThreads.evaluateRequest(policySet, request, caller)).then(
    (result) => applyEvaluation(x, prompt, result),
  );
}

function applyEvaluation(x: Exchange, prompt: ClientRequest, { evaluation, body }: EvaluatedBody): Buffer {
  recordPolicyDecisions(x, evaluation);
  if (evaluation.deniedBy) throw new Fault('policy_denied', formatDenialMessage(evaluation.deniedBy));
  if (body === prompt.body) return body;
  recordRedaction(x, evaluation);
  const { answerContext } = x.policy;
  if (answerContext) {
    const request = { ...answerContext.request, sentBody: body };
    x.policy = { ...x.policy, answerContext: { ...answerContext, request } };
  }
  return body;
}

function createPolicyRequest(
  x: Exchange,
  key: KeyRecord,
  { body, members, model, stream }: ClientRequest,
): PolicyRequest {
  return {
    body,
    members,
    longStrings: members.longStrings,
    memberCount: members.memberCount,
    model,
    stream,
    surface: x.surface.name,
    key: key.name,
    team: key.team,
    owner: key.owner,
    endUser: findEndUser(x),
    metadata: x.controls?.metadata ?? null,
    session: x.session,
  };
}

/** Records in the request log row the decision of every policy that applied. */
export function recordPolicyDecisions(x: Exchange, { decisions }: PolicyEvaluation): void {
  for (const { outcome, reason } of decisions) x.decisions.push({ step: 'policy', outcome, reason });
}

/**
 * Records that the request was redacted. The header `x-floe-redacted` then tells the client that the provider
 * received a different request.
 */
export function recordRedaction(x: Exchange, { decisions }: PolicyEvaluation): void {
  const names = decisions.filter(({ outcome }) => outcome === 'redacted').map(({ policy }) => policy.name);
  const rewrittenBy = [...new Set([...(x.policy.rewrittenBy ?? []), ...names])];
  x.policy = { ...x.policy, rewrittenBy };
}
