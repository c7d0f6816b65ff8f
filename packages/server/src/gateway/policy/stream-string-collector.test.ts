import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestEcho } from '../../guardrails/policies/request-echo.ts';
import { requestOf } from '../../guardrails/test/policy-requests.ts';
import { StreamStringCollector } from './stream-string-collector.ts';

const CARD = '4111111111111111';

function collect(events: readonly object[]): { texts: readonly string[]; scanned: string[] } {
  const scanned: string[] = [];
  const strings = new StreamStringCollector((text) => scanned.push(text));
  for (const event of events) strings.add(JSON.stringify(event));
  return { texts: strings.texts(), scanned };
}

const choice = (index: number, delta: object) => ({ id: 'chatcmpl-1', choices: [{ index, delta }] });

test('pieces of one text are joined, in every choice, tool call and member that no dialect defines', () => {
  const split = (build: (piece: string) => object) => [build(CARD.slice(0, 7)), build(CARD.slice(7))];
  const streams = [
    split((content) => choice(0, { content })),
    split((content) => choice(3, { content })),
    split((text) => choice(0, { vendor: { text } })),
    split((args) => choice(1, { tool_calls: [{ index: 2, function: { arguments: args } }] })),
    split((transcript) => choice(0, { audio: { id: 'a', transcript } })),
    split((delta) => ({ type: 'response.mcp_call_arguments.delta', item_id: 'i', delta })),
    split((text) => ({ type: 'content_block_delta', index: 4, delta: { type: 'text_delta', text } })),
  ];
  for (const events of streams) {
    const { texts, scanned } = collect(events);
    assert.ok(texts.includes(CARD), JSON.stringify(events));
    assert.ok(scanned.includes(CARD), JSON.stringify(events));
  }
});

test('values that a repeated member name hides are collected, and do not separate the pieces around them', () => {
  const scanned: string[] = [];
  const strings = new StreamStringCollector((text) => scanned.push(text));
  strings.add('{"choices":[{"index":0,"delta":{"content":"4111111"}}]}');
  strings.add(`{"choices":[{"index":0,"delta":{"content":"first ${CARD}","c\\u006fntent":"111111111"}}]}`);
  assert.ok(scanned.includes(`first ${CARD}`) && scanned.includes(CARD), JSON.stringify(scanned));
  assert.ok(strings.texts().includes(CARD));
});

test('strings outside of deltas are complete, and repeated ones count once', () => {
  const done = { type: 'response.output_text.done', text: CARD };
  const { texts, scanned } = collect([
    done,
    done,
    { type: 'vendor', nested: [{ title: CARD }, 4111111111111111] },
  ]);
  assert.deepEqual(
    texts.filter((text) => text === CARD),
    [CARD],
  );
  assert.deepEqual(
    scanned.filter((text) => text === CARD),
    [CARD],
  );
});

test('pieces of different texts are not joined, and labels and base64 data are not pieces', () => {
  const { texts } = collect([
    choice(0, { role: 'assistant', content: '4111' }),
    choice(1, { role: 'assistant', content: '9999' }),
    choice(0, { content: '2222' }),
    choice(0, { data: 'aB3d'.repeat(64) }),
  ]);
  assert.deepEqual([...texts].sort(), ['41112222', '9999', 'assistant', 'chatcmpl-1']);
});

test('a piece of a key that looks like base64 data is not left out', () => {
  const key = `sk-proj-${'aB3dE5gH7jK9mN1pQ'.repeat(10)}`;
  const token = ['eyJhbGciOiJIUzI1NiJ9.', `eyJ${'aB3dE5gH7jK9mN1pQ'.repeat(10)}`, '.aB3dE5gH7jK9mN1pQ'];
  for (const pieces of [[key.slice(0, 20), key.slice(20)], token]) {
    const { texts, scanned } = collect(pieces.map((content) => choice(0, { content })));
    assert.ok(texts.includes(pieces.join('')));
    assert.ok(scanned.includes(pieces.join('')));
  }
  const image = 'aB3dE5gH7jK9mN1pQ'.repeat(10);
  assert.deepEqual(collect([choice(0, { data: image }), choice(0, { data: image })]).scanned, ['chatcmpl-1']);
});

test('the start of a block of Messages contains the first piece of its text', () => {
  const start = {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'text', text: CARD.slice(0, 7) },
  };
  const delta = { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: CARD.slice(7) } };
  const { texts, scanned } = collect([start, delta]);
  assert.ok(texts.includes(CARD) && scanned.includes(CARD), JSON.stringify(texts));
});

test('text in base64 data is collected, as in a complete response', () => {
  const csv = 'name;mail\n'.concat('x;ana@example.com\n'.repeat(11));
  const base64 = Buffer.from(csv).toString('base64');
  for (const data of [base64, `data:text/csv;base64,${base64}`]) {
    const { texts, scanned } = collect([{ type: 'response.mcp_call.done', output: data }]);
    assert.ok(texts.includes(data) && scanned.includes(csv), data);
    const pieces = [choice(0, { content: data.slice(0, 140) }), choice(0, { content: data.slice(140) })];
    assert.ok(collect(pieces).texts.includes(data), data);
  }
});

test('what a response of the Responses API repeats from the request is not collected', () => {
  const given = {
    instructions: 'Sign as support@acme.com',
    tools: [{ type: 'function', name: 'mail', description: 'to ops@acme.com' }],
    user: 'ana@acme.com',
  };
  const strings = new StreamStringCollector(null, new RequestEcho(requestOf({ model: 'm', ...given })));
  const add = (response: object) => strings.add(JSON.stringify({ type: 'response.created', response }));
  add({ ...given, tools: [{ ...given.tools[0], strict: true }], output: [{ text: 'Hello!' }] });
  assert.deepEqual([...strings.texts()].sort(), ['Hello!', 'response.created']);
  add({
    instructions: 'Sign as other@acme.com',
    metadata: { user: 'ana@acme.com' },
    user: given.instructions,
  });
  assert.deepEqual(
    [...strings.texts()].filter((text) => text.includes('@')).sort(),
    ['Sign as other@acme.com', 'Sign as support@acme.com', 'ana@acme.com'].sort(),
  );
});
