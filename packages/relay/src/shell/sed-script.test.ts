import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSedEffects } from './sed-script.ts';

test('the command e is found after every form of address', () => {
  for (const address of [
    '',
    '1',
    '$',
    '1,3',
    '1~2',
    '0,/a/',
    '/a/,+2',
    '/a/I',
    '\\,a,',
    '/[/]/',
    '/a/ ! ',
    '{;',
  ])
    assert.deepEqual(findSedEffects(`${address}e rm x`).commands, ['rm x'], address);
});

test('the command e is found after every other command', () => {
  for (const before of [
    'p',
    's/a\\/b/c/g',
    's|[|]|c|',
    'y/[/]/',
    'b end',
    ':a',
    'q5',
    '$!N',
    '}',
    'i\\\nb\\\nc',
    'r f',
    '#',
  ])
    for (const end of [';', '\n'])
      if (end === '\n' || /^(?:[^ir#]|$)/.test(before))
        assert.deepEqual(findSedEffects(`${before}${end}e rm x`).commands, ['rm x'], before);
});

test('text, expressions, file names and comments are not commands', () => {
  for (const script of ['i\\\ne a', 'a e b', 's/e a/e b/', '/e a/d', 's/a/b/w e', 'w e', '# e a', 'y/e /ab/'])
    assert.deepEqual(findSedEffects(script), {
      commands: [],
      reads: [],
      writes: /w e/.test(script) ? ['e'] : [],
      runsLines: false,
      runsChangedLines: false,
    });
});

test('an empty e, the flag e, and files are reported', () => {
  assert.equal(findSedEffects('1e').runsLines, true);
  for (const script of ['s/a/b/e', 's,a,b,2ge', 'sxaxbxe;p', 's/[/]/b/e'])
    assert.equal(findSedEffects(script).runsChangedLines, true, script);
  assert.deepEqual(findSedEffects('1r.env\n/a/R f').reads, ['.env', 'f']);
  assert.deepEqual(findSedEffects('w a\nW b;p\ns/x/y/gpw c').writes, ['a', 'b;p', 'b', 'c']);
});
