import type { LoadedConfig } from '../config/load.ts';
import { BUDGETS, LIMITS } from '../guardrails/file-rules.ts';
import type { FileRules } from '../management/guardrails/rule-host.ts';
import { declaredIn, fileNameOf } from '../platform/file-org.ts';
import { RELAY_RULES } from '../relay/file-rules.ts';

/** The rules that the running floe.yaml gives an org, with their lines. @param timezone of an org it does not name */
export function fileRulesOf(loaded: LoadedConfig, orgId: string, timezone: string): FileRules {
  const org = loaded.config.orgs.find(({ id }) => id === orgId);
  return {
    limits: declaredIn(loaded, LIMITS, orgId),
    budgets: declaredIn(loaded, BUDGETS, orgId),
    relay_rules: declaredIn(loaded, RELAY_RULES, orgId),
    file: fileNameOf(loaded),
    timezone: org?.timezone ?? timezone,
  };
}
