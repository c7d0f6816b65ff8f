import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const backupCommand: CliCommand = {
  words: ['backup'],
  usage: 'backup <file>',
  summary: 'Copies the SQLite database to a file, also while the server runs.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['backup', ...args]),
};
