import { findPositionals } from './positional-arguments.ts';
import type { ShellScope } from './scope.ts';
import type { Invocation, NestedCommand } from './unwrap.ts';
import { createLiteralWord, type ShellWord } from './word.ts';

/** Settings of git that name a command; `!` before one is the shell's. */
const COMMAND_SETTINGS =
  /^(?:alias\..+|core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|pager\..+|diff\.external|diff\..+\.(?:textconv|command)|difftool\..+\.cmd|mergetool\..+\.cmd|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|credential(?:\..+)?\.helper|gpg(?:\..+)?\.program|interactive\.difffilter|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack)|browser\..+\.cmd|man\..+\.cmd|sendemail\..+cmd)$/;

/** What `git -c` and `git config` make git run. */
export function findGitSettingCommands({ args }: Invocation): NestedCommand[] {
  const inner: NestedCommand[] = [];
  for (const [at, word] of args.entries()) {
    const text = word.text ?? '';
    const [, key, value] = /^([\w.-]+\.[\w-]+)=(.*)$/s.exec(text) ?? [];
    if (key !== undefined && value !== undefined) inner.push(...settingCommand(key, value, word));
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
  // `store`, `cache` and the like are helpers of git itself.
  if (key.endsWith('.helper') && /^[\w-]+$/.test(value)) return [];
  return value === '' || value === 'true' || value === 'false' ? [] : [{ kind: 'code', word, text: value }];
}

/** `git-push` and `git send-pack` are `git push`. */
export function normalizeGitInvocation({ name, args }: Invocation, place: ShellWord): Invocation {
  const [, subcommand] = /^git-([a-z][a-z-]*)$/.exec(name) ?? [];
  const words = subcommand === undefined ? args : [createLiteralWord(subcommand, place), ...args];
  if (name !== 'git' && subcommand === undefined) return { name, args };
  const isLibrary = subcommand !== undefined && !/(?:^|\/)git-core\/|^git-/.test(place.text ?? '');
  if (isLibrary) return { name, args };
  const plumbing = findPositionals('git', words)[0]?.word;
  if (plumbing?.text !== 'send-pack') return { name: 'git', args: words };
  return { name: 'git', args: words.map((word) => (word === plumbing ? { ...word, text: 'push' } : word)) };
}

/** Options that other words of a push mean: `+main`, `--mirror` and settings of refs to push force it. */
export function findImpliedOptions({ name, args }: Invocation, scope: ShellScope): readonly ShellWord[] {
  if (name !== 'git') return [];
  const words = findPositionals(name, args);
  const [subcommand, ...refs] = words;
  if (subcommand?.word.text === 'config') recordForcedPush(args, scope);
  if (subcommand?.word.text !== 'push') return [];
  const isForced =
    args.slice(subcommand.at + 1).some(({ prefix, text }) => prefix.startsWith('+') || text === '--mirror') ||
    args.slice(0, subcommand.at).some(({ text }) => FORCED_PUSH_SETTING.test(text ?? '')) ||
    (refs.length < 2 && scope.value(FORCED_PUSH) !== null);
  return isForced ? ['--force', '-f'].map((option) => createLiteralWord(option, subcommand.word)) : [];
}

/** A setting that makes every push of a remote a forced one. */
const FORCED_PUSH_SETTING = /^remote\..+\.(?:push=\+|mirror=(?:true|1|yes|on)$)/i;
/** No variable of a shell has a name with a blank. */
const FORCED_PUSH = 'git push';

function recordForcedPush(args: readonly ShellWord[], scope: ShellScope): void {
  const at = args.findIndex(({ text }) => /^remote\..+\.(?:push|mirror)$/i.test(text ?? ''));
  if (at === -1) return;
  if (FORCED_PUSH_SETTING.test(`${args[at]?.text}=${args[at + 1]?.text ?? ''}`))
    scope.markUnknown(FORCED_PUSH);
}

/** `ext::command`: a transport of git that runs a command; `% ` stands for a blank. */
export function findGitTransportCommands({ args }: Invocation): NestedCommand[] {
  return args.flatMap((word) => {
    const [, command] = /(?:^|=)ext::(.+)$/s.exec(word.text ?? '') ?? [];
    if (command === undefined) return [];
    const parts = command.match(/(?:%.|[^ %])+/g) ?? [];
    const words = parts.map((part) => createLiteralWord(part.replaceAll(/%(.)/g, '$1'), word));
    return [
      { kind: 'words', words },
      { kind: 'code', word, text: command },
    ] satisfies NestedCommand[];
  });
}

/** What an alias of git runs with the words after it: one of `-c alias.x=…`, or one that was configured before. */
export function resolveGitAlias({ name, args }: Invocation, scope: ShellScope): NestedCommand[] {
  if (name !== 'git') return [];
  const [subcommand, ...more] = findPositionals(name, args);
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

/** A word as a shell takes it back; what nobody knows stays unknown. */
export function quoteShellWord({ text, unknown }: ShellWord): string {
  if (text !== null) return `'${text.replaceAll("'", "'\\''")}'`;
  return unknown === 'options' || unknown === 'made' ? '$OPTIONS' : '"$value"';
}
