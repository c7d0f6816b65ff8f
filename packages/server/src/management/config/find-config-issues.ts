import type { FloeConfig } from '@floe/contract/config';
import type { ConfigIssue } from '@floe/contract/config/cross-object-rules';
import { findRelayRuleError } from '@floe/relay/compile-relay-config';
import { findPolicyError } from '../../guardrails/policies/policies.ts';

/** Returns the conditions and patterns that are syntactically valid but cannot work. */
export function findConfigIssues({ orgs }: FloeConfig): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [at, { policies }] of orgs.entries())
    for (const [n, policy] of policies.entries()) {
      const message = findPolicyError(policy);
      if (message !== null) issues.push({ path: ['orgs', at, 'policies', n, 'when'], message });
    }
  for (const [at, { relay }] of orgs.entries()) {
    const problem = findRelayRuleError(relay);
    if (problem) issues.push({ path: ['orgs', at, 'relay', ...problem.path], message: problem.message });
  }
  return issues;
}
