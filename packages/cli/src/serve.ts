import type { Command } from './command.ts';
import { UsageError } from './connection.ts';
import { INSTALLATION_HELP, runServer } from './server-process.ts';

export const serve: Command = {
  words: ['serve'],
  usage: 'serve',
  does: 'Runs the server in the foreground.',
  help: INSTALLATION_HELP,
  async run(args) {
    if (args.length > 0) throw new UsageError('usage: floe serve');
    return await runServer([]);
  },
};
