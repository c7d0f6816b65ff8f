import type { PolicySet } from '../../guardrails/policies/policies.ts';
import type { PolicyRequest } from '../../guardrails/policies/request-subject.ts';

/** By which rules the answer of an exchange is judged, and what it answers. */
export interface AnswerPolicyContext {
  readonly policySet: PolicySet;
  readonly request: PolicyRequest;
}
