import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

/** The command `floe operator`, which grants or revokes the operator role. */
export const operatorCommand: CliCommand = {
  words: ['operator'],
  usage: 'operator grant <email> | operator revoke <email>',
  summary: 'Grants or revokes the operator role of the installation for an account.',
  help: `Operators can change settings that affect every organization. The server can be running; the change applies within 2 seconds.

${INSTALLATION_HELP}`,
  run: (args) => runServer(['operator', ...args]),
};
