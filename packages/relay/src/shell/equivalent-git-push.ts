import { findPositionalArguments } from './positional-arguments.ts';
import { createLiteralWord, EMPTY_SHELL_WORD, type ShellWord } from './shell-word.ts';
import type { CommandInvocation, NestedCommand } from './unwrap-command.ts';

/** Whether a command overwrites what the remote has without being asked to, or only with `--force`. */
type PushKind = 'forced' | 'plain';

/** Commands that push to a remote repository without the command `git push`. */
const PUSH_COMMANDS: Readonly<Record<string, PushKind>> = {
  'jj git push': 'forced',
  'gt submit': 'forced',
  'gh repo sync': 'plain',
  'git http-push': 'plain',
  'git subtree push': 'plain',
  'dulwich push': 'plain',
  'got send': 'plain',
  'hg push': 'plain',
  'sl push': 'plain',
};
const LONGEST_NAME = 3;

/**
 * Returns the equivalent `git push` of a command that pushes in another way, such as `hg push`, so that rules
 * for `git push` apply to it.
 */
export function findEquivalentGitPushCommands({ name, args }: CommandInvocation): NestedCommand[] {
  const words = findPositionalArguments(name, args).slice(0, LONGEST_NAME - 1);
  for (let length = words.length; length > 0; length -= 1) {
    const named = words.slice(0, length);
    const key = [name, ...named.map(({ word }) => word.text ?? '')].join(' ');
    const kind = Object.hasOwn(PUSH_COMMANDS, key) ? PUSH_COMMANDS[key] : undefined;
    if (kind === undefined) continue;
    const own = new Set<ShellWord>(named.map(({ word }) => word));
    const given = ['git', 'push', ...(kind === 'forced' ? ['--force'] : [])];
    const rest = args.filter((word) => !own.has(word));
    return [
      {
        kind: 'words',
        words: [...given.map((text) => createLiteralWord(text, args[0] ?? EMPTY_SHELL_WORD)), ...rest],
      },
    ];
  }
  return [];
}
