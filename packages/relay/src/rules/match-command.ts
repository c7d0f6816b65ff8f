import { compileWildcards, type WildcardMatcher } from '@floe/conditions/wildcards';
import type { CommandTrait, SimpleCommand } from '../shell/command.ts';
import { findPositionalArguments } from '../shell/positional-arguments.ts';
import type { ShellWord } from '../shell/shell-word.ts';
import { combineRequiredMatches, findBestMatchResult, type MatchResult } from './match-result.ts';

/** The fields of a rule's `match` that apply to shell commands. */
export interface CommandPattern {
  readonly command?: readonly string[] | undefined;
  readonly subcommand?: readonly string[] | undefined;
  readonly any_flag?: readonly string[] | undefined;
  readonly all_flags?: readonly string[] | undefined;
  readonly args?: readonly string[] | undefined;
  readonly does?: readonly CommandTrait[] | undefined;
}

/** Matches one shell command. */
export type CommandMatcher = (command: SimpleCommand) => MatchResult;

/**
 * Returns a matcher for a command pattern. Returns null if the pattern matches every command. If a match
 * permits the event (`permits`), a program in a directory certainly matches only a pattern with its directory, or `*`.
 */
export function compileCommandPattern(pattern: CommandPattern, permits = false): CommandMatcher | null {
  const parts: CommandMatcher[] = [];
  const { command, subcommand, any_flag, all_flags, args, does } = pattern;
  // Check the name first, because nearly every command fails here.
  if (command) parts.push(nameMatcher(command, permits));
  if (does) parts.push(({ traits }) => (does.some((trait) => traits.includes(trait)) ? 'yes' : 'no'));
  if (subcommand) parts.push(subcommandMatcher(subcommand));
  if (any_flag) parts.push((one) => findBestMatchResult(any_flag, (flag) => hasFlag(one, flag)));
  if (all_flags)
    parts.push((one) =>
      all_flags.reduce<MatchResult>((sum, flag) => combineRequiredMatches(sum, hasFlag(one, flag)), 'yes'),
    );
  if (args) parts.push(argumentMatcher(args));
  if (parts.length === 0) return null;
  return (one) => {
    let sum: MatchResult = 'yes';
    for (const part of parts) {
      sum = combineRequiredMatches(sum, part(one));
      if (sum === 'no') break;
    }
    return sum;
  };
}

function nameMatcher(patterns: readonly string[], permits: boolean): CommandMatcher {
  const names = patterns.filter((pattern) => !pattern.includes('/'));
  const byName = compileWildcards(names);
  const byPath = compileWildcards(patterns.filter((pattern) => pattern.includes('/') || pattern === '*'));
  return ({ name, word }) => {
    // An unknown name makes the whole text unclear. It does not match each rule.
    if (name === null) return 'no';
    if (byPath(word.text ?? '')) return 'yes';
    if (byName(name)) return permits && /[/\\]/.test(word.text ?? '') ? 'maybe' : 'yes';
    return word.glob && names.some((pattern) => globMatches(name, pattern)) ? 'yes' : 'no';
  };
}

/** Whether a file name with `*`, `?` and `[…]` can match `name`. */
function globMatches(glob: string, name: string): boolean {
  if (name.includes('*')) return false;
  const parts = glob.replaceAll(/\[[^\]]*\]?/g, '?').split('*');
  let at = 0;
  for (const [n, part] of parts.entries()) {
    const last = name.length - part.length;
    const isFirst = n === 0;
    const isLast = n === parts.length - 1;
    if (isFirst && isLast && last !== 0) return false;
    const found = findGlobPart(name, part, isLast && !isFirst ? Math.max(at, last) : at, isFirst ? 0 : last);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}

/**
 * Index of the first match of `part`, which may contain `?`, in `name` between two indices. -1 if there is
 * none.
 */
function findGlobPart(name: string, part: string, from: number, to: number): number {
  for (let at = from; at <= to; at += 1)
    if ([...part].every((char, n) => char === '?' || char === name.charAt(at + n))) return at;
  return -1;
}

/** Matches `push`, or `compose down` for the first two arguments that are not options. */
function subcommandMatcher(patterns: readonly string[]): CommandMatcher {
  const likes = patterns.map((pattern) => pattern.split(/\s+/).map((word) => compileWildcards([word])));
  return ({ name, args }) => {
    const words = findPositionalArguments(name ?? '', args);
    const texts = words.map(({ word }) => word);
    return findBestMatchResult(likes, (like) => {
      const first = matchLeadingWords(texts, like);
      if (first !== 'no') return first;
      if (words.slice(0, like.length).every(({ isCertain }) => isCertain)) return 'no';
      // The first word may be the value of an option before it.
      return [1, 2].some((n) => n < texts.length && matchLeadingWords(texts.slice(n), like) !== 'no')
        ? 'maybe'
        : 'no';
    });
  };
}

