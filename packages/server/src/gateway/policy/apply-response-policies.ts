import { Fault } from '@floe/contract/faults';
import {
  type BufferedPolicyResponse,
  type EvaluatedBody,
  evaluateResponsePolicies,
} from '../../guardrails/policies/evaluate-bodies.ts';
import { formatDenialMessage } from '../../guardrails/policies/evaluate-policies.ts';
import { tryEvaluateInline } from '../../guardrails/policies/inline-limits.ts';
import type { Exchange } from '../exchange-record.ts';
import { buildResponseHeaders } from '../response-headers.ts';
import { recordPolicyDecisions, recordRedaction } from './apply-request-policies.ts';
import { setPendingPolicyEvaluation } from './pending-evaluation.ts';
import type { ResponsePolicyContext } from './response-policy-context.ts';

/**
 * Applies the response policies to a complete JSON response and sends it.
 * @throws Fault `policy_denied`
 */
export function applyPoliciesAndSendJson(x: Exchange, body: Buffer | string): void {
  applyResponsePolicies(x, body, (told) =>
    x.client.sendAnswer(200, buildResponseHeaders(x, 'application/json'), told),
  );
}

/**
 * Applies the response policies to a complete response and passes the resulting body to `use`. A thread
 * evaluates the policies on a large response: `x.policy.pending` is then set, and `use` is called later.
 * @throws Fault `policy_denied`
 */
export function applyResponsePolicies(
  x: Exchange,
  body: Buffer | string,
  use: (told: Buffer | string) => void,
): void {
  if (x.policy.answerContext === null) use(body);
  else evaluateAnswer(x, x.policy.answerContext, Buffer.from(body), use);
}

/** Evaluates policies on the response in the form in which the client receives it. */
function evaluateAnswer(
  x: Exchange,
  { policySet, request }: ResponsePolicyContext,
  body: Buffer,
  use: (told: Buffer) => void,
): void {
  const { dialect } = x.surface;
  const response: BufferedPolicyResponse = { request, dialect, body, usage: x.answer.usage, id: x.id };
  const evaluated = tryEvaluateInline((limits) => evaluateResponsePolicies(policySet, response, limits));
  if (evaluated !== null) return use(applyEvaluation(x, body, evaluated));
  const controller = new AbortController();
  const caller = { orgId: x.caller.key.orgId, signal: controller.signal };
  const done = x.gateway.policyThreads.evaluateResponse(policySet, response, caller).then((result) => {
    controller.signal.throwIfAborted();
    use(applyEvaluation(x, body, result));
    return true;
  });
  setPendingPolicyEvaluation(x, { done, cancel: () => controller.abort() });
}

function applyEvaluation(x: Exchange, body: Buffer, { evaluation, body: told }: EvaluatedBody): Buffer {
  recordPolicyDecisions(x, evaluation);
  if (evaluation.deniedBy) throw new Fault('policy_denied', formatDenialMessage(evaluation.deniedBy));
  if (told === body) return body;
  recordRedaction(x, evaluation);
  x.policy = { ...x.policy, isCacheable: false };
  return told;
}
