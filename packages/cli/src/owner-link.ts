import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const ownerLinkCommand: CliCommand = {
  words: ['owner-link'],
  usage: 'owner-link [org] [--operator]',
  summary: 'Prints a link that makes an owner of the console, once, within a day.',
  help: `For a first sign-in, or when every owner lost theirs. The server may be running. The link before stops working.
With one organization, or with --operator, the owner also becomes an operator of the installation.

${INSTALLATION_HELP}`,
  run: (args) => runServer(['owner-link', ...args]),
};
