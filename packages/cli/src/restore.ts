import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const restoreCommand: CliCommand = {
  words: ['restore'],
  usage: 'restore <file> [--force]',
  summary: 'Puts a backup in the place of the SQLite database; the server must be stopped.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['restore', ...args]),
};
