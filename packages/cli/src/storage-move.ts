import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/** The command `floe storage move`, which copies a SQLite database into PostgreSQL. */
export const moveStorageCommand: CliCommand = {
  words: ['storage', 'move'],
  usage: 'storage move sqlite:<file>',
  summary:
    'Copies a SQLite database into the configured PostgreSQL database, which must be empty; the server must be stopped.',
  help: SERVER_ENVIRONMENT_HELP,
  run: (args) => runServerProgram(['storage', 'move', ...args]),
};
