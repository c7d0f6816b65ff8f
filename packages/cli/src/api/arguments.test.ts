import assert from 'node:assert/strict';
import { test } from 'node:test';
import { optionOf, read } from './arguments.ts';
import { type Operation, positionsOf, readOperations } from './operations.ts';

function bodyOf(operation: Operation, args: readonly string[]): Record<string, unknown> {
  const places = positionsOf(operation).map(() => 'x');
  return JSON.parse(read(operation, [...places, ...args]).body ?? 'null');
}

const operations = Object.values(readOperations()).flatMap((verbs) => Object.values(verbs));

test('every list of names takes one name, commas and repetition', () => {
  let lists = 0;
  for (const operation of operations)
    for (const [name, { kind, in: where }] of Object.entries(operation.takes)) {
      if ((kind !== 'texts' && kind !== 'entries') || where === 'query') continue;
      lists += 1;
      const option = `--${optionOf(name)}`;
      assert.deepEqual(bodyOf(operation, [option, 'a/b'])[name], ['a/b'], operation.path);
      assert.deepEqual(
        bodyOf(operation, [option, 'a,b', option, 'c'])[name],
        ['a', 'b', 'c'],
        operation.path,
      );
    }
  assert.ok(lists > 10);
});

test('targets of a route are named as they are, or with their weights in JSON', () => {
  const create = readOperations()['routes']?.['create'];
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
