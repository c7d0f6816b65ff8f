import type { CliCommand } from '../command.ts';
import { UsageError } from '../usage-error.ts';
import { type ApiOperation, type ApiOperations, loadApiOperations } from './api-operations.ts';
import { listOptionNames, toOptionName } from './operation-arguments.ts';
import { SUGGESTED_OPERATION_OPTIONS } from './operation-command.ts';

/** Completion scripts by shell. They call `floe complete` for candidates. */
const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_floe() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(floe complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _floe floe
`,
  zsh: `#compdef floe
_floe() {
  local -a candidates
  candidates=("\${(@f)$(floe complete "\${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  compadd -a candidates
}
compdef _floe floe
`,
  fish: `complete -c floe -f -a '(floe complete (commandline -opc)[2..-1] 2>/dev/null)'
`,
};

/**
 * Creates the command `floe completion`, which prints a shell script, and the command `floe complete`, which
 * the script calls to get suggestions.
 */
export function createCompletionCommands(others: readonly CliCommand[]): readonly CliCommand[] {
  const completion: CliCommand = {
    words: ['completion'],
    usage: 'completion <bash|zsh|fish>',
    summary: 'Prints a shell completion script.',
    help: `For bash:        eval "$(floe completion bash)"\nFor zsh:         eval "$(floe completion zsh)"
For fish:        floe completion fish | source`,
    run: async ([shell = '']) => {
      const script = COMPLETION_SCRIPTS[shell];
      if (script === undefined) throw new UsageError('Specify the shell: bash, zsh or fish.');
      process.stdout.write(script);
      return 0;
    },
  };
  const complete: CliCommand = {
    words: ['complete'],
    usage: 'complete [words]',
    summary: 'Prints the possible next words, one per line.',
    run: async (words) => {
      const found = findCompletions(loadApiOperations(), [...others, completion], words);
      process.stdout.write(found.map((word) => `${word}\n`).join(''));
      return 0;
    },
  };
  return [completion, complete];
}

/** Returns the words that can follow `words` on the command line. */
export function findCompletions(
  operations: ApiOperations,
  commands: readonly CliCommand[],
  words: readonly string[],
): readonly string[] {
  const [subject = '', verb = ''] = words;
  const verbs = Object.hasOwn(operations, subject) ? operations[subject] : undefined;
  const previous = words.at(-1) ?? '';
  if (verbs && Object.hasOwn(verbs, verb) && verbs[verb]) return findOptionCompletions(verbs[verb], previous);
  const own = commands
    .filter(({ words: own }) => own.length > words.length && words.every((word, at) => own[at] === word))
    .flatMap(({ words: own }) => own[words.length] ?? []);
  if (words.length === 0) return sortUnique([...own, ...Object.keys(operations)]);
  if (words.length === 1 && verbs) return sortUnique([...own, ...Object.keys(verbs)]);
  return sortUnique(own);
}

/** The choices of the preceding option, or else the options. */
function findOptionCompletions({ takes, body }: ApiOperation, previous: string): readonly string[] {
  const named = Object.entries(takes).find(([name]) => `--${toOptionName(name)}` === previous)?.[1];
  if (named?.choices) return named.choices;
  if (named && named.kind !== 'flag') return [];
  return sortUnique([
    ...Object.entries(takes).flatMap(([name, field]) => listOptionNames(name, field)),
    ...(body ? ['--body-file'] : []),
    ...SUGGESTED_OPERATION_OPTIONS,
  ]);
}

const sortUnique = (words: readonly string[]) => [...new Set(words)].sort();
