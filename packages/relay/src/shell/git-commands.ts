import { findPositionalArguments } from './positional-arguments.ts';
import type { ShellScope } from './shell-scope.ts';
import { createLiteralWord, type ShellWord } from './shell-word.ts';
import { type CommandInvocation, type NestedCommand, toNestedCode } from './unwrap-command.ts';

/** Git settings whose value is a command. A leading `!` marks a shell command. */
const COMMAND_SETTINGS =
  /^(?:alias\..+|core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|pager\..+|diff\.external|diff\..+\.(?:textconv|command)|difftool\..+\.cmd|mergetool\..+\.cmd|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|gpg(?:\..+)?\.program|interactive\.difffilter|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack)|browser\..+\.cmd|man\..+\.cmd|sendemail\..+cmd)$/;

const CONFIG_ENV = /^--config-env=/;

/** Returns the commands that git runs because of `git -c` and `git config`. */
export function findGitConfigCommands({ args }: CommandInvocation): NestedCommand[] {
  const inner: NestedCommand[] = [];
  for (const [at, word] of args.entries()) {
    const text = word.text ?? '';
    const [, key, value] = /^([\w.-]+\.[\w-]+)=(.*)$/s.exec(text.replace(CONFIG_ENV, '')) ?? [];
    // `--config-env=alias.x=NAME`: the value is in an environment variable.
    const isVariable = CONFIG_ENV.test(text) || args[at - 1]?.text === '--config-env';
    if (isVariable && key !== undefined) inner.push(...settingCommand(key, null, word));
    else if (key !== undefined && value !== undefined) inner.push(...settingCommand(key, value, word));
    else if (COMMAND_SETTINGS.test(text.toLowerCase())) {
      const next = args[at + 1];
      if (next) inner.push(...settingCommand(text, next.text, next));
    }
  }
  return inner;
}

function settingCommand(name: string, value: string | null, word: ShellWord): NestedCommand[] {
  const key = name.toLowerCase();
  if (!COMMAND_SETTINGS.test(key)) return [];
  if (value === null) return [{ kind: 'code', word, text: null }];
  if (value.startsWith('!')) return [{ kind: 'code', word, text: value.slice(1) }];
  if (key.startsWith('alias.')) return [{ kind: 'code', word, text: `git ${value}` }];
  // `store`, `cache` and similar names are helpers of git.
  if (key.endsWith('.helper') && /^[\w-]+$/.test(value)) return [];
  return value === '' || value === 'true' || value === 'false' ? [] : [{ kind: 'code', word, text: value }];
}

/**
 * Normalizes a git command: `git-<subcommand>` becomes `git <subcommand>`, and `git send-pack` becomes `git
 * push`.
 */
export function normalizeGitInvocation(
  { name, args }: CommandInvocation,
  place: ShellWord,
): CommandInvocation {
  const [, subcommand] = /^git-([a-z][a-z-]*)$/.exec(name) ?? [];
  const words = subcommand === undefined ? args : [createLiteralWord(subcommand, place), ...args];
  if (name !== 'git' && subcommand === undefined) return { name, args };
  const isLibrary = subcommand !== undefined && !/(?:^|\/)git-core\/|^git-/.test(place.text ?? '');
  if (isLibrary) return { name, args };
  const plumbing = findPositionalArguments('git', words)[0]?.word;
  if (plumbing?.text !== 'send-pack') return { name: 'git', args: words };
  return { name: 'git', args: words.map((word) => (word === plumbing ? { ...word, text: 'push' } : word)) };
}

/**
 * Returns the options that other arguments of a push imply: `+main`, `--mirror` and refspec
 * settings imply a forced push. Also records that `git config` forces pushes, for later commands.
 */
export function findOrRecordForcedGitPush(
  { name, args }: CommandInvocation,
  scope: ShellScope,
): readonly ShellWord[] {
  if (name !== 'git') return [];
  const words = findPositionalArguments(name, args);
  const [subcommand, ...refs] = words;
  if (subcommand?.word.text === 'config') recordForcedPush(args, scope);
  if (subcommand?.word.text !== 'push') return [];
  const isForced =
    args.slice(subcommand.at + 1).some(({ prefix, text }) => prefix.startsWith('+') || text === '--mirror') ||
    args.slice(0, subcommand.at).some(({ text }) => FORCED_PUSH_SETTING.test(text ?? '')) ||
    (refs.length < 2 && scope.value(FORCED_PUSH) !== null);
  return isForced ? ['--force', '-f'].map((option) => createLiteralWord(option, subcommand.word)) : [];
}

