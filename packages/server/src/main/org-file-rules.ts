import type { LoadedConfig } from '../config/load-config.ts';
import { BUDGET_FILE_KIND, LIMIT_FILE_KIND } from '../guardrails/file-rules.ts';
import type { OrgFileRules } from '../management/guardrails/rule-dependencies.ts';
import { configFileName, listDeclaredResources } from '../platform/declared-resources.ts';
import { RELAY_RULE_KIND } from '../relay/file-relay-rules.ts';

/**
 * Lists the limits, budgets and relay rules of an organization in the running floe.yaml, with their lines.
 * @param timezone used if floe.yaml does not contain the organization
 */
export function listOrgFileRules(loaded: LoadedConfig, orgId: string, timezone: string): OrgFileRules {
  const org = loaded.config.orgs.find(({ id }) => id === orgId);
  return {
    limits: listDeclaredResources(loaded, LIMIT_FILE_KIND, orgId),
    budgets: listDeclaredResources(loaded, BUDGET_FILE_KIND, orgId),
    relayRules: listDeclaredResources(loaded, RELAY_RULE_KIND, orgId),
    file: configFileName(loaded),
    timezone: org?.timezone ?? timezone,
  };
}
