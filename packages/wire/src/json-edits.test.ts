import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import fc from 'fast-check';
import {
  applyByteEdits,
  createJsonMemberEdit,
  readBooleanAt,
  readNumberAt,
  readStringAt,
  scanJsonObject,
} from './json-edits.ts';
import { scanObjectAt, scanUnambiguousObjectAt } from './nested-members.ts';

const runs = process.env.FLOE_TEST_FULL === '1' ? 50_000 : 3_000;

const space = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 2 });
const awkwardText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '"', '\\', '\u0000', '\u2028', 'é', '😀', '\ud800', 'x'.repeat(5000)),
);

/** JSON text of a value with white space strewn between its tokens. */
function spaced(value: unknown, gap: () => string): string {
  if (Array.isArray(value))
    return `[${gap()}${value.map((item) => spaced(item, gap) + gap()).join(`,${gap()}`)}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}${gap()}:${gap()}${spaced(item, gap)}${gap()}`,
  );
  return `{${gap()}${members.join(`,${gap()}`)}}`;
}

const objectText = fc
  .tuple(
    fc.dictionary(awkwardText, fc.jsonValue({ depthSize: 'small' })),
    fc.array(space, { minLength: 1, maxLength: 7 }),
  )
  .map(([value, gaps]) => {
    let turn = 0;
    return spaced(value, () => gaps[turn++ % gaps.length] ?? '');
  });

