import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { editJsonMembers, scanJsonObject } from './json-edits.ts';

const changed = (text: string, changes: Record<string, string | null>) => {
  const body = Buffer.from(text);
  return editJsonMembers(body, scanJsonObject(body), new Map(Object.entries(changes))).toString('utf8');
};

test('members go, change and join; the values of all others keep their bytes and their order', () => {
  const text = '{ "a" : 1e2,\n"b":[ 1,  2 ] , "c" : "\\u00e9" }';
  assert.equal(changed(text, { a: null }), '{"b":[ 1,  2 ],"c":"\\u00e9"}');
  assert.equal(changed(text, { b: 'true', d: '{}' }), '{"a":1e2,"b":true,"c":"\\u00e9","d":{}}');
  assert.equal(changed(text, { a: null, b: null, c: null, absent: null }), '{}');
  assert.equal(changed('{}', { x: '1' }), '{"x":1}');
});

test('whatever the body and the changes, the meaning is that of the same changes to the parsed object', () => {
  const value = fc.jsonValue();
  const members = fc.dictionary(fc.constantFrom('a', 'b', 'model', 'stream', 'é'), value);
  const changes = fc.dictionary(fc.constantFrom('a', 'model', 'new'), fc.option(value));
  fc.assert(
    fc.property(members, changes, fc.nat(3), (object, edits, space) => {
      const texts = Object.fromEntries(
        Object.entries(edits).map(([name, to]) => [name, to === null ? null : JSON.stringify(to)]),
      );
      const expected = new Map(Object.entries(object));
      for (const [name, to] of Object.entries(edits))
        to === null ? expected.delete(name) : expected.set(name, to);
      const got: unknown = JSON.parse(changed(JSON.stringify(object, null, space), texts));
      assert.deepEqual(got, JSON.parse(JSON.stringify(Object.fromEntries(expected))));
    }),
    { numRuns: 300 },
  );
});
