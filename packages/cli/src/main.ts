import { nearest } from '@floe/contract/config/nearest';
import { apiCommand } from './api/command.ts';
import { completionCommands } from './api/completion.ts';
import { readOperations } from './api/operations.ts';
import { ApiError } from './api-get.ts';
import { backup } from './backup.ts';
import { beat } from './beat.ts';
import type { Command } from './command.ts';
import { applyConfig, diffConfig } from './config-apply.ts';
import { checkConfig } from './config-check.ts';
import { UsageError } from './connection.ts';
import { HOOK_COMMANDS } from './hook/hook-commands.ts';
import { importSqlite } from './import.ts';
import { migrate } from './migrate.ts';
import { monitors } from './monitors.ts';
import { operator } from './operator.ts';
import { ownerLink } from './owner-link.ts';
import { restore } from './restore.ts';
import { run } from './run.ts';
import { rewrapSecrets } from './secrets-rewrap.ts';
import { serve } from './serve.ts';
import { version } from './version.ts';

const OWN_COMMANDS: readonly Command[] = [
  serve,
  checkConfig,
  diffConfig,
  applyConfig,
  beat,
  run,
  monitors,
  backup,
  restore,
  migrate,
  importSqlite,
  rewrapSecrets,
  ownerLink,
  operator,
  ...HOOK_COMMANDS,
];
const COMMANDS: readonly Command[] = [...OWN_COMMANDS, ...completionCommands(OWN_COMMANDS), version];

function help(): string {
  const width = Math.max(...COMMANDS.map((command) => command.usage.length));
  const lines = COMMANDS.map((command) => `  floe ${command.usage.padEnd(width)}  ${command.does}`);
  const subjects = Object.keys(readOperations()).join(', ');
  return `Floe: one endpoint for every model provider, and a monitor for every job.

${lines.join('\n')}
  floe ${'help'.padEnd(width)}  Shows this; floe <command> --help tells more.

  floe <subject> <verb>  Does what the API does. Subjects: ${subjects}.
`;
}

function helpFor({ usage, does, help: more }: Command): string {
  return `floe ${usage}\n${does}\n${more === undefined ? '' : `\n${more}\n`}`;
}

/** Finds the command whose words begin the arguments, longest first, and runs it with the rest. */
async function main(args: readonly string[]): Promise<number> {
  if (args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? '')) {
    process.stdout.write(help());
    return 0;
  }
  if (args[0] === '--version' || args[0] === '-v') return await version.run([]);
  const found = commandFor(args);
  if (!found) {
    process.stderr.write(`floe: ${unknown(args)}\n`);
    return 2;
  }
  const rest = args.slice(found.words.length);
  // What stands after "--" belongs to somebody else's command.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(helpFor(found));
    return 0;
  }
  return found.run(rest).catch(told);
}

/** Two words of our own come before the API's verbs, those before one word of our own. */
function commandFor(args: readonly string[]): Command | undefined {
  const own = COMMANDS.filter((command) => command.words.every((word, index) => args[index] === word));
  const exact = own.find(({ words }) => words.length > 1);
  if (exact) return exact;
  const api = apiCommand(readOperations(), args, OWN_COMMANDS);
  return api && (own.length === 0 || api.words.length > 1) ? api : own[0];
}

/** What is said of words that are no command. The person may have meant another one. */
function unknown(args: readonly string[]): string {
  const [subject = '', ...more] = args;
  const subjects = [...COMMANDS.flatMap(({ words }) => words[0] ?? []), ...Object.keys(readOperations())];
  const meant = nearest(subject, subjects);
  const hint = meant === undefined ? '' : ` Did you mean "${[meant, ...more].join(' ')}"?`;
  return `unknown command "${args.join(' ')}".${hint} "floe help" lists all.`;
}

/** The exit code for an error that is a message to the person; any other is a defect and stays one. */
function told(error: unknown): number {
  const isUsage =
    error instanceof UsageError ||
    (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  if (!isUsage && !(error instanceof ApiError)) throw error;
  process.stderr.write(`floe: ${error.message}\n`);
  return isUsage ? 2 : 1;
}

// Whoever read our output has read enough, as `head` does: there is nothing left to say. `floe run` watches its own.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (process.argv[2] !== 'run') process.exit(0);
});
process.exitCode = await main(process.argv.slice(2));
