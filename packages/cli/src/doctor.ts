import type { CliCommand } from './command.ts';
import { runServerProgram, SERVER_ENVIRONMENT_HELP } from './server-process.ts';

/** The command `floe doctor`, which checks an installation. */
export const doctorCommand: CliCommand = {
  words: ['doctor'],
  usage: 'doctor [--json]',
  summary: 'Checks configuration, stores, clock, certificate, providers and mail. Changes nothing.',
  help: `Prints what to do for each problem. Exits with 1 if a check fails.

${SERVER_ENVIRONMENT_HELP}`,
  run: (args) => runServerProgram(['doctor', ...args]),
};
