import { type Like, likeAny } from '@floe/conditions/like';
import type { SimpleCommand, Trait } from '../shell/command.ts';
import { positionals } from '../shell/global-options.ts';
import type { Word } from '../shell/word.ts';
import { anyOf, both, type Match } from './match.ts';

/** The part of a rule's `match` that reads commands of a shell. */
export interface CommandPattern {
  readonly command?: readonly string[] | undefined;
  readonly subcommand?: readonly string[] | undefined;
  readonly any_flag?: readonly string[] | undefined;
  readonly all_flags?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly does?: readonly Trait[] | undefined;
}

export type CommandMatcher = (command: SimpleCommand) => Match;

/** Compiles what a rule says about one command; null when it says nothing. */
export function compileCommandPattern(pattern: CommandPattern): CommandMatcher | null {
  const parts: CommandMatcher[] = [];
  const { command, subcommand, any_flag, all_flags, args, does } = pattern;
  // The name first: nearly every rule ends here.
  if (command) parts.push(nameMatcher(command));
  if (does) parts.push(({ traits }) => (does.some((trait) => traits.includes(trait)) ? 'yes' : 'no'));
  if (subcommand) parts.push(subcommandMatcher(subcommand));
  if (any_flag) parts.push((one) => anyOf(any_flag, (flag) => hasFlag(one, flag)));
  if (all_flags)
    parts.push((one) => all_flags.reduce<Match>((sum, flag) => both(sum, hasFlag(one, flag)), 'yes'));
  if (args) parts.push(argumentMatcher(args));
  if (parts.length === 0) return null;
  return (one) => {
    let sum: Match = 'yes';
    for (const part of parts) {
      sum = both(sum, part(one));
      if (sum === 'no') break;
    }
    return sum;
  };
}

function nameMatcher(patterns: readonly string[]): CommandMatcher {
  const names = patterns.filter((pattern) => !pattern.includes('/'));
  const byName = likeAny(names);
  const byPath = likeAny(patterns.filter((pattern) => pattern.includes('/')));
  return ({ name, word }) => {
    // What cannot be named is a doubt of the whole text, not of every rule.
    if (name === null) return 'no';
    if (byName(name) || byPath(word.text ?? '')) return 'yes';
    return word.glob && names.some((pattern) => fitsGlob(name, pattern)) ? 'yes' : 'no';
  };
}

/** Whether a file name with `*`, `?` and `[…]` may stand for `name`. */
function fitsGlob(glob: string, name: string): boolean {
  if (name.includes('*')) return false;
  const parts = glob.replaceAll(/\[[^\]]*\]?/g, '?').split('*');
  let at = 0;
  for (const [n, part] of parts.entries()) {
    const last = name.length - part.length;
    const isFirst = n === 0;
    const isLast = n === parts.length - 1;
    if (isFirst && isLast && last !== 0) return false;
    const found = findPart(name, part, isLast && !isFirst ? Math.max(at, last) : at, isFirst ? 0 : last);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}

/** Where `part` with its `?` first stands in `name`, from one index to another; -1 when nowhere. */
function findPart(name: string, part: string, from: number, to: number): number {
  for (let at = from; at <= to; at += 1)
    if ([...part].every((char, n) => char === '?' || char === name.charAt(at + n))) return at;
  return -1;
}

/** `push`, or `compose down` for the first two words that are no options. */
function subcommandMatcher(patterns: readonly string[]): CommandMatcher {
  const likes = patterns.map((pattern) => pattern.split(/\s+/).map((word) => likeAny([word])));
  return ({ name, args }) => {
    const words = positionals(name ?? '', args);
    const texts = words.map(({ word }) => word);
    return anyOf(likes, (like) => {
      const first = startsLike(texts, like);
      if (first !== 'no') return first;
      if (words.slice(0, like.length).every(({ exact }) => exact)) return 'no';
      // An option before it may have taken the first word for its value.
      return [1, 2].some((n) => n < texts.length && startsLike(texts.slice(n), like) !== 'no')
        ? 'maybe'
        : 'no';
    });
  };
}

function startsLike(words: readonly Word[], likes: readonly Like[]): Match {
  let sum: Match = 'yes';
  for (const [n, like] of likes.entries()) {
    const word = words[n];
    if (!word) return words.some(mayBeAny) ? both(sum, 'maybe') : 'no';
    sum = both(sum, wordLike(word, like));
    if (sum === 'no') break;
  }
  return sum;
}

function wordLike(word: Word, like: Like): Match {
  if (word.text !== null && like(word.text)) return 'yes';
  return mayBeAny(word) ? 'maybe' : 'no';
}

/** Nobody knows the word. */
function mayBeAny({ text }: Word): boolean {
  return text === null;
}

/**
 * Nobody knows the word, and it may be an option: a variable that is named for options, or a text that is put
 * together here. Other variables, names of files and what programs print are values.
 */
function mayBeOption({ text, unknown }: Word): boolean {
  return text === null && (unknown === 'options' || unknown === 'made');
}

