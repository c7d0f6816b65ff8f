import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/** The command `floe restore`, which replaces the SQLite database with a backup. */
export const restoreCommand: CliCommand = {
  words: ['restore'],
  usage: 'restore <file> [--force]',
  summary:
    'Replaces the SQLite database with a backup; the server must be stopped. --force replaces an existing database and keeps a copy of it.',
  help: SERVER_ENVIRONMENT_HELP,
  run: (args) => runServerProgram(['restore', ...args]),
};
