import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const migrateCommand: CliCommand = {
  words: ['migrate'],
  usage: 'migrate [--dry-run]',
  summary: 'Brings the tables up to this version, or lists what that would do.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['migrate', ...args]),
};
