import { Fault } from '@floe/contract/faults';
import { evaluateResponsePolicies } from '../../guardrails/policies/evaluate-bodies.ts';
import { formatDenialMessage } from '../../guardrails/policies/evaluate-policies.ts';
import type { Exchange } from '../exchange-record.ts';
import { buildResponseHeaders } from '../response-headers.ts';
import { recordPolicyDecisions, recordRedaction } from './apply-request-policies.ts';
import type { ResponsePolicyContext } from './response-policy-context.ts';

/**
 * Applies the response policies to a complete JSON response and sends it.
 * @throws Fault `policy_denied`
 */
export function sendJsonResponse(x: Exchange, body: Buffer | string): void {
  const told = applyResponsePolicies(x, body);
  x.client.sendAnswer(200, buildResponseHeaders(x, 'application/json'), told);
}

/**
 * Applies the response policies to a complete response and returns the resulting body.
 * @throws Fault `policy_denied`
 */
export function applyResponsePolicies(x: Exchange, body: Buffer | string): Buffer | string {
  return x.policy.answerContext === null
    ? body
    : evaluateAnswer(x, x.policy.answerContext, Buffer.from(body));
}

/** Evaluates what the client would read, whichever dialect the provider used. */
function evaluateAnswer(x: Exchange, { policySet, request }: ResponsePolicyContext, body: Buffer): Buffer {
  const { dialect } = x.surface;
  const told = evaluateResponsePolicies(policySet, {
    request,
    dialect,
    body,
    usage: x.answer.usage,
    id: x.id,
  });
  const { evaluation } = told;
  recordPolicyDecisions(x, evaluation);
  if (evaluation.deniedBy) throw new Fault('policy_denied', formatDenialMessage(evaluation.deniedBy));
  if (told.body === body) return body;
  recordRedaction(x, evaluation);
  x.policy = { ...x.policy, isCacheable: false };
  return told.body;
}