/** A setting that forces every push to a remote. */
const FORCED_PUSH_SETTING = /^remote\..+\.(?:push=\+|mirror=(?:true|1|yes|on)$)/i;
/** A key that cannot be a shell variable, because it contains a space. */
const FORCED_PUSH = 'git push';

function recordForcedPush(args: readonly ShellWord[], scope: ShellScope): void {
  const at = args.findIndex(({ text }) => /^remote\..+\.(?:push|mirror)$/i.test(text ?? ''));
  if (at === -1) return;
  if (FORCED_PUSH_SETTING.test(`${args[at]?.text}=${args[at + 1]?.text ?? ''}`))
    scope.markUnknown(FORCED_PUSH);
}

/** The transport `ext::command` as a URL, as the value of a setting, and in `url.ext::command.insteadOf`. */
const COMMAND_TRANSPORTS = [
  /(?:^|=|^url\.)ext::(.+)$/is,
  // The command itself may contain `.insteadOf=`. Only the last one ends it.
  /(?:^|=)url\.ext::(.+)\.(?:push)?insteadof(?:=.*)?$/is,
];

/**
 * Returns the commands that git runs because of the transport `ext::command`, or of its helper `git remote-ext
 * name command`. In these commands, `% ` is an escaped space.
 */
export function findGitTransportCommands({ name, args }: CommandInvocation): NestedCommand[] {
  const [helper, , last] = findPositionalArguments(name, args);
  return args.flatMap((word) => {
    const isHelperCommand = helper?.word.text === 'remote-ext' && word === last?.word;
    if (isHelperCommand) return word.text === null ? [toNestedCode(word)] : readTransport(word, word.text);
    // The command contains a value that is not known.
    if (word.text === null && /(?:^|=)ext::/i.test(word.prefix)) return [toNestedCode(word)];
    return COMMAND_TRANSPORTS.flatMap((transport) => {
      const [, command] = transport.exec(word.text ?? '') ?? [];
      return command === undefined ? [] : readTransport(word, command);
    });
  });
}

function readTransport(word: ShellWord, command: string): NestedCommand[] {
  const parts = command.match(/(?:%.|[^ %])+/g) ?? [];
  const words = parts.map((part) => createLiteralWord(part.replaceAll(/%(.)/g, '$1'), word));
  return [
    { kind: 'words', words },
    { kind: 'code', word, text: command },
  ];
}

/**
 * Resolves a git alias, and adds the arguments of the command. `-c alias.x=…` or an earlier `git config`
 * command defines the alias. Also records the alias that a `git config` command defines, for later commands.
 */
export function resolveOrRecordGitAlias(
  { name, args }: CommandInvocation,
  scope: ShellScope,
): NestedCommand[] {
  if (name !== 'git') return [];
  const [subcommand, ...more] = findPositionalArguments(name, args);
  if (subcommand?.word.text === 'config')
    recordAlias(
      more.map(({ word }) => word),
      scope,
    );
  if (!subcommand?.word.text) return [];
  const alias = subcommand.word.text;
  const given = args.slice(0, subcommand.at).flatMap(({ text }) => {
    const [, key, value] = /^alias\.([\w-]+)=(.*)$/s.exec(text ?? '') ?? [];
    return key === alias && value !== undefined ? [value] : [];
  });
  const value = given[0] ?? scope.findAlias(`git ${alias}`);
  if (value === null) return [];
  const code = value.startsWith('!') ? value.slice(1) : `git ${value}`;
  const rest = args.slice(subcommand.at + 1);
  return [{ kind: 'code', word: subcommand.word, text: [code, ...rest.map(quoteShellWord)].join(' ') }];
}

function recordAlias(words: readonly ShellWord[], scope: ShellScope): void {
  const at = words.findIndex(({ text }) => text?.toLowerCase().startsWith('alias.'));
  const [key, value] = words.slice(at, at + 2);
  if (at !== -1 && key?.text && value?.text)
    scope.alias(`git ${key.text.slice('alias.'.length)}`, value.text);
}

/** Quotes a word for a shell. Unknown text remains unknown. */
export function quoteShellWord({ text, unknown }: ShellWord): string {
  if (text !== null) return `'${text.replaceAll("'", "'\\''")}'`;
  return unknown === 'options' || unknown === 'computed' ? '$OPTIONS' : '"$value"';
}
