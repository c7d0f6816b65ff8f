import type { Command } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const migrate: Command = {
  words: ['migrate'],
  usage: 'migrate [--dry-run]',
  does: 'Brings the tables up to this version, or lists what that would do.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['migrate', ...args]),
};
