import type { ShellWord } from './shell-word.ts';
import type { CommandInvocation, NestedCommand } from './unwrap-command.ts';

/** Commands that are rarely an argument of a program that does not run them. */
const COMMON_COMMANDS = new Set(
  'git rm cat head tail less bash sh zsh dash ksh sudo doas env xargs curl wget dd cp mv chmod chown python python3 perl ruby node nohup timeout nice tar scp rsync ssh'.split(
    ' ',
  ),
);
/** Programs whose arguments are names, strings or files, and that run none of them. */
const NON_WRAPPERS = new Set(
  ': true false echo printf logger notify-send wall jj hg sl svn rg ag ack fd fdfind semgrep ast-grep man info help which whereis type command hash apropos tldr apt apt-get brew dnf yum apk pacman snap pip pip3 npm pnpm yarn bun cargo go gem test [ ls find sed awk jq git gh hub glab kill pkill killall pgrep touch mkdir rm rmdir cp mv ln cat head tail less more wc sort uniq cut tr diff cmp file stat du df chmod chown tar zip unzip curl wget ssh scp rsync docker podman kubectl helm set export declare local readonly typeset unset alias unalias case for read say vim vi nvim nano code emacs ed cd pushd floe claude codex gemini llm opencode ollama grep egrep fgrep rgrep zgrep zegrep zfgrep bzgrep bzegrep bzfgrep xzgrep xzegrep xzfgrep lzgrep zstdgrep zipgrep ugrep ug pcregrep pcre2grep agrep sgrep ngrep'.split(
    ' ',
  ),
);
const MAX_GUESSES = 3;

/** Options and subcommands that are usually followed by code. Other arguments may be text for people. */
const CODE_OPTION =
  /^(?:-[a-z]?[cex]|--|--?(?:[\w-]*(?:command|exec|cmd|pager|askpass|ssh)|(?:[\w-]*-)?script|on-[\w-]+)|start|run|exec|cmd\.run)$/;
/** Such an option with its value. The first group is the value. */
const CODE_OPTION_WITH_VALUE =
  /^--?(?:[\w-]*(?:command|exec|cmd|pager|askpass|ssh)|(?:[\w-]*-)?script|on-[\w-]+)=(.*)$/s;
/** An argument with a command and its arguments. The first group is the command. */
const COMMAND_LINE = /^\s*(?:\S*\/)?([\w-]+)\s+\S/;

/**
 * Guesses what an unknown program runs: the arguments from the first one that is a command, those after `--`, or an
 * argument that is a whole command line, as in `tool 'rm x'` and `tool -c 'rm x'`.
 */
export function guessWrappedCommands({ name, args }: CommandInvocation): NestedCommand[] {
  const dashes = args.findIndex(({ text }) => text === '--');
  if (NON_WRAPPERS.has(name) && !(dashes !== -1 && DASH_DASH_RUNNERS.has(name))) return [];
  return args
    .flatMap((word, at): NestedCommand[] => {
      const { text } = word;
      if (text === null) return [];
      const words = args.slice(at);
      const [, attached] = CODE_OPTION_WITH_VALUE.exec(text) ?? [];
      const [, command = ''] = COMMAND_LINE.exec(attached ?? text) ?? [];
      const isCode = at === 0 || attached !== undefined || CODE_OPTION.test(args[at - 1]?.text ?? '');
      if (isCode && COMMON_COMMANDS.has(command)) return [{ kind: 'code', word, text: attached ?? text }];
      const isCommand = COMMON_COMMANDS.has(text.replace(/^.*\/bin\//, ''));
      return isCommand && words.length > 1 ? [{ kind: 'words', words }] : [];
    })
    .slice(0, MAX_GUESSES);
}

/** Programs among them with subcommands that run the arguments after `--`. */
const DASH_DASH_RUNNERS = new Set([
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'docker',
  'podman',
  'kubectl',
  'cargo',
  'go',
  'jj',
  'hg',
  'sl',
  'floe',
  'claude',
  'codex',
  'gemini',
]);

/** Returns the command that `script` runs. On BSD systems, it follows the file: `script -q /dev/null rm x`. */
export function findRecordedCommand(args: readonly ShellWord[]): NestedCommand[] {
  const file = args.findIndex(({ text }) => !text?.startsWith('-'));
  const words = file === -1 ? [] : args.slice(file + 1);
  const isCommand = words.length > 0 && !words[0]?.text?.startsWith('-') && args[file - 1]?.text !== '-c';
  return isCommand ? [{ kind: 'words', words }] : [];
}
