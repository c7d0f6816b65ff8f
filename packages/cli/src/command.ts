/** One command of the command line. Resolves to the exit code. */
export interface CliCommand {
  readonly words: readonly string[];
  readonly usage: string;
  readonly summary: string;
  /** What `--help` tells beyond usage and purpose. */
  readonly help?: string;
  run(args: readonly string[]): Promise<number>;
}
