import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatJsonText, parseExactJson } from './body-json.ts';

test('a body is parsed only if this keeps all of its content', () => {
  const kept = ['{"a":[1,-0.5,true,null,{}],"b":"x y"}', ' { "a" : "\\u00e9\\/" }\n', '[]', '[{"10":1}]'];
  for (const text of kept) assert.deepEqual(parseExactJson(text), JSON.parse(text), text);
  const changed = [
    '{"a":12345678901234567890}',
    '{"a":1.0}',
    '{"a":1,"a":2}',
    '{"b":1,"1":2}',
    '{"a"',
    '1',
    '',
  ];
  for (const text of changed) assert.equal(parseExactJson(text), null, text);
});

test('JSON text is indented without a change of its tokens', () => {
  assert.equal(
    formatJsonText('{"a":12345678901234567890,"b":[1.0,{}, []],"a":"x, {y: \\"z"}'),
    '{\n  "a": 12345678901234567890,\n  "b": [\n    1.0,\n    {},\n    []\n  ],\n  "a": "x, {y: \\"z"\n}',
  );
  assert.equal(formatJsonText('{"a": 1.0, "b'), '{"a": 1.0, "b');
  assert.equal(formatJsonText('data: {"a":1}\n\n'), 'data: {"a":1}\n\n');
});
