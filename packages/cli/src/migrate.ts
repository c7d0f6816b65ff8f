import type { Command } from './command.ts';
import { runServer } from './server-process.ts';

export const migrate: Command = {
  words: ['migrate'],
  usage: 'migrate [--dry-run]',
  does: 'Brings the tables up to this version, or lists what that would do.',
  run: (args) => runServer(['migrate', ...args]),
};
