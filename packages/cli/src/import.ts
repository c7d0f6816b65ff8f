import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const importCommand: CliCommand = {
  words: ['import'],
  usage: 'import sqlite:<file>',
  summary: 'Takes a SQLite instance into the configured PostgreSQL database.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['import', ...args]),
};
