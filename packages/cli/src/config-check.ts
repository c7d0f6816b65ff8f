import type { CliCommand } from './command.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const checkConfigCommand: CliCommand = {
  words: ['config', 'check'],
  usage: 'config check [file] [--allow-unset]',
  summary:
    'Checks a floe.yaml and says what it holds; exit code 1 when something is wrong. --allow-unset passes over variables that are not set here.',
  help: INSTALLATION_HELP,
  run: (args) => runServer(['config', 'check', ...args]),
};
