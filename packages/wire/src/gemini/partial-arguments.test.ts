import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import type { ResponseEvent } from '../response-events.ts';
import { PartialArgumentsBuilder } from './partial-arguments.ts';
import { createResponseReader } from './response-reader.ts';

/** Returns the arguments with `value` at this path, or null if the path is not supported. */
function build(jsonPath: string): JsonObject | null {
  const builder = new PartialArgumentsBuilder();
  const isSupported = builder.add([{ jsonPath, stringValue: 'V' }]);
  return isSupported ? JSON.parse(builder.text) : null;
}

test('names in both kinds of quotes, with escapes', () => {
  for (const [path, expected] of [
    ['$.a', { a: 'V' }],
    ['$.a.b[0]', { a: { b: ['V'] } }],
    [`$['a b']["c d"]`, { 'a b': { 'c d': 'V' } }],
    [`$['it\\'s']`, { "it's": 'V' }],
    [`$["say \\"x\\""]`, { 'say "x"': 'V' }],
    [`$['a"b\\\\c\\u00e9']`, { 'a"b\\cé': 'V' }],
    [`$['a.b[0]']`, { 'a.b[0]': 'V' }],
  ] as const)
    assert.deepEqual(build(path), expected, path);
});

test('a path that is not supported is not applied in part', () => {
  for (const path of ['', '$', 'a', '$..a', '$.a[*]', '$.a[-1]', `$['a`, `$["\\x"]`, `$${'.a'.repeat(600)}`])
    assert.equal(build(path), null, path.slice(0, 20));
});

test('an argument with an unsupported path is reported as lost', () => {
  const events: ResponseEvent[] = [];
  const reader = createResponseReader((event) => events.push(event), { id: 'X' });
  const partialArgs = [{ jsonPath: '$.a[*]', stringValue: 'V' }];
  const parts = [{ functionCall: { name: 'f', willContinue: true, partialArgs } }, { functionCall: {} }];
  reader.read({
    event: '',
    data: JSON.stringify({ candidates: [{ content: { parts }, finishReason: 'STOP' }] }),
  });
  reader.end();
  assert.ok(events.some((event) => event.type === 'dropped' && event.field === 'functionCall.partialArgs'));
});
