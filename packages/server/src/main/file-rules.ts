import { basename } from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import type { FileRules } from '../management/guardrails/rule-host.ts';
import { USUAL_FILE } from '../platform/file-place.ts';

/** Name of the file that runs, without its folder. */
export function fileNameOf({ path }: Pick<LoadedConfig, 'path'>): string {
  return basename(path ?? USUAL_FILE);
}

/** The limits and budgets that the running floe.yaml gives an org, with the lines they stand on. @param timezone of an org it does not name */
export function fileRulesOf(loaded: LoadedConfig, orgId: string, timezone: string): FileRules {
  const { config, lineOf } = loaded;
  const file = fileNameOf(loaded);
  const at = config.orgs.findIndex(({ id }) => id === orgId);
  const org = config.orgs[at];
  if (!org) return { limits: [], budgets: [], file, timezone };
  const lineAt = (section: string, index: number) => lineOf(['orgs', at, section, index]) ?? null;
  return {
    limits: org.limits.map((limit, index) => ({ config: limit, line: lineAt('limits', index) })),
    budgets: org.budgets.map((budget, index) => ({ config: budget, line: lineAt('budgets', index) })),
    file,
    timezone: org.timezone,
  };
}
