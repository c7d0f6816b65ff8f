import type { Guard } from '../../guardrails/guard.ts';
import type { FileRules, RuleHost } from '../../management/guardrails/rule-host.ts';

const NONE: FileRules = { limits: [], budgets: [], file: 'floe.yaml', timezone: 'UTC' };

/** Limits and budgets as a file would give them to the org `acme`. */
export function rulesOfFile(guard: Guard, ofAcme: Partial<FileRules> = {}): RuleHost {
  return { guard, fileRules: (orgId) => (orgId === 'acme' ? { ...NONE, ...ofAcme } : NONE) };
}
