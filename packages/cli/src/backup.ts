import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/** The command `floe backup`, which copies the SQLite database to a file. */
export const backupCommand: CliCommand = {
  words: ['backup'],
  usage: 'backup <file> [--force]',
  summary:
    'Copies the SQLite database to a file; works while the server is running. --force replaces an existing file.',
  help: SERVER_ENVIRONMENT_HELP,
  run: (args) => runServerProgram(['backup', ...args]),
};
