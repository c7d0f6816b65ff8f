import type { Command } from './command.ts';
import { runServer } from './server-process.ts';

export const backup: Command = {
  words: ['backup'],
  usage: 'backup <file>',
  does: 'Copies the SQLite database to a file, also while the server runs.',
  run: (args) => runServer(['backup', ...args]),
};