function matchLeadingWords(words: readonly ShellWord[], likes: readonly WildcardMatcher[]): MatchResult {
  let sum: MatchResult = 'yes';
  for (const [n, like] of likes.entries()) {
    const word = words[n];
    if (!word) return words.some(isUnknownWord) ? combineRequiredMatches(sum, 'maybe') : 'no';
    sum = combineRequiredMatches(sum, matchWord(word, like));
    if (sum === 'no') break;
  }
  return sum;
}

function matchWord(word: ShellWord, like: WildcardMatcher): MatchResult {
  if (word.text !== null && like(word.text)) return 'yes';
  return isUnknownWord(word) ? 'maybe' : 'no';
}

/** Whether the word is unknown. */
function isUnknownWord({ text }: ShellWord): boolean {
  return text === null;
}

/**
 * Whether an unknown word may be an option: a variable named for options, or composed text. Other variables,
 * file names and program output are values.
 */
function isPossiblyOption({ text, unknown }: ShellWord): boolean {
  return text === null && (unknown === 'options' || unknown === 'computed');
}

/** Commands whose long options have one dash, so that `-delete` is not `-d -e -l …`. */
const SINGLE_DASH_LONG_OPTIONS = new Set([
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
const VALUE_OPTION_LETTERS: Readonly<Record<string, string>> = {
  git: 'mCcFo',
  curl: 'XHdoAubeFmT',
  tar: 'fC',
  ssh: 'ilpoFJ',
  docker: 'vpew',
  kubectl: 'nfl',
};

/** Whether a command has an option: in a cluster, with a value, or abbreviated as `getopt_long` allows. */
function hasFlag({ name, args, implied }: SimpleCommand, flag: string): MatchResult {
  const like = flag.includes('*') ? compileWildcards([flag]) : null;
  const same = equivalentOptions(name ?? '', args, flag);
  let sum: MatchResult = implied.some(({ text }) => text !== null && same.includes(text)) ? 'yes' : 'no';
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
          : findBestMatchResult(same, (one) => matchFlag(text, one, name ?? ''));
    if (found === 'yes') return 'yes';
    if (found === 'maybe' || isPossiblyFlag(word, flag)) sum = 'maybe';
  }
  return sum;
}

/** Options with the same meaning, by command or by command and subcommand. */
const EQUIVALENT_OPTIONS: Readonly<Record<string, readonly (readonly string[])[]>> = {
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

function equivalentOptions(name: string, args: readonly ShellWord[], flag: string): readonly string[] {
  const subcommand = findPositionalArguments(name, args)[0]?.word.text ?? '';
  for (const key of [name, `${name} ${subcommand}`]) {
    const groups = Object.hasOwn(EQUIVALENT_OPTIONS, key) ? EQUIVALENT_OPTIONS[key] : undefined;
    const group = groups?.find((options) => options.includes(flag));
    if (group) return group;
  }
  return [flag];
}

function matchFlag(text: string, flag: string, name: string): MatchResult {
  if (text === flag || text.startsWith(`${flag}=`)) return 'yes';
  if (flag.startsWith('--')) {
    const word = text.split('=', 1)[0] ?? '';
    return word.length > 3 && flag.startsWith(word) ? 'maybe' : 'no';
  }
  if (!/^-\w$/.test(flag) || !/^-\w./.test(text) || SINGLE_DASH_LONG_OPTIONS.has(name)) return 'no';
  const values = Object.hasOwn(VALUE_OPTION_LETTERS, name) ? (VALUE_OPTION_LETTERS[name] ?? '') : '';
  for (const letter of text.slice(1)) {
    if (`-${letter}` === flag) return 'yes';
    if (values.includes(letter) || !/\w/.test(letter)) break;
  }
  return 'no';
}

/** Whether an unknown word may be this option. False if its known prefix differs. */
function isPossiblyFlag(word: ShellWord, flag: string): boolean {
  if (!isUnknownWord(word)) return false;
  return word.prefix === ''
    ? isPossiblyOption(word)
    : word.prefix.startsWith('-') && (flag.startsWith(word.prefix) || !word.prefix.startsWith('--'));
}

function argumentMatcher(patterns: readonly string[]): CommandMatcher {
  const like = compileWildcards(patterns);
  return ({ args }) =>
    findBestMatchResult(args, (word) => {
      if (word.text !== null && like(word.text)) return 'yes';
      if (word.prefix === '' && !isPossiblyOption(word)) return 'no';
      return isUnknownWord(word) && patterns.some((pattern) => canMatchPattern(word.prefix, pattern))
        ? 'maybe'
        : 'no';
    });
}

/** Returns whether a string with this prefix can match the pattern. */
function canMatchPattern(prefix: string, pattern: string): boolean {
  const head = pattern.split('*', 1)[0] ?? '';
  const shorter = Math.min(head.length, prefix.length);
  return head.slice(0, shorter).toLowerCase() === prefix.slice(0, shorter).toLowerCase();
}

/**
 * Returns the text of words for use in conditions. A word that is known only at run time becomes an empty
 * string.
 */
export function toConditionWords(args: readonly ShellWord[]): string[] {
  return args.map(({ text }) => text ?? '');
}
