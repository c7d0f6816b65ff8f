import type { ConfigPath } from '@floe/contract/config/references';

export interface SourcePosition {
  /** Counted from 1. */
  readonly line: number;
  /** Counted from 1. */
  readonly column: number;
}

/** One mistake in the configuration, in words for whoever wrote it. Never carries a value. */
export interface ConfigProblem {
  /** The field as `orgs[0].providers[1].kind`, the environment variable, or empty for the whole file. */
  readonly where: string;
  readonly message: string;
  /** Where in the file; absent for the environment. */
  readonly position?: SourcePosition;
  /** An environment variable that is not set here, or a secret file that does not exist here. */
  readonly isUnset?: true;
  /** Id of the org whose part of the file it is in; absent elsewhere. */
  readonly org?: string;
}

/** A configuration that cannot be used, with everything that is wrong with it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];
  /** The file, or null when there is none. */
  readonly path: string | null;

  constructor(path: string | null, problems: readonly ConfigProblem[]) {
    super(problems.map((problem) => formatProblem(path, problem)).join('\n'));
    this.path = path;
    this.problems = problems;
  }
}

/** `floe.yaml:12:5: orgs[0].id: is required`. */
export function formatProblem(path: string | null, problem: ConfigProblem): string {
  const { position, where, message } = problem;
  const file = position === undefined ? '' : `${path ?? 'floe.yaml'}:${position.line}:${position.column}: `;
  return `${file}${where === '' ? '' : `${where}: `}${message}`;
}

/** `['orgs', 0, 'prices', 'gpt-5']` as `orgs[0].prices["gpt-5"]`. */
export function formatConfigPath(path: ConfigPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[A-Za-z_]\w*$/.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
