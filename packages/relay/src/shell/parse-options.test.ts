import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OptionSyntax, parseCommandOptions } from './parse-options.ts';
import { createLiteralWord, type ShellWord } from './shell-word.ts';

const SYNTAX: OptionSyntax = {
  values: 'feW',
  attached: 'i',
  long: { '--file': 'f', '--filter': 'e', '--in-place': 'i' },
  longPrefix: 'W',
};
const PLACE = { start: 0, end: 0 };
const unknown = (prefix: string): ShellWord => ({
  ...createLiteralWord(prefix, PLACE),
  text: null,
  pattern: `${prefix}\uE000`,
});

function parsed(args: readonly (string | ShellWord)[], syntax = SYNTAX): string {
  const words = args.map((one) => (typeof one === 'string' ? createLiteralWord(one, PLACE) : one));
  const { options, operands } = parseCommandOptions(words, syntax);
  const given = options.map(({ letter, value }) => (value ? `${letter}=${value.text ?? '?'}` : letter));
  return [...given, '|', ...operands.map(({ text }) => text ?? '?')].join(' ');
}

test('short options take values from the same word or the next, also in clusters', () => {
  assert.equal(parsed(['-nf', 'x', '-ex', '-nfe', 'y']), 'n f=x e=x n f=e | y');
  assert.equal(parsed(['-i', 'x']), 'i | x');
  assert.equal(parsed(['-nif', 'x']), 'n i=f | x');
  assert.equal(parsed(['-f']), 'f |');
});

test('long options can be abbreviated, and a full name is not an abbreviation of another', () => {
  assert.equal(parsed(['--file=x', '--file', 'y', '--filt', 'z']), 'f=x f=y e=z |');
  assert.equal(parsed(['--in', 'x']), 'i | x');
  assert.equal(parsed(['--unlisted', 'x']), '| x');
  assert.equal(parsed(['-W', 'file=x', '-Wfile', 'y']), 'f=x f=y |');
});

test('options end at "--", at the first operand, and after the last option', () => {
  assert.equal(parsed(['-n', '--', '-f', 'x']), 'n | -f x');
  assert.equal(parsed(['x', '-f', 'y']), '| x -f y');
  assert.equal(parsed(['x', '-f', 'y', '-'], { ...SYNTAX, permutes: true }), 'f=y | x -');
  assert.equal(parsed(['-f', 'x', '-e', 'y'], { ...SYNTAX, last: 'f' }), 'f=x | -e y');
});

test('options are found next to words that are not known', () => {
  assert.equal(parsed([unknown(''), '-f', 'x', 'y', '-n']), 'f=x | ? y -n');
  assert.equal(parsed([unknown('-f'), 'x']), 'f=? | x');
  assert.equal(parsed([unknown('--file='), unknown('-n'), 'x']), 'f=? n | x');
});
