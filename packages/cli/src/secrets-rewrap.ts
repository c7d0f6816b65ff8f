import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/**
 * The command `floe secrets rewrap`, which re-encrypts the data keys of all stored secrets with the current
 * encryption key.
 */
export const rewrapSecretsCommand: CliCommand = {
  words: ['secrets', 'rewrap'],
  usage: 'secrets rewrap',
  summary:
    'Re-encrypts every stored secret with the first key of FLOE_ENCRYPTION_KEYS; can be interrupted and repeated.',
  help: SERVER_ENVIRONMENT_HELP,
  run: (args) => runServerProgram(['secrets', 'rewrap', ...args]),
};
