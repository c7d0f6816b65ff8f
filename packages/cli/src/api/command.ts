import type { Command } from '../command.ts';
import { CONNECTION_HELP, connection } from '../connection.ts';
import { optionOf, read } from './arguments.ts';
import { ask } from './ask.ts';
import { type Field, type Operation, type Operations, positionsOf } from './operations.ts';

/** What every verb takes besides its own fields. */
export const COMMON_OPTIONS = ['--json', '--help'] as const;

/**
 * The command of a verb of the API: `keys create`, or `keys` alone for its list. Undefined when there is none.
 * `others` are commands that are no verb of the API, and stand beside them where a subject says what it can do.
 */
export function apiCommand(
  operations: Operations,
  args: readonly string[],
  others: readonly Command[],
): Command | undefined {
  const [subject = '', verb = ''] = args;
  const verbs = Object.hasOwn(operations, subject) ? operations[subject] : undefined;
  if (!verbs) return beside(subject, others).length === 0 ? undefined : overviewOf(subject, {}, others);
  if (Object.hasOwn(verbs, verb) && verbs[verb]) return commandOf([subject, verb], verbs[verb]);
  if (verbs['list'] && (verb === '' || (verb.startsWith('-') && !isHelp(verb))))
    return commandOf([subject], verbs['list']);
  return overviewOf(subject, verbs, others);
}

const isHelp = (word: string) => word === '--help' || word === '-h';

function commandOf(words: readonly string[], operation: Operation): Command {
  const positions = positionsOf(operation).map((name) => ` <${name}>`);
  return {
    words,
    usage: `${words.join(' ')}${positions.join('')} [options]`,
    does: `${operation.does}.`,
    help: `${optionsHelp(operation)}\n${CONNECTION_HELP}`,
    run: async (args) => {
      await ask(connection(), operation, read(operation, args));
      return 0;
    },
  };
}

/** Commands of two words that begin with `subject`. */
function beside(subject: string, others: readonly Command[]): readonly Command[] {
  return others.filter(({ words }) => words.length > 1 && words[0] === subject);
}

/** `floe keys --help`, and what is said about a verb that does not exist. */
function overviewOf(
  subject: string,
  verbs: Readonly<Record<string, Operation>>,
  others: readonly Command[],
): Command {
  const own = beside(subject, others);
  const asked = Object.entries(verbs).filter(([verb]) => !own.some(({ words }) => words[1] === verb));
  const usages = asked.map(([verb, operation]) => ({
    usage: [subject, verb, ...positionsOf(operation).map((name) => `<${name}>`)].join(' '),
    does: operation.does,
  }));
  usages.push(...own.map(({ usage, does }) => ({ usage, does: does.replace(/\.$/, '') })));
  usages.sort((one, other) => (one.usage < other.usage ? -1 : 1));
  const width = Math.max(...usages.map(({ usage }) => usage.length));
  const help = usages.map(({ usage, does }) => `  floe ${usage.padEnd(width)}  ${does}`).join('\n');
  return {
    words: [subject],
    usage: `${subject} <verb>`,
    does: `What can be done with ${subject}:`,
    help,
    run: async ([verb]) => {
      const said = verb === undefined ? 'says nothing alone' : `has no verb "${verb}"`;
      process.stderr.write(`floe: "${subject}" ${said}. There are:\n${help}\n`);
      return 2;
    },
  };
}

function optionsHelp({ takes, body, page, idempotent }: Operation): string {
  const lines: (readonly [string, string])[] = Object.entries(takes)
    .filter(([name]) => !(page && name === 'cursor'))
    .map(([name, field]) => [`--${optionOf(name)}${valueShown(field)}`, meaningOf(field)]);
  if (body) lines.push(['--file <json>', 'the fields from a file, or "-" for standard input; options win']);
  if (Object.values(takes).some(({ nullable }) => nullable))
    lines.push(['--unset <field>', 'sets a field to null']);
  if (idempotent) lines.push(['--idempotency-key <key>', 'makes a repeated call create nothing']);
  if (page) lines.push(['--all', 'every row']);
  lines.push(['--filter <name=value>', 'any other query parameter'], ['--json', 'the answer as JSON']);
  const width = Math.max(...lines.map(([option]) => option.length));
  return `Options:\n${lines.map(([option, does]) => `  ${option.padEnd(width)}  ${does}`.trimEnd()).join('\n')}`;
}

function valueShown({ kind, in: where }: Field): string {
  if (kind === 'flag' && where !== 'query') return '';
  return {
    text: ' <text>',
    number: ' <n>',
    texts: ' <a,b>',
    entries: ' <a,b|json>',
    json: ' <json>',
    flag: ' <true|false>',
  }[kind];
}

function meaningOf({ choices, required, does }: Field): string {
  const parts = [does?.replace(/\.$/, ''), choices && `one of ${choices.join(', ')}`, required && 'required'];
  return parts.filter((part) => typeof part === 'string').join('; ');
}
