import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { type CanonicalResponse, ResponseAccumulator } from '../canonical-response.ts';
import type { ResponseReadOptions } from '../dialect.ts';
import { JsonEndFinder } from '../json-end-finder.ts';
import { createResponseReader, readCompleteResponse } from './response-reader.ts';

const OPTIONS: ResponseReadOptions = { id: 'X' };

function read(chunks: readonly JsonObject[]): CanonicalResponse {
  const fold = new ResponseAccumulator();
  const reader = createResponseReader((event) => fold.add(event), OPTIONS);
  for (const chunk of chunks) reader.read({ event: 'message', data: JSON.stringify(chunk) });
  reader.end();
  return fold.answer;
}

const delta = (value: JsonObject, finish: string | null = null): JsonObject => ({
  choices: [{ index: 0, delta: value, finish_reason: finish }],
});
const call = (entry: JsonObject): JsonObject => delta({ tool_calls: [entry] });
const callsOf = (answer: CanonicalResponse): unknown[] =>
  answer.blocks.flatMap((block) => (block.kind === 'tool' ? [[block.id, block.name, block.text]] : []));

describe('tool calls, however the host marks them', () => {
  test('an id that comes in a later delta', () => {
    const answer = read([
      call({ index: 0, function: { name: 'f', arguments: '' } }),
      call({ index: 0, id: 'call_1', function: { arguments: '{"a":1}' } }),
      delta({}, 'tool_calls'),
    ]);
    assert.deepEqual(callsOf(answer), [['call_1', 'f', '{"a":1}']]);
  });

  test('the same index with a new id is a new call', () => {
    const answer = read([
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
      call({ index: 0, id: 'b', function: { name: 'g', arguments: '{}' } }),
      delta({}, 'tool_calls'),
    ]);
    assert.deepEqual(callsOf(answer), [
      ['a', 'f', '{}'],
      ['b', 'g', '{}'],
    ]);
  });

  test('the same id at a new index is the same call', () => {
    const answer = read([
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x":' } }),
      call({ index: 1, id: 'a', function: { arguments: '1}' } }),
      delta({}, 'tool_calls'),
    ]);
    assert.deepEqual(callsOf(answer), [['a', 'f', '{"x":1}']]);
  });

  test('a name repeated in every delta counts once', () => {
    const answer = read([
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x"' } }),
      call({ index: 0, id: 'a', function: { name: 'f', arguments: ':1}' } }),
      delta({}, 'stop'),
    ]);
    assert.deepEqual(callsOf(answer), [['a', 'f', '{"x":1}']]);
    assert.equal(answer.finish?.reason, 'tool');
  });

  test('a name in several deltas is one name', () => {
    const cases: readonly (readonly JsonObject[])[] = [
      [
        { index: 0, id: 'a', function: { name: 'get_', arguments: '' } },
        { index: 0, function: { name: 'weather', arguments: '' } },
        { index: 0, function: { name: '', arguments: '{"x":' } },
        { index: 0, function: { arguments: '1}' } },
      ],
      [
        { index: 0, id: 'a', function: { name: 'get_' } },
        { index: 0, id: 'a', function: { name: 'weather' } },
        { index: 0, id: 'a', function: { arguments: '{"x":1}' } },
      ],
      [
        { index: 0, id: 'a', function: { name: 'get_' } },
        { index: 0, id: 'a', function: { name: 'get_weather', arguments: '{"x":1}' } },
      ],
      [
        { index: 0, function: { name: 'get_' } },
        { index: 0, function: { name: 'weather', arguments: '{"x":' } },
        { index: 0, id: 'a', function: { arguments: '1}' } },
      ],
    ];
    for (const entries of cases) {
      const answer = read([...entries.map(call), delta({}, 'tool_calls')]);
      assert.deepEqual(callsOf(answer), [['a', 'get_weather', '{"x":1}']]);
    }
    const legacy = [{ name: 'get_' }, { name: 'weather' }, { arguments: '{}' }].map((piece) =>
      delta({ function_call: piece }),
    );
    assert.deepEqual(callsOf(read([...legacy, delta({}, 'function_call')])), [
      ['floecall_X_0', 'get_weather', '{}'],
    ]);
  });

  test('calls without arguments keep their order', () => {
    const answer = read([
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
      call({ index: 1, id: 'b', function: { name: 'g', arguments: '{}' } }),
      delta({}, 'tool_calls'),
    ]);
    assert.deepEqual(callsOf(answer), [
      ['a', 'f', ''],
      ['b', 'g', '{}'],
    ]);
  });

  test('complete calls without index and id get different generated ids', () => {
    const one = { function: { name: 'f', arguments: '{"x":1}' } };
    const answer = read([call(one), call(one), delta({}, 'tool_calls')]);
    assert.deepEqual(callsOf(answer), [
      ['floecall_X_0', 'f', '{"x":1}'],
      ['floecall_X_1', 'f', '{"x":1}'],
    ]);
  });

  test('a call with the id or index of a complete call is another call with its own id', () => {
    const f = { name: 'f', arguments: '{"x":1}' };
    const g = { name: 'g', arguments: '{"y":1}' };
    const ids = ['a', 'floecall_X_1'];
    const cases: readonly [JsonObject, JsonObject, readonly string[]][] = [
      [{ index: 0, id: 'a' }, { index: 1, id: 'a' }, ids],
      [{ index: 0, id: 'a' }, { index: 0, id: 'a' }, ids],
      [{ id: 'a' }, { id: 'a' }, ids],
      [{ index: 0, id: '' }, { index: 0, id: '' }, ['floecall_X_0', 'floecall_X_1']],
    ];
    for (const [one, other, expected] of cases) {
      const entries = [
        { ...one, function: f },
        { ...other, function: g },
      ];
      const message = { choices: [{ message: { tool_calls: entries }, finish_reason: 'tool_calls' }] };
      for (const answer of [
        read([...entries.map(call), delta({}, 'tool_calls')]),
        readCompleteResponse(message, OPTIONS),
      ])
        assert.deepEqual(callsOf(answer), [
          [expected[0], 'f', '{"x":1}'],
          [expected[1], 'g', '{"y":1}'],
        ]);
    }
  });

  test('calls with one id and no arguments stay separate', () => {
    const entries = ['f', 'g'].map((name) => ({ id: 'a', function: { name, arguments: '' } }));
    const answer = read([...entries.map(call), delta({}, 'tool_calls')]);
    assert.deepEqual(callsOf(answer), [
      ['a', 'f', ''],
      ['floecall_X_1', 'g', ''],
    ]);
  });

  test('a complete call that is sent again counts once', () => {
    const one = { index: 0, id: 'a', function: { name: 'f', arguments: '{"x":1}' } };
    assert.deepEqual(callsOf(read([call(one), call(one), delta({}, 'tool_calls')])), [['a', 'f', '{"x":1}']]);
  });

  test('the legacy function_call', () => {
    const answer = read([
      delta({ function_call: { name: 'f', arguments: '{"x"' } }),
      delta({ function_call: { arguments: ':1}' } }),
      delta({}, 'function_call'),
    ]);
    assert.deepEqual(callsOf(answer), [['floecall_X_0', 'f', '{"x":1}']]);
  });

  test('an announced tool finish without a call is a plain stop', () =>
    assert.equal(read([delta({ content: 'x' }), delta({}, 'tool_calls')]).finish?.reason, 'stop'));

  test('a call that the token limit truncates finishes with length, so that it does not run', () => {
    const answer = read([
      call({ index: 0, id: 'a', function: { name: 'f', arguments: '{"x' } }),
      delta({}, 'length'),
    ]);
    assert.equal(answer.finish?.reason, 'length');
  });
});

