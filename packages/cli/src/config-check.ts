import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/** The command `floe config check`, which validates a floe.yaml file. */
export const checkConfigCommand: CliCommand = {
  words: ['config', 'check'],
  usage: 'config check [file] [--allow-unset]',
  summary:
    'Validates a floe.yaml and prints a summary. "-" reads standard input. Exits with 1 if there are errors. --allow-unset ignores variables that are not set, and secret files and an outbound.ca_file that do not exist.',
  help: SERVER_ENVIRONMENT_HELP,
  run: (args) => runServerProgram(['config', 'check', ...args]),
};
