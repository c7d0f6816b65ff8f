import { Fault } from '@floe/contract/faults';
import { evaluateAnswerPolicies } from '../../guardrails/policies/evaluate-bodies.ts';
import { denialMessage } from '../../guardrails/policies/evaluate-policies.ts';
import { buildAnswerHeaders } from '../answer-headers.ts';
import type { Exchange } from '../exchange-record.ts';
import type { AnswerPolicyContext } from './answer-policy-context.ts';
import { recordPolicyDecisions, recordRedaction } from './apply-request-policies.ts';

/** Sends a complete JSON response after policies have been applied. @throws Fault `policy_denied` */
export function sendJsonAnswer(x: Exchange, body: Buffer | string): void {
  const told = applyAnswerPolicies(x, body);
  x.client.sendAnswer(200, buildAnswerHeaders(x, 'application/json'), told);
}

/** Returns a complete response after policies have been applied. @throws Fault `policy_denied` */
export function applyAnswerPolicies(x: Exchange, body: Buffer | string): Buffer | string {
  return x.policy.answerContext === null
    ? body
    : evaluateAnswer(x, x.policy.answerContext, Buffer.from(body));
}

/** Evaluates what the client would read, whichever dialect the provider used. */
function evaluateAnswer(x: Exchange, { policySet, request }: AnswerPolicyContext, body: Buffer): Buffer {
  const { dialect } = x.surface;
  const told = evaluateAnswerPolicies(policySet, { request, dialect, body, usage: x.answer.usage, id: x.id });
  const { evaluation } = told;
  recordPolicyDecisions(x, evaluation);
  if (evaluation.deniedBy) throw new Fault('policy_denied', denialMessage(evaluation.deniedBy));
  if (told.body === body) return body;
  recordRedaction(x, evaluation);
  x.policy = { ...x.policy, isCacheable: false };
  return told.body;
}
