import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/** The command `floe secrets mark-key-lost`, after which the server starts without a lost encryption key. */
export const markKeyLostCommand: CliCommand = {
  words: ['secrets', 'mark-key-lost'],
  usage: 'secrets mark-key-lost <key-id> [--dry-run]',
  summary:
    'Marks an encryption key as lost, so that the server starts without the key, and lists the secrets that must be entered again. --dry-run only lists the secrets.',
  help: SERVER_ENVIRONMENT_HELP,
  run: (args) => runServerProgram(['secrets', 'mark-key-lost', ...args]),
};
