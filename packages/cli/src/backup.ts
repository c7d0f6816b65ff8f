import type { Command } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const backup: Command = {
  words: ['backup'],
  usage: 'backup <file>',
  does: 'Copies the SQLite database to a file, also while the server runs.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['backup', ...args]),
};
