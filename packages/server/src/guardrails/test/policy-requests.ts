import assert from 'node:assert/strict';
import { PolicySchema } from '@floe/contract/config/limits-cache-policies';
import type { JsonObject } from '@floe/contract/json';
import { scanJsonObject } from '@floe/wire/json-edits';
import { evaluatePolicies } from '../policies/evaluate-policies.ts';
import { compilePolicies } from '../policies/policies.ts';
import { type PolicyRequest, PolicyRequestView } from '../policies/policy-request-view.ts';

/** A Chat request with this body. */
export function requestOf(body: JsonObject, more: Partial<PolicyRequest> = {}): PolicyRequest {
  const bytes = Buffer.from(JSON.stringify(body));
  const members = scanJsonObject(bytes);
  return {
    body: bytes,
    members,
    longStrings: members.longStrings,
    memberCount: members.memberCount,
    model: String(body['model'] ?? 'up/m'),
    stream: body['stream'] === true,
    surface: 'chat',
    key: 'ci',
    team: 'platform',
    owner: null,
    endUser: null,
    metadata: null,
    ...more,
  };
}

/** Evaluates policies, which are enforced unless they set another mode. */
export function judged(policies: readonly JsonObject[], request: PolicyRequest) {
  const compiled = compilePolicies(
    policies.map((policy) => PolicySchema.parse({ mode: 'enforce', ...policy })),
  );
  assert.ok(compiled?.request);
  return evaluatePolicies(compiled.request, new PolicyRequestView(request, compiled.request));
}

/** Returns whether a condition is true for a request, or cannot be evaluated. */
export const holds = (when: string, request: PolicyRequest) =>
  judged([{ name: 'rule', on: 'request', when, action: 'deny' }], request).deniedBy !== null;
