import { formatCountWithNoun } from '../core/count-with-noun.ts';
import { ConfigError, formatConfigProblem } from './config-problem.ts';
import { type LoadedConfig, loadConfig } from './load-config.ts';
import type { ConfigLoadOptions } from './parse-config.ts';

export interface ConfigCheckResult {
  readonly ok: boolean;
  /** Output for the terminal: one line per problem, or a summary of the file. */
  readonly lines: readonly string[];
}

export interface ConfigCheckOptions extends ConfigLoadOptions {
  /** Accepts variables that are not set here, such as secrets in CI. Their values are not checked. */
  readonly allowUnset?: boolean;
}

/** Returns the result of `floe config check [file]`. Never throws for an invalid file. */
export function checkConfigFile({ allowUnset = false, ...options }: ConfigCheckOptions): ConfigCheckResult {
  try {
    const loaded = loadConfig(options);
    const inactive = loaded.inactiveFields.map((field) => `${field} has no effect in this version`);
    return { ok: true, lines: [formatSummary(loaded), ...inactive, ...loaded.warnings] };
  } catch (error) {
    if (error instanceof ConfigError)
      return {
        ok: allowUnset && error.problems.every(({ isUnset }) => isUnset),
        lines: formatProblems(error, allowUnset),
      };
    throw error;
  }
}

function formatSummary({ config, path }: LoadedConfig): string {
  const total = (section: 'providers' | 'routes' | 'monitors') =>
    config.orgs.reduce((sum, org) => sum + org[section].length, 0);
  const parts = [
    formatCountWithNoun(config.orgs.length, 'org'),
    formatCountWithNoun(total('providers'), 'provider'),
    formatCountWithNoun(total('routes'), 'route'),
    formatCountWithNoun(total('monitors'), 'monitor'),
  ];
  return `ok: ${path ?? 'no file, defaults only'}: ${parts.join(', ')}`;
}

function formatProblems({ path, problems }: ConfigError, allowUnset: boolean): string[] {
  return problems.map((problem) => {
    const line = formatConfigProblem(path, problem);
    return allowUnset && problem.isUnset ? `not checked: ${line}` : line;
  });
}
