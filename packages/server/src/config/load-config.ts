import type { FloeConfig } from '@floe/contract/config';
import type { ConfigIssue, ConfigPath } from '@floe/contract/config/cross-object-rules';
import { ConfigError } from './config-problem.ts';
import { type ConfigLoadOptions, type ParsedConfig, parseConfig, toConfigProblem } from './parse-config.ts';
import { SourcePositions } from './source-positions.ts';

/** A valid configuration, and where its fields are in the file. */
export interface LoadedConfig extends Omit<ParsedConfig, 'positions'> {
  /** Complete with defaults, and deep-frozen. */
  readonly config: FloeConfig;
  readonly positions: SourcePositions;
  /** 1-based line of a field or of its closest parent. Undefined if the file does not set its section. */
  lineOf(path: ConfigPath): number | undefined;
  /** Whether the file sets a field. */
  sets(path: ConfigPath): boolean;
  /** Adds the positions in the file to issues that were found elsewhere, such as in the database. */
  toConfigError(issues: readonly ConfigIssue[]): ConfigError;
}

/**
 * Loads the configuration on this thread, as `parseConfig` does.
 *
 * @throws ConfigError, which lists every problem with its position. It never contains configured values.
 */
export function loadConfig(options: ConfigLoadOptions): LoadedConfig {
  const parsed = parseConfig(options);
  deepFreeze(parsed.config);
  return createLoadedConfig(parsed);
}

/**
 * Adds the functions of `LoadedConfig` to a parsed configuration.
 * @param parsed a configuration that is deep-frozen
 */
export function createLoadedConfig(parsed: ParsedConfig): LoadedConfig {
  const positions = new SourcePositions(parsed.positions);
  return {
    ...parsed,
    positions,
    lineOf: (path) => positions.lineOf(path),
    sets: (path) => positions.sets(path),
    toConfigError: (issues) =>
      new ConfigError(
        parsed.path,
        issues.map((issue) => toConfigProblem(issue, parsed.config, positions)),
      ),
  };
}

export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
}
