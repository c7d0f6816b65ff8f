/**
 * How a command uses the arguments that are not options: as files to read, files to write, both, or not as
 * files.
 */
export type FileRole =
  /** Files that it reads. */
  | 'read'
  /** Files that it writes. */
  | 'write'
  /** Files that it reads and writes. */
  | 'both'
  /** Names, strings or patterns. The command opens none of them. */
  | 'none';

/** Which arguments of a command are files, and how the command uses them. */
export interface CommandFileRoles {
  /** Role of every argument that is not an option. */
  readonly words: FileRole;
  /** Role of the first such argument if it differs: the pattern of `grep`, the program of `awk`. */
  readonly first?: FileRole;
  /** Role of the last of several such arguments if it differs: the target of `cp`. */
  readonly last?: FileRole;
  /** Options whose value is a string and not a file, in the same word or the next. */
  readonly textOptions?: readonly string[];
  /** With one of these options, the first argument has the role of the others. */
  readonly withoutFirst?: RegExp;
  /** Options whose value is written to. */
  readonly outputOptions?: readonly string[];
  /** Options that make the command also write its arguments. */
  readonly inPlaceOptions?: RegExp;
  /** Options whose value may also be written to. */
  readonly alsoWrittenOptions?: readonly string[];
  /** Options whose value is read, although the arguments are not files. */
  readonly inputOptions?: readonly string[];
  /** Options whose value restricts the files that the command reads by their names. */
  readonly nameOptions?: readonly string[];
  /** Options that make the command also write the content of directories. `always`: without an option. */
  readonly recursiveOptions?: RegExp | 'always';
}
