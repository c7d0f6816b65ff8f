import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

/** The command `floe restore`, which replaces the SQLite database with a backup. */
export const restoreCommand: CliCommand = {
  words: ['restore'],
  usage: 'restore <file> [--force]',
  summary: 'Replaces the SQLite database with a backup; the server must be stopped.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['restore', ...args]),
};
