import type { FloeConfig } from '@floe/contract/config';
import type { ConfigIssue } from '@floe/contract/config/references';
import { relayProblem } from '@floe/relay/relay';
import { policyProblem } from '../../guardrails/policies/policies.ts';

/** What is wrong with a configuration whose every field is valid: conditions and patterns that cannot work. */
export function examine({ orgs }: FloeConfig): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [at, { policies }] of orgs.entries())
    for (const [n, policy] of policies.entries()) {
      const message = policyProblem(policy);
      if (message !== null) issues.push({ path: ['orgs', at, 'policies', n, 'when'], message });
    }
  for (const [at, { relay }] of orgs.entries()) {
    const problem = relayProblem(relay);
    if (problem) issues.push({ path: ['orgs', at, 'relay', ...problem.path], message: problem.message });
  }
  return issues;
}
