import type { Command } from './command.ts';
import { runServer } from './server-process.ts';

export const serve: Command = {
  words: ['serve'],
  usage: 'serve',
  does: 'Runs the server in the foreground.',
  run: () => runServer([]),
};
