import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { silentLog } from '../core/log.ts';
import { chatReply } from './test/chat-replies.ts';
import { type FakeClockGateway, startFakeClockGateway } from './test/fake-clock-gateway.ts';
import { NO_STORES } from './test/no-stores.ts';

const MESSAGES = [{ role: 'user', content: 'hi' }];

async function start(t: TestContext, extra?: unknown): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream) => {
        const reply = chatReply('hello', isStream);
        if (extra === undefined) return reply;
        const body = JSON.stringify({ ...JSON.parse(String(reply.body)), extra });
        return { ...reply, body };
      },
    },
    providers: { a: { breaker: { enabled: false } } },
    routes: [{ model: 'm', targets: ['a/m'], retries: 0 }],
  });
  t.after(() => gateway.close());
  return gateway;
}

/** Returns the source and the token counts of the last row. */
const readCharge = ({ rows }: FakeClockGateway) => {
  const row = rows.at(-1);
  return [row?.usage_source, row?.input_tokens, row?.output_tokens];
};

test('a request with more than 100,000 names, strings, objects and arrays is rejected', async (t) => {
  const gateway = await start(t);
  for (const surface of ['chat', 'messages'] as const) {
    const send = (count: number) =>
      gateway.settled(
        gateway.send(surface, {
          model: 'm',
          messages: MESSAGES,
          max_tokens: 5,
          stop: Array.from({ length: count }, () => ''),
        }),
      );
    const accepted = await send(99_900);
    assert.notEqual(accepted.status, 413, accepted.text);
    const rejected = await send(100_000);
    assert.equal(rejected.status, 413, rejected.text);
    assert.match(rejected.text, /The maximum is 100,000 names, strings, objects and arrays/);
  }
});

test('a translated request with more than 1,000 members in metadata is rejected', async (t) => {
  const gateway = await start(t);
  const metadata = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']));
  const send = (count: number) =>
    gateway.settled(gateway.send('responses', { model: 'm', input: 'hi', metadata: metadata(count) }));
  assert.equal((await send(1_000)).status, 200);
  const rejected = await send(1_001);
  assert.equal(rejected.status, 400, rejected.text);
  assert.match(rejected.text, /`metadata` must have at most 1,000 members/);
});

test('a translated response with more than 1,000,000 objects is an error of the provider', async (t) => {
  const gateway = await start(
    t,
    Array.from({ length: 1_000_000 }, () => ({})),
  );
  const { status, text } = await gateway.settled(
    gateway.send('messages', { model: 'm', messages: MESSAGES, max_tokens: 5 }),
  );
  assert.equal(status, 502, text);
  assert.match(text, /a response with too many JSON values/);
  assert.deepEqual(readCharge(gateway), ['provider', 7, 3]);
});

test('the usage of a response with too many values is recorded, because the provider charges it', async (t) => {
  const usage = { input_tokens: 7, output_tokens: 3 };
  const output = [{ type: 'message', content: Array.from({ length: 1_000_001 }, () => ({})) }];
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => createJsonReply({ id: 'r', model: 'm', status: 'completed', output, usage }) },
    providers: { a: { kind: 'openai', breaker: { enabled: false } } },
    routes: [{ model: 'm', targets: ['a/m'], retries: 0 }],
  });
  t.after(() => gateway.close());
  const { status } = await gateway.settled(gateway.send('responses', { model: 'm', input: 'hi' }));
  assert.deepEqual([status, ...readCharge(gateway)], [502, 'provider', 7, 3]);
});

test('a stream with too many values is sent, but not stored', async (t) => {
  const warnings: string[] = [];
  const stored: unknown[] = [];
  const text = 'a'.repeat(10);
  const message = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text }] };
  const end = (values: string) =>
    `{"type":"response.completed","response":{"id":"r","model":"m","status":"completed","output":[${JSON.stringify(message)}],"metadata":[${values}0]}}`;
  let values = '';
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: () =>
        createSseReply([
          'event: response.created\ndata: {"type":"response.created","response":{"id":"r","model":"m","status":"in_progress","output":[]}}\n\n',
          `event: response.completed\ndata: ${end(values)}\n\n`,
        ]),
    },
    providers: { a: { kind: 'openai', breaker: { enabled: false } } },
    routes: [{ model: 'm', targets: ['a/m'], retries: 0 }],
    dependencies: {
      log: { ...silentLog, warn: (_: object, said: string) => void warnings.push(said) },
      turns: { ...NO_STORES.turns, store: async (turn) => void stored.push(turn) },
    },
  });
  t.after(() => gateway.close());
  for (const [count, isStored] of [
    [1, true],
    [330_000, false],
  ] as const) {
    values = '1.10,'.repeat(count);
    const send = gateway.send('responses', { model: 'm', input: 'hi', stream: true });
    const answer = await gateway.settled(send);
    assert.deepEqual([answer.status, answer.text.includes(end(values))], [200, true]);
    assert.deepEqual([stored.length, warnings.length], isStored ? [1, 0] : [1, 1]);
  }
  assert.match(String(warnings), /response could not be stored/);
});

