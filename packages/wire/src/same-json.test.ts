import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseJsonExactly } from '@floe/contract/json';
import { CLIENT_DIALECTS } from './dialects.ts';
import { isJsonObject } from './json-narrowing.ts';
import { isSameJson } from './same-json.ts';

test('two notations of a JSON value are the same value', () => {
  for (const [one, other] of [
    ['"a\\u0062"', '"ab"'],
    ['1', '1.0'],
    ['1200', '1.2e3'],
    ['0.012', '12E-3'],
    ['-0', '0.00'],
    ['1e400', '10e399'],
    ['{"a":1,"b":[{"c":"\\u002f"}]}', '{"b":[{"c":"/"}],"a":1.00}'],
  ] as const)
    assert.ok(isSameJson(parseJsonExactly(one), parseJsonExactly(other)), `${one} and ${other}`);
});

test('different JSON values are not the same value', () => {
  for (const [one, other] of [
    ['9007199254740992', '9007199254740993'],
    ['1', '-1'],
    ['10', '1'],
    ['1', '"1"'],
    ['null', 'false'],
    ['[1,2]', '[2,1]'],
    ['[]', '{}'],
    ['{"a":null}', '{"b":null}'],
    ['{"a":1}', '{"a":1,"b":2}'],
  ] as const)
    assert.ok(!isSameJson(parseJsonExactly(one), parseJsonExactly(other)), `${one} and ${other}`);
  assert.ok(!isSameJson(undefined, null));
});

test('a long number takes linear time', () => {
  const zeros = '0'.repeat(2_000_000);
  assert.ok(!isSameJson(parseJsonExactly(`1${zeros}1`), parseJsonExactly(`1${zeros}2`)));
});

test('fields with the same meaning and the same value are not reported as dropped, in any notation', () => {
  const tools = (parameters: string) => `[{"name":"f","parameters":${parameters}}]`;
  for (const fields of [
    '"user":"a\\u0062","safety_identifier":"ab"',
    '"max_tokens":64.0,"max_completion_tokens":64',
    `"tools":${tools('{"type":"object","properties":{}}')},"functions":${tools('{"properties":{},"type":"object"}')}`,
  ]) {
    const body = parseJsonExactly(`{"model":"m","messages":[{"role":"user","content":"Hi"}],${fields}}`);
    assert.ok(isJsonObject(body));
    assert.deepEqual(CLIENT_DIALECTS.chat.readRequest(body).dropped, [], fields);
  }
});
