import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

/** The command `floe storage move`, which copies a SQLite database into PostgreSQL. */
export const moveStorageCommand: CliCommand = {
  words: ['storage', 'move'],
  usage: 'storage move sqlite:<file>',
  summary: 'Copies a SQLite database into the configured PostgreSQL database; can be repeated.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['storage', 'move', ...args]),
};
