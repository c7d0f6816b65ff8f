import type { LoadedConfig } from '../config/load.ts';
import type { FileRules } from '../management/guardrails/rule-host.ts';
import { fileNameOf, fileOrg } from '../platform/file-org.ts';

/** The rules that the running floe.yaml gives an org, with their lines. @param timezone of an org it does not name */
export function fileRulesOf(loaded: LoadedConfig, orgId: string, timezone: string): FileRules {
  const at = loaded.config.orgs.findIndex(({ id }) => id === orgId);
  const config = loaded.config.orgs[at];
  const file = fileNameOf(loaded);
  if (!config) return { limits: [], budgets: [], relay_rules: [], file, timezone };
  const { limits, budgets, relayRules } = fileOrg(loaded, at);
  return { limits, budgets, relay_rules: relayRules, file, timezone: config.timezone };
}
