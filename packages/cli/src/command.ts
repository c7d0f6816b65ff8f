/** A command of `floe`. `run` resolves to the exit code. */
export interface CliCommand {
  readonly words: readonly string[];
  readonly usage: string;
  readonly summary: string;
  /** Help text in addition to usage and summary. */
  readonly help?: string;
  run(args: readonly string[]): Promise<number>;
}
