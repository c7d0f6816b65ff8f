import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

/** The command `floe backup`, which copies the SQLite database to a file. */
export const backupCommand: CliCommand = {
  words: ['backup'],
  usage: 'backup <file> [--force]',
  summary:
    'Copies the SQLite database to a file; works while the server is running. --force replaces an existing file.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['backup', ...args]),
};
