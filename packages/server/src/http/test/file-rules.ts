import type { OrgConfig } from '@floe/contract/config';
import type { Guard } from '../../guardrails/guard.ts';
import type { FileRules, RuleHost } from '../../management/guardrails/rule-host.ts';

const NONE: FileRules = { limits: [], budgets: [], relay_rules: [], file: 'floe.yaml', timezone: 'UTC' };

/** Rules as a file would give them to the org `acme`; those of the relay are on lines 10, 11, … */
export function rulesOfFile(
  guard: Guard,
  { org, fileRules }: { readonly org?: OrgConfig; readonly fileRules?: Partial<FileRules> } = {},
): RuleHost {
  const relay_rules = (org?.relay.rules ?? []).map((config, index) => ({ config, line: 10 + index }));
  return {
    guard,
    fileRules: (orgId) => (orgId === 'acme' ? { ...NONE, relay_rules, ...fileRules } : NONE),
  };
}
