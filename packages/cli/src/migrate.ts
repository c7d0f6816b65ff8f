import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/** The command `floe migrate`, which migrates the database to this version. */
export const migrateCommand: CliCommand = {
  words: ['migrate'],
  usage: 'migrate [--dry-run] [--force]',
  summary:
    'Migrates the database to this version of Floe. --dry-run only lists the pending migrations. --force migrates even while processes of older versions use the database.',
  help: SERVER_ENVIRONMENT_HELP,
  run: (args) => runServerProgram(['migrate', ...args]),
};
