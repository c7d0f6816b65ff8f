import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import {
  findDuplicateMemberName,
  hasDuplicateMembers,
  parseJsonWithDuplicateMembers,
} from './duplicate-member-names.ts';
import { scanJsonObject } from './json-edits.ts';

test('keeps every value of a repeated name, whatever other names are', () => {
  const cases: readonly [text: string, expected: object][] = [
    ['{"a":1,"a":2}', { 'a (1)': 1, a: 2 }],
    ['{"a":"secret","a":"x","a (1)":"y"}', { 'a (1)*': 'secret', a: 'x', 'a (1)': 'y' }],
    [
      '{"a (1)":"y","a":1,"a":2,"a (2)":3,"a (2)*":4}',
      { 'a (1)': 'y', 'a (2)**': 1, a: 2, 'a (2)': 3, 'a (2)*': 4 },
    ],
    [
      '{"a":1,"a":2,"a":3,"a (1)":4,"a (1)":5}',
      { 'a (1)*': 1, 'a (2)': 2, a: 3, 'a (1) (4)': 4, 'a (1)': 5 },
    ],
    ['{"__proto__":1,"__proto__":2}', JSON.parse('{"__proto__ (1)":1,"__proto__":2}')],
  ];
  for (const [text, expected] of cases)
    assert.deepEqual(parseJsonWithDuplicateMembers(Buffer.from(text)), expected, text);
});

test('the number of members shows whether a parsed body lost one', () => {
  const texts = [
    '{}',
    '{"a":[],"b":null}',
    '{"a":{"b":1,"c":[{"d":{}},[{"e":"f"}]]}}',
    '{"a":{"__proto__":{"a":1}},"b":{"constructor":1}}',
    '{"a":{"b":1,"b":1}}',
    '{"a":[[{"b":{"c":1},"\\u0062":{}}]]}',
    '{"a":{"__proto__":1,"__proto__":2}}',
  ];
  for (const text of texts) {
    const body = Buffer.from(text);
    assert.equal(
      hasDuplicateMembers(JSON.parse(text), scanJsonObject(body).memberCount),
      findDuplicateMemberName(body) !== null,
      text,
    );
  }
});
