import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalizeJsonObject } from './canonical-json.ts';

const NOTHING: ReadonlySet<string> = new Set();
const RUNS = process.env['FLOE_TEST_FULL'] ? 20_000 : 500;
const canonical = (text: string, without = NOTHING) => canonicalizeJsonObject(Buffer.from(text), without);
const object = fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false }), {
  noNullPrototype: true,
});

test('the order of members, white space and the spelling of strings make no difference', () => {
  fc.assert(
    fc.property(object, fc.integer({ min: 0, max: 4 }), (value, indent) => {
      const plain = JSON.stringify(value);
      const other = JSON.stringify(turned(value), null, indent).replace(/[a-z]/g, (letter, at, text) =>
        // Only letters within strings may be spelled as escapes; those of true, false and null are not.
        text[at - 1] === '"' ? `\\u00${letter.charCodeAt(0).toString(16)}` : letter,
      );
      assert.deepEqual(JSON.parse(other), JSON.parse(plain));
      assert.equal(canonical(other), canonical(plain));
    }),
    { numRuns: RUNS },
  );
});

test('what means something else has another text', () => {
  fc.assert(
    fc.property(object, object, (one, other) => {
      const same = canonical(JSON.stringify(one)) === canonical(JSON.stringify(other));
      assert.equal(same, JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)));
    }),
    { numRuns: RUNS },
  );
  // Numbers that one parser rounds to the same and another does not.
  assert.notEqual(canonical('{"seed":12345678901234567890}'), canonical('{"seed":12345678901234567891}'));
  assert.notEqual(canonical('{"a":[1,2]}'), canonical('{"a":[2,1]}'));
  assert.notEqual(canonical('{"a":"1"}'), canonical('{"a":1}'));
});

test('a nested object that says a member twice has no text, however the name is spelled', () => {
  assert.equal(canonical('{"a":{"b":1,"b":1}}'), null);
  assert.equal(canonical('{"a":[{"b":1,"\\u0062":2}]}'), null);
  assert.equal(canonical('{"a":[{"b":1},{"b":2}]}'), '{"a":[{"b":1},{"b":2}]}');
});

test('members that are left out are so at the top alone', () => {
  const text = canonical(
    '{"stream":true,"tools":[{"stream":1}],"\\u0073tream_options":{}}',
    new Set(['stream', 'stream_options']),
  );
  assert.equal(text, '{"tools":[{"stream":1}]}');
});

/** The same value with the members of every object in the opposite order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, inner]) => [name, turned(inner)]),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([name, inner]): [string, unknown] => [name, sorted(inner)])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
