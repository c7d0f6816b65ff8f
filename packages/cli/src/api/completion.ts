import type { Command } from '../command.ts';
import { UsageError } from '../connection.ts';
import { optionOf } from './arguments.ts';
import { COMMON_OPTIONS } from './command.ts';
import { type Operation, type Operations, readOperations } from './operations.ts';

/** Scripts that ask `floe complete` for the words that may follow. */
const SCRIPTS: Readonly<Record<string, string>> = {
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

/** `floe completion`, and `floe complete` that its scripts call. */
export function completionCommands(others: readonly Command[]): readonly Command[] {
  const completion: Command = {
    words: ['completion'],
    usage: 'completion <bash|zsh|fish>',
    does: 'Prints a script that completes commands with the tab key.',
    help: `For this shell:  eval "$(floe completion bash)"
For fish:        floe completion fish | source`,
    run: async ([shell = '']) => {
      const script = SCRIPTS[shell];
      if (script === undefined) throw new UsageError('Name the shell: bash, zsh or fish.');
      process.stdout.write(script);
      return 0;
    },
  };
  const complete: Command = {
    words: ['complete'],
    usage: 'complete [words]',
    does: 'Prints what may follow these words, one per line.',
    run: async (words) => {
      const found = candidates(readOperations(), [...others, completion], words);
      process.stdout.write(found.map((word) => `${word}\n`).join(''));
      return 0;
    },
  };
  return [completion, complete];
}

/** What may follow `words`. */
export function candidates(
  operations: Operations,
  commands: readonly Command[],
  words: readonly string[],
): readonly string[] {
  const [subject = '', verb = ''] = words;
  const verbs = Object.hasOwn(operations, subject) ? operations[subject] : undefined;
  const previous = words.at(-1) ?? '';
  if (verbs && Object.hasOwn(verbs, verb) && verbs[verb]) return optionsAfter(verbs[verb], previous);
  const own = commands
    .filter(({ words: own }) => own.length > words.length && words.every((word, at) => own[at] === word))
    .flatMap(({ words: own }) => own[words.length] ?? []);
  if (words.length === 0) return sorted([...own, ...Object.keys(operations)]);
  if (words.length === 1 && verbs) return sorted([...own, ...Object.keys(verbs)]);
  return sorted(own);
}

/** The choices of the option that stands before, or else the options. */
function optionsAfter({ takes, body }: Operation, previous: string): readonly string[] {
  const named = Object.entries(takes).find(([name]) => `--${optionOf(name)}` === previous)?.[1];
  if (named?.choices) return named.choices;
  if (named && named.kind !== 'flag') return [];
  return sorted([
    ...Object.keys(takes).map((name) => `--${optionOf(name)}`),
    ...(body ? ['--file'] : []),
    ...COMMON_OPTIONS,
  ]);
}

const sorted = (words: readonly string[]) => [...new Set(words)].sort();
