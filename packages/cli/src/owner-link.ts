import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/** The command `floe owner-link`, which prints a one-time link for a new owner. */
export const ownerLinkCommand: CliCommand = {
  words: ['owner-link'],
  usage: 'owner-link [org] [--operator]',
  summary:
    'Prints a one-time link, valid for 24 hours, with which one person can become an owner of the organization.',
  help: `Use the link for the first sign-in, or when every owner has lost access. You can run this command while the server is running. Previous links stop working.
If the installation has only one organization, or with --operator, the new owner also becomes an operator of the installation.

${SERVER_ENVIRONMENT_HELP}`,
  run: (args) => runServerProgram(['owner-link', ...args]),
};
