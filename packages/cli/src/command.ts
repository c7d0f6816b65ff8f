/** A command of `floe`. `run` resolves to the exit code. */
export interface CliCommand {
  readonly words: readonly string[];
  readonly usage: string;
  readonly summary: string;
  /** Help text in addition to usage and summary. */
  readonly help?: string;
  /** Exit code of a usage error, if 2 has another meaning for this command. */
  readonly usageErrorCode?: number;
  run(args: readonly string[]): Promise<number>;
}
