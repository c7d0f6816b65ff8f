import type { ConfigPath } from '@floe/contract/config/cross-object-rules';

export interface SourcePosition {
  /** 1-based. */
  readonly line: number;
  /** 1-based. */
  readonly column: number;
}

/**
 * An error in the configuration, described for the person who edits the file. Never contains values
 * from the file, because they may be secrets.
 */
export interface ConfigProblem {
  /**
   * The field, such as `orgs[0].providers[1].kind`, or the environment variable. Empty for the whole file.
   */
  readonly where: string;
  readonly message: string;
  /** Position in the file. Absent for environment variables. */
  readonly position?: SourcePosition;
  /**
   * Set if the problem is an environment variable that is not set, or a secret file or `outbound.ca_file` that
   * does not exist, on this machine.
   */
  readonly isUnset?: true;
  /** Id of the organization whose section contains the problem. Absent in other sections. */
  readonly org?: string;
}

/** Thrown if the configuration is invalid. Contains all problems. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  /** Path of the file, or null if there is none. */
  readonly path: string | null;

  constructor(path: string | null, problems: readonly ConfigProblem[]) {
    super(problems.map((problem) => formatConfigProblem(path, problem)).join('\n'));
    this.path = path;
    this.problems = problems;
  }
}

/** Formats a problem as `floe.yaml:12:5: orgs[0].id: is required`. */
export function formatConfigProblem(path: string | null, problem: ConfigProblem): string {
  const { position, where, message } = problem;
  const file = position === undefined ? '' : `${path ?? 'floe.yaml'}:${position.line}:${position.column}: `;
  return `${file}${where === '' ? '' : `${where}: `}${message}`;
}

/** Formats `['orgs', 0, 'prices', 'gpt-5']` as `orgs[0].prices["gpt-5"]`. */
export function formatConfigPath(path: ConfigPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[A-Za-z_]\w*$/.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
