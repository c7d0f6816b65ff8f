/** The result of a database maintenance command. If the command did only part of its work, `problem` is set. */
export interface DatabaseCommandResult {
  /** What the command did. */
  readonly text: string;
  /** What the command could not do, and the remedy. Null if it is complete. Otherwise, the exit code is 1. */
  readonly problem: string | null;
}
