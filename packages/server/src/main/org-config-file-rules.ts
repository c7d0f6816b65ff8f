import type { LoadedConfig } from '../config/load-config.ts';
import {
  CONFIG_FILE_BUDGET_RESOURCE_KIND,
  CONFIG_FILE_LIMIT_RESOURCE_KIND,
} from '../guardrails/config-file-limits-and-budgets.ts';
import type { OrgConfigFileRules } from '../management/guardrails/rule-dependencies.ts';
import { getConfigFileName, listDeclaredResources } from '../platform/declared-resources.ts';
import { CONFIG_FILE_RELAY_RULE_RESOURCE_KIND } from '../relay/config-file-relay-rules.ts';

/**
 * Returns an organization's limits, budgets and relay rules in the floe.yaml in use, with their line numbers.
 * @param timezone the time zone of an organization that is not in floe.yaml
 */
export function collectOrgConfigFileRules(
  loaded: LoadedConfig,
  orgId: string,
  timezone: string,
): OrgConfigFileRules {
  const org = loaded.config.orgs.find(({ id }) => id === orgId);
  return {
    limits: listDeclaredResources(loaded, CONFIG_FILE_LIMIT_RESOURCE_KIND, orgId),
    budgets: listDeclaredResources(loaded, CONFIG_FILE_BUDGET_RESOURCE_KIND, orgId),
    relayRules: listDeclaredResources(loaded, CONFIG_FILE_RELAY_RULE_RESOURCE_KIND, orgId),
    file: getConfigFileName(loaded),
    timezone: org?.timezone ?? timezone,
  };
}
