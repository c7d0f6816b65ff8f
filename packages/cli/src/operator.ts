import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const operatorCommand: CliCommand = {
  words: ['operator'],
  usage: 'operator grant <email> | operator revoke <email>',
  summary: 'Makes somebody with an account an operator of the installation, or takes the role.',
  help: `Operators may change what affects every organization. The server may be running; the change applies within 2 seconds.

${INSTALLATION_HELP}`,
  run: (args) => runServer(['operator', ...args]),
};