test('a new resource with more than 1,000,000 objects is forwarded, and its owner is recorded', async (t) => {
  const extra = Array.from({ length: 1_000_000 }, () => ({}));
  const recorded: string[] = [];
  const resourceOwners = {
    ...NO_STORES.resourceOwners,
    record: async (owned: readonly { readonly id: string }[]) =>
      void recorded.push(...owned.map(({ id }) => id)),
  };
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => createJsonReply({ id: 'file-1', object: 'file', extra }) },
    providers: { a: { kind: 'openai' } },
    routes: [{ model: '*', retries: 0 }],
    dependencies: { resourceOwners },
  });
  t.after(() => gateway.close());
  const headers = { 'x-floe-provider': 'a' };
  const { status, text } = await gateway.settled(gateway.sendTo('files', { purpose: 'batch' }, headers));
  assert.equal(status, 200, text.slice(0, 100));
  assert.deepEqual(recorded, ['file-1']);
  assert.equal(gateway.rows.at(-1)?.state, 'complete');
});

/** The arguments of a call, with the complexity of 40,000 numbers such as `1.10`. */
const ARGUMENTS = `{"a":[${'1.10,'.repeat(40_000)}1]}`;

test('a target that needs parsed arguments is skipped if they have too many values', async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { parsed: () => chatReply('no', false), text: (isStream) => chatReply('hello', isStream) },
    providers: { parsed: { kind: 'anthropic-compatible' }, text: { breaker: { enabled: false } } },
    routes: [
      { model: 'mixed', targets: ['parsed/m', 'text/m'], retries: 0 },
      { model: 'parsed', targets: ['parsed/m'], retries: 0 },
    ],
  });
  t.after(() => gateway.close());
  const input = [
    { role: 'user', content: 'hi' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: ARGUMENTS },
    { type: 'function_call_output', call_id: 'c', output: 'R' },
  ];
  const mixed = await gateway.settled(gateway.send('responses', { model: 'mixed', input }));
  assert.equal(mixed.status, 200, mixed.text);
  assert.ok(gateway.upstream('text').requests[0]?.body.toString('utf8').includes('1.10,1.10'));
  const rejected = await gateway.settled(gateway.send('responses', { model: 'parsed', input }));
  assert.equal(rejected.status, 413, rejected.text);
  assert.match(rejected.text, /The arguments of the tool calls have too many JSON values/);
  assert.equal(gateway.upstream('parsed').requests.length, 0);
});

test('a response whose arguments have too many values is an error, and the next target answers', async (t) => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: ARGUMENTS } };
  const gateway = await startFakeClockGateway({
    upstreams: {
      large: () => {
        const reply = chatReply('', false);
        const body = JSON.parse(String(reply.body));
        body.choices = [
          { index: 0, message: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' },
        ];
        return { ...reply, body: JSON.stringify(body) };
      },
      other: (isStream) => chatReply('hello', isStream),
    },
    providers: { large: { breaker: { enabled: false } }, other: { breaker: { enabled: false } } },
    routes: [
      { model: 'both', targets: ['large/m', 'other/m'], retries: 0 },
      { model: 'large', targets: ['large/m'], retries: 0 },
    ],
  });
  t.after(() => gateway.close());
  const send = (model: string) =>
    gateway.settled(gateway.send('messages', { model, messages: MESSAGES, max_tokens: 5 }));
  const both = await send('both');
  assert.equal(both.status, 200, both.text);
  assert.match(both.text, /hello/);
  const large = await send('large');
  assert.equal(large.status, 502, large.text);
});
