import type { Command } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const importSqlite: Command = {
  words: ['import'],
  usage: 'import sqlite:<file>',
  does: 'Takes a SQLite instance into the configured PostgreSQL database.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['import', ...args]),
};
