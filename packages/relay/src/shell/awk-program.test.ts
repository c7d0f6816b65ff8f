import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAwkCommands } from './awk-program.ts';

const NONE = { commands: [], pipes: [], included: [], writes: [], isUnclear: false };

test('commands in strings are found with their joined and unescaped text', () => {
  assert.deepEqual(findAwkCommands('BEGIN { system ( "rm \\"x\\"" ) }'), { ...NONE, commands: ['rm "x"'] });
  assert.deepEqual(findAwkCommands('{ system("rm" " -r x") }'), { ...NONE, commands: ['rm -r x'] });
  assert.deepEqual(findAwkCommands('{ "date" | getline d }'), { ...NONE, commands: ['date'] });
});

test('commands that output is printed to are found with the printed string', () => {
  assert.deepEqual(findAwkCommands('{ print "a" | "sh" }'), {
    ...NONE,
    pipes: [{ text: 'a', command: 'sh' }],
  });
  assert.deepEqual(findAwkCommands('{ print $1 |& "sort" }'), {
    ...NONE,
    pipes: [{ text: null, command: 'sort' }],
  });
});

test('commands that the program builds are unclear', () => {
  for (const program of [
    '{ system(c) }',
    '{ c | getline }',
    '{ print | c }',
    '{ system("rm " $1) }',
    '{ @f("rm") }',
  ])
    assert.equal(findAwkCommands(program).isUnclear, true, program);
});

test('strings, expressions, comments and the operator || run nothing', () => {
  for (const program of [
    '{ print $1 "|" $2 }',
    '{ print (a || b) }',
    '/a|b/ { print } # system("x")',
    '$1 ~ /[/|"]/ { print $2 / 3 "|" }',
    '{ getline line < "f" }',
  ])
    assert.deepEqual(findAwkCommands(program), NONE, program);
});

test('included files are found with and without their suffix, and a library in a file is unclear', () => {
  assert.deepEqual(findAwkCommands('@include "a"; @include "b.awk"'), {
    ...NONE,
    included: ['a', 'a.awk', 'b.awk'],
  });
  assert.equal(findAwkCommands('@load "./lib"').isUnclear, true);
  assert.deepEqual(findAwkCommands('@load "readdir"; { print "@load \\"./lib\\"" }'), NONE);
});

test('the files to which a program prints are found', () => {
  for (const program of [
    '{ print > "/etc/x" }',
    '{ printf("%s", $1) >> "/etc" "/x" }',
    '{ print $1, $2>"/etc/x" }',
  ])
    assert.deepEqual(findAwkCommands(program).writes, ['/etc/x'], program);
  assert.deepEqual(findAwkCommands('$1 > "b" { print }; { x = $1 > "c" }').writes, []);
});
