import { MAX_ORG_COMPILATION_STEPS } from '@floe/conditions/condition';
import type { FloeConfig } from '@floe/contract/config';
import type { ConfigIssue } from '@floe/contract/config/cross-object-rules';
import { findRelayRuleError } from '@floe/relay/compile-relay-config';
import {
  COMPILATION_COST_MESSAGE,
  countConditionCompilationSteps,
  findPolicyError,
} from '../../guardrails/policies/policies.ts';
import { findCronError } from '../../monitoring/monitor-schedule.ts';

/**
 * Returns an issue for each condition, pattern and schedule in floe.yaml that is syntactically valid but cannot work.
 */
export function findConfigIssues({ orgs }: FloeConfig): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [at, { policies }] of orgs.entries()) {
    let steps = 0;
    for (const [n, policy] of policies.entries()) {
      steps += policy.when === undefined ? 0 : countConditionCompilationSteps(policy.when);
      const isTooExpensive = steps > MAX_ORG_COMPILATION_STEPS;
      const message = isTooExpensive ? COMPILATION_COST_MESSAGE : findPolicyError(policy);
      if (message !== null) issues.push({ path: ['orgs', at, 'policies', n, 'when'], message });
      if (isTooExpensive) break;
    }
  }
  // Thousands of monitors can have the same schedule, and a check can take two milliseconds.
  const cronErrors = new Map<string, string | null>();
  for (const [at, { monitors }] of orgs.entries())
    for (const [n, { schedule }] of monitors.entries()) {
      if (!schedule) continue;
      const { cron } = schedule;
      const known = cronErrors.get(cron);
      const message = known === undefined ? findCronError(cron) : known;
      cronErrors.set(cron, message);
      if (message !== null) issues.push({ path: ['orgs', at, 'monitors', n, 'schedule', 'cron'], message });
    }
  for (const [at, { relay }] of orgs.entries()) {
    const problem = findRelayRuleError(relay);
    if (problem) issues.push({ path: ['orgs', at, 'relay', ...problem.path], message: problem.message });
  }
  return issues;
}
