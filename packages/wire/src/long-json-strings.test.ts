import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { isJsonObject, type Json, type JsonObject, parseJsonExactly } from '@floe/contract/json';
import fc from 'fast-check';
import { hasDuplicateMembers } from './duplicate-member-names.ts';
import { scanJsonObject } from './json-edits.ts';
import { findLongJsonStrings, LongJsonStrings, stringifyWithLongStrings } from './long-json-strings.ts';

const runs = process.env.FLOE_TEST_FULL === '1' ? 5_000 : 300;

function read(text: string) {
  const body = Buffer.from(text);
  const members = scanJsonObject(body);
  const value = parseJsonExactly(text);
  assert.ok(isJsonObject(value));
  return { members, value, longStrings: findLongJsonStrings(body, members, value) };
}

/** The source text of a string, long enough to be found, in one of several spellings. */
const longSource = fc
  .tuple(
    fc.constantFrom('a', 'é', '日', '😀', '\\n', '\\"', '\\u00e9', '\\ud83d', '\\/'),
    fc.constantFrom(600, 600, 601, 5_000),
    fc.constantFrom('', 'x', 'y', '\\u0078'),
  )
  .map(([piece, count, end]) => `"${piece.repeat(count)}${end}"`);
const shortSource = fc.constantFrom('"b"', '""', '"\\u0062"', '1.10', '12345678901234567890', 'true', 'null');
const { source } = fc.letrec<{ source: string; array: string; object: string }>((tie) => ({
  source: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: longSource },
    shortSource,
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('source'), { maxLength: 4 }).map((entries) => `[${entries.join(' , ')}]`),
  object: fc
    .uniqueArray(
      fc.tuple(
        fc.oneof(fc.constantFrom('"text"', '"a"', '"__proto__"', '"7"', '"\\u0063"'), longSource),
        tie('source'),
      ),
      { selector: ([name]) => name, maxLength: 4 },
    )
    .map((members) => `{${members.map(([name, value]) => `${name}: ${value}`).join(',')}}`),
}));

test('the result is the same JSON as that of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.array(source, { minLength: 1, maxLength: 5 }), (entries) => {
      const { members, value, longStrings } = read(`{"entries":[${entries.join(',')}]}`);
      fc.pre(!hasDuplicateMembers(value, members.memberCount));
      const written = stringifyWithLongStrings(value, longStrings).toString('utf8');
      assert.equal(JSON.stringify(parseJsonExactly(written)), JSON.stringify(value));
    }),
    { numRuns: runs },
  );
});

test('long strings keep their bytes, also at another place and twice', () => {
  const text = `"${'\\u00e9\\/'.repeat(1_000)}"`;
  const { value, longStrings } = read(`{"messages":[{"role":"user","content":${text}}]}`);
  const content = contentOf(value);
  const body = stringifyWithLongStrings({ system: content, input: [content, 'short'] }, longStrings);
  assert.equal(body.toString(), `{"system":${text},"input":[${text},"short"]}`);
});

test('a long string that changed is written as usual', () => {
  const { value, longStrings } = read(`{"messages":[{"content":"${'a'.repeat(9_000)}"}]}`);
  const changed = `${contentOf(value)}!`;
  assert.equal(stringifyWithLongStrings({ changed }, longStrings).toString(), JSON.stringify({ changed }));
});

test('a name that is an integer, and a body of other values, are written as usual', () => {
  const long = `"${'\\u0061'.repeat(2_000)}"`;
  for (const body of [
    `{"b":${long},"2":"x","1":"y"}`,
    `{"text":${long},"rest":[${'1,'.repeat(9_000)}1]}`,
    '{"text":"a"}',
  ]) {
    const { value, longStrings } = read(body);
    assert.ok(longStrings.isEmpty, body.slice(0, 20));
    assert.equal(stringifyWithLongStrings(value, longStrings).toString(), JSON.stringify(value));
  }
});

test('many different strings of one length are compared with a few', () => {
  const strings = new LongJsonStrings();
  for (let n = 0; n < 100; n++) strings.add(`${'x'.repeat(600)}${n + 100}`, Buffer.from(`"${n}"`));
  const found = Array.from({ length: 100 }, (_, n) => strings.findBytes(`${'x'.repeat(600)}${n + 100}`));
  assert.equal(found.filter((bytes) => bytes !== undefined).length, 8);
});

function contentOf(value: JsonObject): string {
  const [message]: readonly Json[] = Array.isArray(value['messages']) ? value['messages'] : [];
  assert.ok(message !== undefined && isJsonObject(message) && typeof message['content'] === 'string');
  return message['content'];
}
