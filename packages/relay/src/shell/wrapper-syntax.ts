/** How a wrapper's arguments are parsed. Single letters are short options. */
export interface WrapperSyntax {
  /** Short options with a value, in the same word or the next. */
  readonly values?: string;
  /** Short options without a value, or with one in the same word only. */
  readonly bare?: string;
  /** Long options with a value, after `=` or in the next word. */
  readonly longValues?: readonly string[];
  /** Long options with two values. */
  readonly longPairs?: readonly string[];
  /** Long options without a value, or with one after `=` only. */
  readonly longBare?: readonly string[];
  /** How other options are parsed. Absent: an unknown option makes the command unclear. */
  readonly otherwise?: 'value' | 'bare';
  /** Number of words before the command: the duration of `timeout`, the host of `ssh`. */
  readonly skip?: number;
  /** `NAME=value` words are allowed before the command. */
  readonly assignments?: true;
  /** Options whose value is shell code. */
  readonly code?: readonly string[];
  /**
   * The words are joined by spaces and interpreted by a shell. `single`: only if there is exactly one word.
   */
  readonly joins?: true | 'single';
  /** Only the first word is shell code: `trap code EXIT`. */
  readonly first?: true;
  /** The option that names the program, whose arguments follow later: `docker run --entrypoint`. */
  readonly program?: string;
  /** The program that runs the arguments if that option is absent. */
  readonly defaultProgram?: string;
  /** The command starts after `--`, if there is one. */
  readonly dashes?: true;
  /** A command follows only if this option is present. */
  readonly commandWith?: readonly string[];
  /** The program that runs the input if the command is `-`: `uv run -`. */
  readonly inputProgram?: string;
  /** Options whose value is a file. Without a command, the wrapper runs the lines of the file. */
  readonly scripts?: readonly string[];
  /** Without a command, the wrapper starts a shell that reads commands from its input. */
  readonly shell?: true;
  readonly raises?: true;
}
