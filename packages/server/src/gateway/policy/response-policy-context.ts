import type { PolicySet } from '../../guardrails/policies/policies.ts';
import type { PolicyRequest } from '../../guardrails/policies/policy-request-view.ts';

/** The policies that apply to an exchange's response, and the request that these policies can read. */
export interface ResponsePolicyContext {
  readonly policySet: PolicySet;
  readonly request: PolicyRequest;
}

/** An evaluation of a response in a policy thread. */
export interface PendingPolicyEvaluation {
  /** Resolves when the evaluated part has been sent. The value is false if the client reads too slowly. */
  readonly done: Promise<boolean>;
  cancel(): void;
}
