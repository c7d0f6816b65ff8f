import type { PolicySide } from '../../guardrails/policies/policies.ts';
import type { JudgedRequest } from '../../guardrails/policies/request-subject.ts';

/** By which rules the answer of an exchange is judged, and what it answers. */
export interface AnswerGate {
  readonly side: PolicySide;
  readonly request: JudgedRequest;
}
