import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { chatReply } from './test/chat-replies.ts';
import { type FakeClockGateway, startFakeClockGateway } from './test/fake-clock-gateway.ts';

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
    assert.match(rejected.text, /The maximum is 100000 names, strings, objects and arrays/);
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
  assert.match(rejected.text, /`metadata` must have at most 1000 members/);
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
});
