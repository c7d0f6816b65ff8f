import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

/** The command `floe migrate`, which migrates the database to this version. */
export const migrateCommand: CliCommand = {
  words: ['migrate'],
  usage: 'migrate [--dry-run] [--force]',
  summary: 'Migrates the database to this version, or lists the pending migrations.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['migrate', ...args]),
};