/** Reads the chunks. Returns the number of characters parsed and of entries searched meanwhile. */
function countWork(chunks: readonly JsonObject[]): number {
  let work = 0;
  const entries: Iterator<unknown> = Object.getPrototypeOf(new Set().values());
  const { parse } = JSON;
  const { next } = entries;
  const { indexOf } = Array.prototype;
  const replace = (object: object, name: string, value: unknown) =>
    Reflect.defineProperty(object, name, { value, configurable: true, writable: true });
  replace(JSON, 'parse', (text: string) => {
    work += text.length;
    return parse(text);
  });
  replace(entries, 'next', function step(this: Iterator<unknown>) {
    work += 1;
    return next.call(this);
  });
  replace(Array.prototype, 'indexOf', function search(this: readonly unknown[], wanted: unknown) {
    work += this.length;
    return indexOf.call(this, wanted);
  });
  read(chunks);
  replace(JSON, 'parse', parse);
  replace(entries, 'next', next);
  replace(Array.prototype, 'indexOf', indexOf);
  return work;
}

const fill = (count: number, chunkAt: (at: number) => JsonObject) =>
  Array.from({ length: count }, (_, at) => chunkAt(at));
const named = (index: number) => ({ index, id: `call_${index}` });
const MANY_CALLS: Readonly<Record<string, (at: number) => JsonObject>> = {
  'without a name': (index) => call({ index }),
  'without a name, with an id': (index) => call(named(index)),
  'without an id': (index) => call({ index, function: { name: 'f' } }),
  'without arguments': (index) => call({ ...named(index), function: { name: 'f' } }),
  'with unfinished arguments': (index) =>
    call({ ...named(index), function: { name: 'f', arguments: '{"x":"}' } }),
  'with invalid arguments': (index) => call({ ...named(index), function: { name: 'f', arguments: '{x}' } }),
  'without an index and an id': () => call({ function: { name: 'f', arguments: '{}' } }),
  'as free text': (index) => call({ ...named(index), custom: { name: 'f', input: '{}' } }),
};

