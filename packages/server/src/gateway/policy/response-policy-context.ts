import type { PolicySet } from '../../guardrails/policies/policies.ts';
import type { PolicyRequest } from '../../guardrails/policies/request-subject.ts';

/** The policies on the response of an exchange, and the request that they can read. */
export interface ResponsePolicyContext {
  readonly policySet: PolicySet;
  readonly request: PolicyRequest;
}
