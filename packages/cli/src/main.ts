import { findNearestWord } from '@floe/contract/config/nearest-word';
import { loadApiOperations } from './api/api-operations.ts';
import { createCompletionCommands } from './api/completion.ts';
import { findOperationCommand } from './api/operation-command.ts';
import { ApiRequestError } from './api-request.ts';
import { backupCommand } from './backup.ts';
import { beatCommand } from './beat.ts';
import type { CliCommand } from './command.ts';
import { checkConfigCommand } from './config-check.ts';
import { applyConfigCommand, diffConfigCommand } from './config-commands.ts';
import { doctorCommand } from './doctor.ts';
import { HOOK_COMMANDS } from './hook/hook-commands.ts';
import { IMPORT_COMMANDS } from './import/import-commands.ts';
import { migrateCommand } from './migrate.ts';
import { operatorCommand } from './operator.ts';
import { ownerLinkCommand } from './owner-link.ts';
import { erasePersonalDataCommand, exportPersonalDataCommand } from './people-commands.ts';
import { restoreCommand } from './restore.ts';
import { runCommand } from './run.ts';
import { markKeyLostCommand } from './secrets-mark-key-lost.ts';
import { rewrapSecretsCommand } from './secrets-rewrap.ts';
import { serveCommand } from './serve.ts';
import { moveStorageCommand } from './storage-move.ts';
import { UsageError } from './usage-error.ts';
import { versionCommand } from './version.ts';

const BUILT_IN_COMMANDS: readonly CliCommand[] = [
  serveCommand,
  checkConfigCommand,
  diffConfigCommand,
  applyConfigCommand,
  beatCommand,
  runCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
  moveStorageCommand,
  ...IMPORT_COMMANDS,
  rewrapSecretsCommand,
  markKeyLostCommand,
  exportPersonalDataCommand,
  erasePersonalDataCommand,
  ownerLinkCommand,
  operatorCommand,
  ...HOOK_COMMANDS,
];
const ALL_COMMANDS: readonly CliCommand[] = [
  ...BUILT_IN_COMMANDS,
  ...createCompletionCommands(BUILT_IN_COMMANDS),
  versionCommand,
];

function formatHelp(): string {
  const width = Math.max(...ALL_COMMANDS.map((command) => command.usage.length));
  const lines = ALL_COMMANDS.map((command) => `  floe ${command.usage.padEnd(width)}  ${command.summary}`);
  return `Floe: one endpoint for every model provider, and a monitor for every job.

${lines.join('\n')}
  floe ${'help [command]'.padEnd(width)}  Shows this help, or the help of a command.

  floe <resource> <operation>  Calls an API operation; floe <resource> --help lists the operations.

${formatResources()}
`;
}

/** Formats one line per API resource with its operations. */
function formatResources(): string {
  const resources = Object.entries(loadApiOperations());
  const width = Math.max(...resources.map(([name]) => name.length));
  const lines = resources.map(([name, operations]) => {
    const own = BUILT_IN_COMMANDS.flatMap(({ words: [first, second] }) =>
      first === name ? (second ?? []) : [],
    );
    const verbs = [...new Set([...Object.keys(operations), ...own])].sort();
    return `  ${name.padEnd(width)}  ${verbs.join(', ')}`;
  });
  return lines.join('\n');
}

function formatCommandHelp({ usage, summary, help: details }: CliCommand): string {
  return `floe ${usage}\n${summary}\n${details === undefined ? '' : `\n${details}\n`}`;
}

/**
 * Finds the command whose words start the arguments, longest first, and runs it with the remaining arguments.
 */
async function main(args: readonly string[]): Promise<number> {
  if (args.length === 0 || ['help', '--help', '-h'].includes(args[0] ?? ''))
    return showHelp(args.slice(1).filter((word) => !word.startsWith('-')));
  if (args[0] === '--version' || args[0] === '-v') return await versionCommand.run([]);
  const found = findCommand(args);
  if (!found) return reportUnknownCommand(args);
  const rest = args.slice(found.words.length);
  // Arguments after "--" belong to the command of the user.
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(formatCommandHelp(found));
    return 0;
  }
  return found.run(rest).catch((error: unknown) => exitCodeForError(error, found));
}

/** Shows the help of the command with these words, or of all commands if there are no words. */
function showHelp(words: readonly string[]): number {
  const command = findCommand([...words, '--help']);
  if (words.length > 0 && command?.words.length !== words.length) return reportUnknownCommand(words);
  process.stdout.write(command ? formatCommandHelp(command) : formatHelp());
  return 0;
}

/**
 * Commands of two words take precedence over API operations, which take precedence over commands of one
 * word.
 */
function findCommand(args: readonly string[]): CliCommand | undefined {
  const own = ALL_COMMANDS.filter((command) => command.words.every((word, index) => args[index] === word));
  const exact = own.find(({ words }) => words.length > 1);
  if (exact) return exact;
  const api = findOperationCommand(loadApiOperations(), args, BUILT_IN_COMMANDS);
  return api && (own.length === 0 || api.words.length > 1) ? api : own[0];
}

/** Reports an unknown command, with a suggestion if one is similar. Returns the exit code. */
function reportUnknownCommand(args: readonly string[]): number {
  const suggestion = findSimilarCommand(args);
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  process.stderr.write(
    `floe: Unknown command "${args.join(' ')}".${hint} Run "floe help" to list the commands.\n`,
  );
  return 2;
}

function findSimilarCommand([subject = '', ...more]: readonly string[]): string | undefined {
  const resources = loadApiOperations();
  const subjects = [...ALL_COMMANDS.flatMap(({ words }) => words[0] ?? []), ...Object.keys(resources)];
  const isSubjectKnown = subjects.includes(subject);
  const verbs = [
    ...Object.keys(resources[subject] ?? {}),
    ...ALL_COMMANDS.flatMap(({ words: [first, second] }) => (first === subject ? (second ?? []) : [])),
  ];
  const similar = isSubjectKnown ? findNearestWord(more[0] ?? '', verbs) : findNearestWord(subject, subjects);
  if (similar === undefined) return undefined;
  return (isSubjectKnown ? [subject, similar, ...more.slice(1)] : [similar, ...more]).join(' ');
}

/** The exit code for an error with a message for the user. Rethrows all others, which are defects. */
function exitCodeForError(error: unknown, { usageErrorCode = 2 }: CliCommand): number {
  const isUsage = error instanceof UsageError;
  if (!isUsage && !(error instanceof ApiRequestError)) throw error;
  process.stderr.write(`floe: ${error.message}\n`);
  return isUsage ? usageErrorCode : 1;
}

// If the reader has closed the pipe, such as `head`, there is nothing left to do. `floe run` handles its own output.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (process.argv[2] === 'run') return;
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`floe: The output could not be written (${error.code}). Check the disk space.\n`);
  process.exit(1);
});
process.exitCode = await main(process.argv.slice(2));
