import type { Command } from './command.ts';
import { runServer } from './server-process.ts';

export const importSqlite: Command = {
  words: ['import'],
  usage: 'import sqlite:<file>',
  does: 'Takes a SQLite instance into the configured PostgreSQL database.',
  run: (args) => runServer(['import', ...args]),
};
