import { readFileSync } from 'node:fs';
import { isRecord } from './api/operations.ts';
import type { Command } from './command.ts';

export const version: Command = {
  words: ['version'],
  usage: 'version',
  does: 'Prints the version of this command.',
  async run() {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    process.stdout.write(`floe ${isRecord(manifest) ? manifest['version'] : 'unknown'}\n`);
    return 0;
  },
};
