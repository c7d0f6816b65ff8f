import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';
import { UsageError } from './usage-error.ts';

/** The command `floe serve`, which runs the server. */
export const serveCommand: CliCommand = {
  words: ['serve'],
  usage: 'serve',
  summary: 'Runs the server in the foreground.',
  help: SERVER_ENVIRONMENT_HELP,
  async run(args) {
    if (args.length > 0)
      throw new UsageError(
        'floe serve takes no arguments. Set options in floe.yaml or with environment variables such as FLOE_PORT.',
      );
    return await runServerProgram([]);
  },
};