/** Commands whose long options have one dash, where `-delete` is not `-d -e -l …`. */
const LONG_WITH_ONE_DASH = new Set([
  'find',
  'terraform',
  'tofu',
  'java',
  'go',
  'gcc',
  'clang',
  'ffmpeg',
  'openssl',
  'xcodebuild',
  'vault',
  'consul',
  'nomad',
  'packer',
]);
/** Short options after which the rest of the word is a value. */
const VALUE_LETTERS: Readonly<Record<string, string>> = {
  git: 'mCcFo',
  curl: 'XHdoAubeFmT',
  tar: 'fC',
  ssh: 'ilpoFJ',
  docker: 'vpew',
  kubectl: 'nfl',
};

/** Whether a command has an option: in a cluster, with a value, or shortened as `getopt_long` allows. */
function hasFlag({ name, args, implied }: SimpleCommand, flag: string): Match {
  const like = flag.includes('*') ? likeAny([flag]) : null;
  const same = sameOptions(name ?? '', args, flag);
  let sum: Match = implied.some(({ text }) => text !== null && same.includes(text)) ? 'yes' : 'no';
  for (const word of args) {
    const { text } = word;
    if (sum === 'yes' || text === '--') break;
    const found =
      text === null
        ? 'no'
        : like
          ? like(text)
            ? 'yes'
            : 'no'
          : anyOf(same, (one) => isFlag(text, one, name ?? ''));
    if (found === 'yes') return 'yes';
    if (found === 'maybe' || mayBecome(word, flag)) sum = 'maybe';
  }
  return sum;
}

/** Options that mean the same, by command or by command and subcommand. */
const SAME_OPTIONS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  rm: [
    ['-r', '-R', '--recursive'],
    ['-f', '--force'],
  ],
  cp: [
    ['-r', '-R', '--recursive'],
    ['-f', '--force'],
  ],
  mv: [['-f', '--force']],
  chmod: [['-R', '--recursive']],
  chown: [['-R', '--recursive']],
  chgrp: [['-R', '--recursive']],
  'git push': [
    ['-f', '--force'],
    ['-d', '--delete'],
  ],
  'git clean': [['-f', '--force']],
  'git commit': [['-n', '--no-verify']],
  'git checkout': [['-f', '--force']],
  'git branch': [
    ['-f', '--force'],
    ['-d', '--delete'],
  ],
  'docker rm': [['-f', '--force']],
  'docker rmi': [['-f', '--force']],
};

function sameOptions(name: string, args: readonly Word[], flag: string): readonly string[] {
  const subcommand = positionals(name, args)[0]?.word.text ?? '';
  for (const key of [name, `${name} ${subcommand}`]) {
    const groups = Object.hasOwn(SAME_OPTIONS, key) ? SAME_OPTIONS[key] : undefined;
    const group = groups?.find((options) => options.includes(flag));
    if (group) return group;
  }
  return [flag];
}

function isFlag(text: string, flag: string, name: string): Match {
  if (text === flag || text.startsWith(`${flag}=`)) return 'yes';
  if (flag.startsWith('--')) {
    const word = text.split('=', 1)[0] ?? '';
    return word.length > 3 && flag.startsWith(word) ? 'maybe' : 'no';
  }
  if (!/^-\w$/.test(flag) || !/^-\w./.test(text) || LONG_WITH_ONE_DASH.has(name)) return 'no';
  const values = Object.hasOwn(VALUE_LETTERS, name) ? (VALUE_LETTERS[name] ?? '') : '';
  for (const letter of text.slice(1)) {
    if (`-${letter}` === flag) return 'yes';
    if (values.includes(letter) || !/\w/.test(letter)) break;
  }
  return 'no';
}

/** A word that is not known may be an option, unless it begins like none. */
function mayBecome(word: Word, flag: string): boolean {
  if (!mayBeAny(word)) return false;
  return word.prefix === ''
    ? mayBeOption(word)
    : word.prefix.startsWith('-') && (flag.startsWith(word.prefix) || !word.prefix.startsWith('--'));
}

function argumentMatcher(patterns: readonly string[]): CommandMatcher {
  const like = likeAny(patterns);
  return ({ args }) =>
    anyOf(args, (word) => {
      if (word.text !== null && like(word.text)) return 'yes';
      if (word.prefix === '' && !mayBeOption(word)) return 'no';
      return mayBeAny(word) && patterns.some((pattern) => mayContinue(word.prefix, pattern)) ? 'maybe' : 'no';
    });
}

/** Whether a text that begins with `prefix` can be like the pattern. */
function mayContinue(prefix: string, pattern: string): boolean {
  const head = pattern.split('*', 1)[0] ?? '';
  const shorter = Math.min(head.length, prefix.length);
  return head.slice(0, shorter).toLowerCase() === prefix.slice(0, shorter).toLowerCase();
}

/** The words of a command as conditions see them; unknown ones are empty. */
export function knownTexts(args: readonly Word[]): string[] {
  return args.map(({ text }) => text ?? '');
}
