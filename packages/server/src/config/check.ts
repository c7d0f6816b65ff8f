import { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts';
import { ConfigError, formatProblem } from './problem.ts';

export interface CheckResult {
  readonly ok: boolean;
  /** For the terminal: a line per problem, or what the file contains. */
  readonly lines: readonly string[];
}

export interface CheckOptions extends LoadOptions {
  /** Variables that are not set here, such as secrets in CI, are no mistake. What they stand for is not checked. */
  readonly allowsUnset?: boolean;
}

/** What `floe config check [file]` prints. Never throws for a wrong file. */
export function checkConfig({ allowsUnset = false, ...options }: CheckOptions): CheckResult {
  try {
    const loaded = loadConfig(options);
    const inactive = loaded.inactive.map((field) => `has no effect in this version: ${field}`);
    return { ok: true, lines: [summary(loaded), ...inactive, ...loaded.warnings] };
  } catch (error) {
    if (error instanceof ConfigError)
      return {
        ok: allowsUnset && error.problems.every(({ isUnset }) => isUnset),
        lines: linesOf(error, allowsUnset),
      };
    throw error;
  }
}

function summary({ config, path }: LoadedConfig): string {
  const total = (section: 'providers' | 'routes' | 'monitors') =>
    config.orgs.reduce((sum, org) => sum + org[section].length, 0);
  const parts = [
    counted(config.orgs.length, 'org'),
    counted(total('providers'), 'provider'),
    counted(total('routes'), 'route'),
    counted(total('monitors'), 'monitor'),
  ];
  return `ok: ${path ?? 'no file, defaults only'}: ${parts.join(', ')}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function linesOf({ path, problems }: ConfigError, allowsUnset: boolean): string[] {
  return problems.map((problem) => {
    const line = formatProblem(path, problem);
    return allowsUnset && problem.isUnset ? `not checked: ${line}` : line;
  });
}
