import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/** The command `floe operator`, which grants or revokes the operator role. */
export const operatorCommand: CliCommand = {
  words: ['operator'],
  usage: 'operator grant <email> | operator revoke <email>',
  summary: 'Grants the operator role of the installation to an account, or revokes it.',
  help: `Operators can change settings that affect every organization. You can run these commands while the server is running; the change applies within 2 seconds.

${SERVER_ENVIRONMENT_HELP}`,
  run: (args) => runServerProgram(['operator', ...args]),
};
