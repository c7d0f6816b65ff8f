import type { CliCommand } from '../command.ts';
import { CONNECTION_ENVIRONMENT_HELP, readApiConnection } from '../connection.ts';
import {
  type ApiOperation,
  type ApiOperations,
  listPathParameterNames,
  type OperationField,
} from './api-operations.ts';
import { listOptionNames, parseOperationArguments } from './operation-arguments.ts';
import { findNameLookupEndpoint } from './resolve-name.ts';
import { type NamedOperation, runOperation } from './run-operation.ts';

/** The options that shell completion suggests for every operation. */
export const SUGGESTED_OPERATION_OPTIONS = ['--json', '--help'] as const;

/**
 * Returns the command for an API operation, such as `keys create`. A resource name without an action, such as
 * `keys`, selects the list operation. Returns undefined if there is no such operation.
 * @param others The commands that are not API operations. The help text of a resource also lists those that
 * begin with its name.
 */
export function findOperationCommand(
  operations: ApiOperations,
  args: readonly string[],
  others: readonly CliCommand[],
): CliCommand | undefined {
  const [subject = '', verb = ''] = args;
  const verbs = Object.hasOwn(operations, subject) ? operations[subject] : undefined;
  if (!verbs)
    return findSubcommands(subject, others).length === 0
      ? undefined
      : createOverviewCommand(subject, {}, others);
  const operation = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (operation) {
    const idList = findNameLookupEndpoint(operations, subject, operation);
    const name = `${subject} ${verb}`;
    return createOperationCommand([subject, verb], { name, operation, ...(idList && { idList }) });
  }
  if (verbs['list'] && (verb === '' || (verb.startsWith('-') && !isHelpOption(verb))))
    return createOperationCommand([subject], { name: `${subject} list`, operation: verbs['list'] });
  return createOverviewCommand(subject, verbs, others);
}

const ID_HELP = '<id> is the id or the unique name of a resource.\n\n';

const isHelpOption = (word: string) => word === '--help' || word === '-h';

function createOperationCommand(words: readonly string[], named: NamedOperation): CliCommand {
  const { operation } = named;
  const positions = listPathParameterNames(operation).map((name) => ` <${name}>`);
  return {
    words,
    usage: `${words.join(' ')}${positions.join('')} [options]`,
    summary: `${operation.does}.`,
    help: `${named.idList ? ID_HELP : ''}${formatOptionsHelp(operation)}\n${CONNECTION_ENVIRONMENT_HELP}`,
    run: async (args) => runOperation(readApiConnection(), named, parseOperationArguments(operation, args)),
  };
}

/** Commands of two words that start with `subject`. */
function findSubcommands(subject: string, others: readonly CliCommand[]): readonly CliCommand[] {
  return others.filter(({ words }) => words.length > 1 && words[0] === subject);
}

/** Creates the command that lists the operations of a subject, for `floe keys --help` and for unknown operations. */
function createOverviewCommand(
  subject: string,
  verbs: Readonly<Record<string, ApiOperation>>,
  others: readonly CliCommand[],
): CliCommand {
  const own = findSubcommands(subject, others);
  const operations = Object.entries(verbs).filter(([verb]) => !own.some(({ words }) => words[1] === verb));
  const usages = operations.map(([verb, operation]) => ({
    usage: [subject, verb, ...listPathParameterNames(operation).map((name) => `<${name}>`)].join(' '),
    does: operation.does,
  }));
  usages.push(...own.map(({ usage, summary }) => ({ usage, does: summary.replace(/\.$/, '') })));
  usages.sort((one, other) => (one.usage < other.usage ? -1 : 1));
  const width = Math.max(...usages.map(({ usage }) => usage.length));
  const help = usages.map(({ usage, does }) => `  floe ${usage.padEnd(width)}  ${does}`).join('\n');
  return {
    words: [subject],
    usage: `${subject} <operation>`,
    summary: `Commands for ${subject}:`,
    help,
    run: async ([verb]) => {
      const problem = verb === undefined ? 'requires an operation' : `has no operation "${verb}"`;
      process.stderr.write(`floe: "${subject}" ${problem}. Available commands:\n${help}\n`);
      return 2;
    },
  };
}

function formatOptionsHelp({ takes, body, page, idempotent }: ApiOperation): string {
  const lines: (readonly [string, string])[] = Object.entries(takes)
    .filter(([name]) => !(page && name === 'cursor'))
    .map(([name, field]) => [
      `${listOptionNames(name, field).join(', ')}${formatValueHint(field)}`,
      describeField(field),
    ]);
  if (body)
    lines.push([
      '--body-file <file>',
      'read the fields from a file, or from standard input if <file> is "-"; options take precedence',
    ]);
  if (Object.values(takes).some(({ nullable }) => nullable))
    lines.push(['--unset <field>', 'set a field to null']);
  if (idempotent)
    lines.push([
      '--idempotency-key <key>',
      'create only one resource if the call is repeated with the same key',
    ]);
  if (page) lines.push(['--all', 'print all rows, not only the first page']);
  lines.push(
    ['--filter <name=value>', 'set another query parameter'],
    ['--json', 'print the response as JSON'],
  );
  const width = Math.max(...lines.map(([option]) => option.length));
  return `Options:\n${lines.map(([option, does]) => `  ${option.padEnd(width)}  ${does}`.trimEnd()).join('\n')}`;
}

function formatValueHint({ kind, in: where }: OperationField): string {
  if (kind === 'flag') return where === 'query' ? ' <true|false>' : '';
  // A query parameter is sent as written.
  if (where === 'query' && kind !== 'number') return ' <text>';
  return {
    text: ' <text>',
    number: ' <n>',
    texts: ' <a,b>',
    entries: ' <a,b|json>',
    json: ' <json>',
    text_or_json: ' <text|json>',
  }[kind];
}

function describeField({ kind, choices, required, does }: OperationField): string {
  const words = choices && `${kind === 'texts' ? 'one or more' : 'one'} of ${choices.join(', ')}`;
  const parts = [does?.replace(/\.$/, ''), words, required && 'required'];
  return parts.filter((part) => typeof part === 'string').join('; ');
}