describe('the work for tool calls', () => {
  for (const [what, chunkAt] of Object.entries(MANY_CALLS))
    test(`grows with the number of calls ${what}`, () => {
      const [few, many] = [countWork(fill(500, chunkAt)), countWork(fill(2_000, chunkAt))];
      assert.ok(many < 6 * few, `${few} and ${many}`);
    });

  test('grows with the length of arguments that seem complete at the end of every piece', () => {
    const piece = (index: number, args: string) => call({ index, function: { name: 'f', arguments: args } });
    const streams: readonly ((at: number) => readonly JsonObject[])[] = [
      (at) => [piece(0, at === 0 ? '{"x":"}' : '{}')],
      (at) => [piece(0, at === 0 ? '{"x":"}' : '}'), delta({ content: 'a' }), delta({ reasoning: 'b' })],
      (at) => [piece(0, at === 0 ? '[]' : '[]'), delta({ content: 'a' }), delta({ reasoning: 'b' })],
    ];
    for (const chunksAt of streams) {
      const chunks = Array.from({ length: 2_000 }, (_, at) => chunksAt(at)).flat();
      const [few, many] = [countWork(chunks.slice(0, chunks.length / 4)), countWork(chunks)];
      assert.ok(many < 6 * few, `${few} and ${many}`);
    }
  });

  test('has a maximum: a stream with more than 10,000 calls fails', () => {
    const readMany = (count: number) =>
      read([
        ...fill(count, (index) => call({ ...named(index), function: { name: 'f' } })),
        delta({}, 'tool_calls'),
      ]);
    const whole = readMany(10_000);
    assert.equal(callsOf(whole).length, 10_000);
    assert.equal(whole.finish?.reason, 'tool');
    const { finish, fault } = readMany(10_001);
    assert.deepEqual([finish, fault?.code], [undefined, 'upstream_error']);
    assert.match(fault?.message ?? '', /more than 10000 tool calls/);
  });
});

test('the end of arguments is searched once, in the block of the call', (t) => {
  const push = t.mock.method(JsonEndFinder.prototype, 'push');
  const pieces = ['{"a":"', ...Array.from({ length: 50 }, () => 'some text '), '"}'];
  read([
    call({ index: 0, id: 'c1', function: { name: 'f' } }),
    ...pieces.map((text) => call({ index: 0, function: { arguments: text } })),
    delta({}, 'tool_calls'),
  ]);
  const searched = push.mock.calls.reduce((sum, { arguments: [piece] }) => sum + piece.length, 0);
  assert.ok(searched <= pieces.join('').length + 10, String(searched));
});
