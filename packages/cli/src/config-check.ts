import type { Command } from './command.ts';
import { runServer } from './server-process.ts';

export const checkConfig: Command = {
  words: ['config', 'check'],
  usage: 'config check [file]',
  does: 'Checks a floe.yaml and says what it holds; exit code 1 when something is wrong.',
  run: (args) => runServer(['config', 'check', ...args]),
};
