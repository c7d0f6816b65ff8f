import type { FloeConfig } from '@floe/contract/config';
import type { ConfigIssue } from '@floe/contract/config/references';
import { policyProblem } from '../guardrails/policies/policies.ts';

/** What is wrong with a configuration whose every field is valid: conditions of policies that cannot work. */
export function examine({ orgs }: FloeConfig): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [at, { policies }] of orgs.entries())
    for (const [n, policy] of policies.entries()) {
      const message = policyProblem(policy);
      if (message !== null) issues.push({ path: ['orgs', at, 'policies', n, 'when'], message });
    }
  return issues;
}
