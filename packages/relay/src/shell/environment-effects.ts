import type { VariableAssignment } from './command.ts';

/** Variables whose value a program runs as a command. */
const COMMAND_VARIABLES =
  /^(?:GIT_(?:SSH|SSH_COMMAND|EXTERNAL_DIFF|EDITOR|SEQUENCE_EDITOR|PAGER|ASKPASS|PROXY_COMMAND)|(?:\w+_|MAN)?PAGER|(?:\w+_)?EDITOR|LESSEDIT|RUSTC_(?:WORKSPACE_)?WRAPPER|CARGO_TARGET_\w+_(?:RUNNER|LINKER)|VISUAL|BROWSER|LESS(?:OPEN|CLOSE)|PROMPT_COMMAND|SSH_ASKPASS|SUDO_ASKPASS|FZF_DEFAULT_COMMAND|RSYNC_RSH|CVS_RSH|SVN_(?:SSH|EDITOR)|KUBE_EDITOR|npm_config_(?:shell|script_shell|node_gyp|editor))$/;
/** Variables that make programs load or run something else. */
const LOADER_VARIABLES =
  /^(?:LD_(?:PRELOAD|AUDIT)|DYLD_INSERT_LIBRARIES|BASH_ENV|BASH_FUNC_.*|PERL5(?:OPT|DB)|PYTHONSTARTUP|RUBYOPT|GCONV_PATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|PS4|SHELLOPTS|BASHOPTS|GIT_CONFIG(?:_.*)?|GIT_EXEC_PATH|GIT_TEMPLATE_DIR|ZDOTDIR|NODE_REPL_EXTERNAL_MODULE|AWK(?:LIB)?PATH)$/;
/**
 * A POSIX shell runs the file that `ENV` names. Other programs use `ENV` for the name of an environment, such
 * as `production`, which is not a path.
 */
const SHELL_START_FILE = /^(?:~|\.{0,2}\/)/;
/** Common variables. Only some of their options load something. */
const NODE_LOADER_OPTIONS =
  /(?:^|\s)(?:-r|--(?:require|import|loader|experimental-loader|eval|inspect-brk))\b/;

const SPECIAL_BUILTINS = new Set(
  ': . break continue eval exec exit export readonly return set shift source times trap unset'.split(' '),
);

/** Returns whether the assignments before a command remain after it, as those before a special builtin do in `sh`. */
export function keepsAssignments(name: string): boolean {
  return SPECIAL_BUILTINS.has(name);
}

/** Variables that determine neither which program runs nor what it does, apart from the form of its output. */
const OUTPUT_VARIABLE =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|(?:NO|FORCE)_COLOR|CLICOLOR(?:_FORCE)?|CI|GIT_TERMINAL_PROMPT|PYTHONUNBUFFERED|RUST_BACKTRACE)$/;

/** Returns whether a variable only changes the output of programs. */
export function isOutputVariable(name: string): boolean {
  return OUTPUT_VARIABLE.test(name);
}

/** The commands and code that programs run because of environment variables. */
export interface EnvironmentEffects {
  /** Commands that programs will run because of the variables. Null for an unknown command. */
  readonly code: readonly (string | null)[];
  /** Names of variables that make programs load something else. */
  readonly loads: readonly string[];
}

const NO_EFFECTS: EnvironmentEffects = { code: [], loads: [] };

/** Returns the commands and code that programs run because of the assigned environment variables. */
export function findEnvironmentEffects(assignments: readonly VariableAssignment[]): EnvironmentEffects {
  if (assignments.length === 0) return NO_EFFECTS;
  const code: (string | null)[] = [];
  const loads: string[] = [];
  for (const { name, value } of assignments) {
    if (COMMAND_VARIABLES.test(name)) {
      if (value === null || /\S/.test(value)) code.push(value);
    } else if (LOADER_VARIABLES.test(name)) loads.push(name);
    else if (name === 'ENV' && SHELL_START_FILE.test(value ?? '')) loads.push(name);
    else if (name === 'NODE_OPTIONS' && (value === null || NODE_LOADER_OPTIONS.test(value))) loads.push(name);
  }
  return { code, loads };
}

/** Parses `NAME=value`, as `env` and `export` accept it. Null for any other word. */
export function parseAssignment(text: string | null | undefined): VariableAssignment | null {
  const [, name, value] = /^(\w+)\+?=(.*)$/s.exec(text ?? '') ?? [];
  return name === undefined || value === undefined ? null : { name, value };
}
