import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { checkConfig } from './config-check.ts';
import { importSqlite } from './import.ts';
import { migrate } from './migrate.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';

const COMMANDS: readonly Command[] = [serve, checkConfig, backup, restore, migrate, importSqlite];

function help(): string {
  const width = Math.max(...COMMANDS.map((command) => command.usage.length));
  const lines = COMMANDS.map((command) => `  floe ${command.usage.padEnd(width)}  ${command.does}`);
  return `Floe: one endpoint for every model provider, and a monitor for every job.\n\n${lines.join('\n')}\n  floe ${'help'.padEnd(width)}  Shows this.\n`;
}

/** Finds the command whose words begin the arguments, longest first, and runs it with the rest. */
async function main(args: readonly string[]): Promise<number> {
  if (args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '')) {
    process.stdout.write(help());
    return 0;
  }
  const found = COMMANDS.find((command) => command.words.every((word, index) => args[index] === word));
  if (found) return found.run(args.slice(found.words.length));
  process.stderr.write(`floe: unknown command "${args.join(' ')}"\n\n${help()}`);
  return 2;
}

process.exitCode = await main(process.argv.slice(2));
