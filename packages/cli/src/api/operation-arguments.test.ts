import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiOperation, listPathParameterNames, loadApiOperations } from './api-operations.ts';
import { BUILT_IN_OPERATION_OPTIONS, parseOperationArguments, toOptionName } from './operation-arguments.ts';

function bodyOf(operation: ApiOperation, args: readonly string[]): Record<string, unknown> {
  const places = listPathParameterNames(operation).map(() => 'x');
  return JSON.parse(parseOperationArguments(operation, [...places, ...args]).body ?? 'null');
}

const operations = Object.values(loadApiOperations()).flatMap((verbs) => Object.values(verbs));

test('every list of names takes one name, commas and repetition', () => {
  let lists = 0;
  for (const operation of operations)
    for (const [name, { kind, in: where }] of Object.entries(operation.takes)) {
      if ((kind !== 'texts' && kind !== 'entries') || where === 'query') continue;
      lists += 1;
      const option = `--${toOptionName(name)}`;
      assert.deepEqual(bodyOf(operation, [option, 'a/b'])[name], ['a/b'], operation.path);
      assert.deepEqual(
        bodyOf(operation, [option, 'a,b', option, 'c'])[name],
        ['a', 'b', 'c'],
        operation.path,
      );
    }
  assert.ok(lists > 10);
});

test('every field says what it is for, and none is read-only', () => {
  const readOnly = new Set([
    'created_at',
    'updated_at',
    'created_by',
    'updated_by',
    'source',
    'last_beat_at',
  ]);
  for (const { method, path, takes } of operations)
    for (const [name, { does = '', in: where }] of Object.entries(takes)) {
      assert.notEqual(does, '', `${method} ${path} ${name}`);
      if (where !== 'query') assert.ok(!readOnly.has(name), `${method} ${path} ${name}`);
    }
  assert.equal(loadApiOperations()['routes']?.['create']?.takes['id'], undefined);
  assert.equal(loadApiOperations()['monitors']?.['replace']?.takes['status'], undefined);
  assert.ok(loadApiOperations()['relay-rules']?.['create']?.takes['decision']);
});

test('no field has the name of an option that every operation has', () => {
  for (const { path, takes } of operations)
    for (const name of Object.keys(takes))
      assert.ok(!Object.hasOwn(BUILT_IN_OPERATION_OPTIONS, toOptionName(name)), `${path} ${name}`);
});

test('a text that may also be an object is taken as it is', () => {
  const create = loadApiOperations()['relay-rules']?.['create'];
  assert.ok(create);
  assert.equal(create.takes['message']?.kind, 'text_or_json');
  assert.deepEqual(bodyOf(create, ['--message', 'Ask "ops" first'])['message'], 'Ask "ops" first');
  assert.deepEqual(bodyOf(create, ['--message', '{"user":"a"}'])['message'], { user: 'a' });
  assert.throws(() => bodyOf(create, ['--message', '{user: a}']), /--message must be JSON/);
});

test('flags have an opposite, and may have a value', () => {
  const update = loadApiOperations()['routes']?.['update'];
  assert.ok(update);
  for (const args of [['--no-enabled'], ['--enabled', 'false'], ['--enabled=false']])
    assert.deepEqual(bodyOf(update, args), { enabled: false });
  for (const args of [
    ['--enabled'],
    ['--enabled', 'true'],
    ['--enabled=true'],
    ['--enabled', '--unset', 'x'],
  ])
    assert.equal(bodyOf(update, args)['enabled'], true);
  assert.throws(() => bodyOf(update, ['--enabled', 'yes']), /Unexpected argument "yes"/);
  assert.throws(() => bodyOf(update, ['--enabled=yes']), /--enabled takes no value/);
});

test('targets of a route are named as they are, or with their weights in JSON', () => {
  const create = loadApiOperations()['routes']?.['create'];
  assert.ok(create);
  const targets = (...given: string[]) =>
    bodyOf(
      create,
      given.flatMap((one) => ['--targets', one]),
    )['targets'];
  const heavy = { model: 'local/large', weight: 3 };
  assert.deepEqual(targets('local/large'), ['local/large']);
  assert.deepEqual(targets(JSON.stringify(heavy), 'local/small'), [heavy, 'local/small']);
  assert.deepEqual(targets(JSON.stringify([heavy, 'local/small'])), [heavy, 'local/small']);
  assert.throws(() => targets('[local/large'), /--targets must be JSON/);
});
