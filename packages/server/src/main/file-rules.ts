import type { LoadedConfig } from '../config/load.ts';
import type { FileRules } from '../management/guardrails/rule-host.ts';

/** The limits and budgets that the running floe.yaml gives an org, with the lines they stand on. @param timezone of an org it does not name */
export function fileRulesOf({ config, lineOf }: LoadedConfig, orgId: string, timezone: string): FileRules {
  const at = config.orgs.findIndex(({ id }) => id === orgId);
  const org = config.orgs[at];
  if (!org) return { limits: [], budgets: [], timezone };
  const lineAt = (section: string, index: number) => lineOf(['orgs', at, section, index]) ?? null;
  return {
    limits: org.limits.map((limit, index) => ({ config: limit, line: lineAt('limits', index) })),
    budgets: org.budgets.map((budget, index) => ({ config: budget, line: lineAt('budgets', index) })),
    timezone: org.timezone,
  };
}
