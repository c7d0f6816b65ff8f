/** How a command that runs another one is read. Letters are short options. */
export interface WrapperSyntax {
  /** Short options that take a value, in the same word or the next. */
  readonly values?: string;
  /** Short options that take none, or one in the same word only. */
  readonly bare?: string;
  /** Long options that take a value, after `=` or in the next word. */
  readonly longValues?: readonly string[];
  /** Long options that take two values. */
  readonly longPairs?: readonly string[];
  /** Long options that take none, or one after `=` only. */
  readonly longBare?: readonly string[];
  /** What an option is that stands in none of the lists: `unknown` makes the command unclear. */
  readonly otherwise?: 'value' | 'bare';
  /** Words before the command: the duration of `timeout`, the host of `ssh`. */
  readonly skip?: number;
  /** `NAME=value` words may stand before the command. */
  readonly assignments?: true;
  /** Options whose value is a text for a shell. */
  readonly code?: readonly string[];
  /** The words are joined by blanks and read by a shell. */
  readonly joins?: true;
  /** The first word alone is a text for a shell: `trap text EXIT`. */
  readonly first?: true;
  /** The option that names the program to run, whose words come behind: `docker run --entrypoint`. */
  readonly program?: string;
  /** The command begins after `--`, if there is one. */
  readonly dashes?: true;
  /** With this option a command follows, where otherwise none does. */
  readonly commandWith?: string;
  /** Without a command it starts a shell that reads its input. */
  readonly shell?: true;
  readonly raises?: true;
}