function parsed(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

function faultOf(body: string | Buffer): Fault {
  try {
    scanJsonObject(Buffer.from(body));
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  return assert.fail('nothing was thrown');
}

/** The law: a scan and JSON.parse agree, save for the refusals that the scan makes on purpose. */
function assertAgrees(text: string): void {
  const body = Buffer.from(text);
  const oracle = parsed(body.toString());
  let spans: ReturnType<typeof scanJsonObject>;
  try {
    spans = scanJsonObject(body);
  } catch (error) {
    assert(error instanceof Fault, String(error));
    if (error.code === 'invalid_json') assert.equal(oracle.ok, false, `refused good JSON: ${text}`);
    else assert.equal(oracle.ok, true, `found a meaning in bad JSON: ${text}`);
    return;
  }
  assert(oracle.ok, `accepted bad JSON: ${text}`);
  const value: unknown = oracle.value;
  assert(typeof value === 'object' && value !== null && !Array.isArray(value));
  const read = [...spans].map(([key, span]) => [
    key,
    JSON.parse(body.toString('utf8', span.start, span.end)),
  ]);
  assert.deepEqual(Object.fromEntries(read), Object.fromEntries(Object.entries(value)));
}

describe('scanObject', () => {
  test('gives the spans of well-formed bodies as JSON.parse reads them', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        assertAgrees(text);
        const escapedKey = Object.keys(JSON.parse(text)).some((key) => JSON.stringify(key).includes('\\'));
        if (!escapedKey) assert.doesNotThrow(() => scanJsonObject(Buffer.from(text)));
      }),
      { numRuns: runs },
    );
  });

  test('throws on mutated and truncated bodies exactly when JSON.parse throws', () => {
    const mutation = fc.record({
      at: fc.nat(400),
      remove: fc.nat(3),
      insert: fc.oneof(
        fc.constantFrom(
          '',
          '"',
          '\\',
          ',',
          ':',
          '{',
          '}',
          '[',
          ']',
          '-',
          '0',
          '1',
          '.',
          'e',
          '+',
          '\n',
          '\u0000',
          '\\u12',
        ),
        fc.constantFrom('null', 'tru', '00', '1e5', '-', '\\ud83d', 'é', '\ufeff'),
      ),
    });
    fc.assert(
      fc.property(
        objectText,
        fc.array(mutation, { minLength: 1, maxLength: 2 }),
        fc.nat(3),
        (text, mutations, cut) => {
          let mutated = text;
          for (const { at, remove, insert } of mutations) {
            const from = at % (mutated.length + 1);
            mutated = mutated.slice(0, from) + insert + mutated.slice(from + remove);
          }
          assertAgrees(mutated);
          assertAgrees(mutated.slice(0, Math.max(0, mutated.length - cut)));
        },
      ),
      { numRuns: runs },
    );
  });

  for (const text of [
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":1e}',
    '{"a":-}',
    '{"a":tru}',
    '{"a":"\\x"}',
    '{"a":"\\u00g0"}',
    '{"a":"\n"}',
    '{"a":1,}',
    '{,}',
    '{"a" 1}',
    '{"a":1}}',
    '{"a":[1,]}',
    '{"a":[}',
    "{'a':1}",
    '{"a":"',
    '{"a":1 2}',
    '{"a":nul',
    '{a:1}',
  ])
    test(`refuses ${JSON.stringify(text)} as JSON.parse does`, () => {
      assert.equal(parsed(text).ok, false);
      assert.equal(faultOf(text).code, 'invalid_json');
    });

  for (const text of [
    '{"a":-0.0e-0}',
    '{"a":1E+400}',
    '{"a":"\\ud800"}',
    '{"a":"\\/\\b\\f"}',
    '{"":{}}',
    '\t{ } \r\n',
    '{"a":"\u007f\u2029"}',
  ])
    test(`accepts ${JSON.stringify(text)} as JSON.parse does`, () => {
      assert.equal(parsed(text).ok, true);
      assert.doesNotThrow(() => scanJsonObject(Buffer.from(text)));
    });

  test('says at which byte, line and column a body breaks', () => {
    assert.match(faultOf('{\n  "é": tru\n}').message, /byte 13, line 2, column 11/);
    assert.match(faultOf('{"a":1').message, /byte 6, line 1, column 7/);
    assert.match(faultOf('').message, /empty/);
  });

  test('finds the grammar broken wherever a long string hides the flaw', () => {
    for (let at = 0; at < 24; at++) {
      const text = `{"a":"${'x'.repeat(4200 + at)}\u0001${'y'.repeat(20)}"}`;
      assert.match(faultOf(text).message, new RegExp(`byte ${4206 + at},`));
    }
  });

  test('refuses invalid UTF-8 and names its first byte', () => {
    const fault = faultOf(
      Buffer.concat([Buffer.from('{"a":"é'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')]),
    );
    assert.equal(fault.code, 'invalid_json');
    assert.match(fault.message, /UTF-8 \(byte 8,/);
  });

  test('refuses a byte order mark', () => {
    assert.match(faultOf('\ufeff{}').message, /byte order mark/);
  });

  test('refuses doubled and escape-spelled top-level keys and names them', () => {
    const doubled = faultOf('{"model":"a","x":{"y":1,"y":2},"model":"b"}');
    assert.deepEqual([doubled.code, doubled.detail.param], ['invalid_request', 'model']);
    const spelled = faultOf('{"mod\\u0065l":"a"}');
    assert.deepEqual([spelled.code, spelled.detail.param], ['invalid_request', 'mod\\u0065l']);
  });

  test('refuses keys that a parser that ignores case reads as an enforced member', () => {
    const misspelled: readonly (readonly [key: string, enforced: string])[] = [
      ['Messages', 'messages'],
      ['MAX_TOKENS', 'max_tokens'],
      ['Tools', 'tools'],
      ['Model', 'model'],
      ['me\u017f\u017fages', 'messages'],
      ['max_to\u212aens', 'max_tokens'],
    ];
    for (const [key, enforced] of misspelled) {
      const { code, message } = faultOf(JSON.stringify({ model: 'm', messages: [], [key]: [] }));
      assert.equal(code, 'invalid_request', enforced);
      assert.match(message, new RegExp(`must be spelled "${enforced}"`));
    }
    const other = '{"maxTokens":1,"Temperature_":1,"generationConfig":{"Messages":1},"X":1}';
    assert.doesNotThrow(() => scanJsonObject(Buffer.from(other)));
  });

  test('refuses a root that is not an object, once the whole body is known to be JSON', () => {
    for (const text of ['[]', '"{}"', '1', 'null', '[{"model":"a"}]'])
      assert.equal(faultOf(text).code, 'invalid_request');
    assert.equal(faultOf('[1,').code, 'invalid_json');
  });

  test('accepts 512 levels and refuses 513, and a million without overflowing the stack', () => {
    const nested = (levels: number) => `${'{"a":'}${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    assert.doesNotThrow(() => scanJsonObject(Buffer.from(nested(512))));
    assert.match(faultOf(nested(513)).message, /512 levels/);
    assert.match(faultOf('['.repeat(1_000_000)).message, /512 levels/);
  });
});

describe('reading and splicing', () => {
  const body = Buffer.from(
    '{ "model" : "a\\u0062", "stream":true,"n":-1.5e1,"o":{"x":1,"\\u0079":[2]},"e":{} }',
  );
  const members = scanJsonObject(body);
  const span = (key: string) => members.get(key) ?? assert.fail(key);

  test('reads a member only as the type it has', () => {
    assert.equal(readStringAt(body, span('model')), 'ab');
    assert.equal(readStringAt(body, span('stream')), undefined);
    assert.equal(readBooleanAt(body, span('stream')), true);
    assert.equal(readBooleanAt(body, span('n')), undefined);
    assert.equal(readNumberAt(body, span('n')), -15);
    assert.equal(readNumberAt(body, span('model')), undefined);
  });

  test('walks nested objects, escaped names included', () => {
    const nested = scanObjectAt(body, span('o')) ?? assert.fail();
    assert.deepEqual([...nested.keys()], ['x', 'y']);
    assert.equal(readNumberAt(body, nested.get('x') ?? assert.fail()), 1);
    assert.equal(scanObjectAt(body, span('n')), undefined);
    assert.equal(scanObjectAt(body, span('e'))?.size, 0);
  });

  test('refuses a nested object with a doubled key, however it is spelled', () => {
    const text = Buffer.from('{"metadata":{"user_id":"a","user\\u005fid":"b"}}');
    const metadata = scanJsonObject(text).get('metadata') ?? assert.fail();
    assert.throws(() => scanUnambiguousObjectAt(text, metadata), {
      code: 'invalid_request',
      detail: { param: 'user_id' },
    });
  });

  test('replaces and inserts at every level, and keeps every other byte', () => {
    const nested = scanObjectAt(body, span('o')) ?? assert.fail();
    const empty = scanObjectAt(body, span('e')) ?? assert.fail();
    const edits = [
      createJsonMemberEdit({ body, members }, 'seed', '7'),
      createJsonMemberEdit({ body, members }, 'model', '"é"'),
      createJsonMemberEdit({ body, members: nested }, 'new', 'true', span('o')),
      createJsonMemberEdit({ body, members: empty }, 'only', 'null', span('e')),
    ];
    assert.equal(
      applyByteEdits(body, edits).toString(),
      '{"seed":7, "model" : "é", "stream":true,"n":-1.5e1,"o":{"new":true,"x":1,"\\u0079":[2]},"e":{"only":null} }',
    );
    assert.equal(
      applyByteEdits(Buffer.from(' {} '), [
        createJsonMemberEdit({ body: Buffer.from(' {} '), members: new Map() }, 'a', '1'),
      ]).toString(),
      ' {"a":1} ',
    );
  });

  test('setting a member of any body equals setting it in the parsed value', () => {
    fc.assert(
      fc.property(objectText, fc.constantFrom('model', 'a', ''), awkwardText, (text, key, value) => {
        const bytes = Buffer.from(text);
        const oracle: unknown = JSON.parse(text);
        if (Object.keys(Object(oracle)).some((name) => JSON.stringify(name).includes('\\'))) return;
        const edit = createJsonMemberEdit(
          { body: bytes, members: scanJsonObject(bytes) },
          key,
          JSON.stringify(value),
        );
        const out = applyByteEdits(bytes, [edit]);
        assert.deepEqual(JSON.parse(out.toString()), { ...Object(oracle), [key]: value });
        assert(out.subarray(0, edit.start).equals(bytes.subarray(0, edit.start)));
        assert(out.subarray(out.length - (bytes.length - edit.end)).equals(bytes.subarray(edit.end)));
      }),
      { numRuns: runs },
    );
  });

  test('refuses edits that overlap, go backwards or leave the body', () => {
    const at = (start: number, end: number) => ({ start, end, text: '' });
    assert.throws(() => applyByteEdits(body, [at(4, 8), at(6, 9)]), /sorted/);
    assert.throws(() => applyByteEdits(body, [at(4, 2)]), /sorted/);
    assert.throws(() => applyByteEdits(body, [at(0, body.length + 1)]), /inside/);
  });
});
