import { readFileSync } from 'node:fs';
import { isRecord } from './api/api-operations.ts';
import type { CliCommand } from './command.ts';

/** The command `floe version`, which prints the version. */
export const versionCommand: CliCommand = {
  words: ['version'],
  usage: 'version',
  summary: 'Prints the version of floe.',
  async run() {
    const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    process.stdout.write(`floe ${isRecord(manifest) ? manifest['version'] : 'unknown'}\n`);
    return 0;
  },
};
