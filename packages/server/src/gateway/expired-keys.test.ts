import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { findInjectedFault } from '@floe/testkit/fault-table';
import type { KeyRecord } from '../platform/keyring.ts';
import { chatReply } from './test/chat-replies.ts';
import {
  type FakeClockGateway,
  type FakeClockSurface,
  startFakeClockGateway,
} from './test/fake-clock-gateway.ts';

const TURN = [{ role: 'user', content: 'hello' }];
const BODIES = {
  chat: { messages: TURN },
  responses: { input: TURN, store: false },
  messages: { messages: TURN, max_tokens: 99 },
} as const;
const SURFACES = ['chat', 'responses', 'messages'] as const;

/** Its provider stops in the middle of its answer and says nothing more for longer than any test lasts. */
async function start(
  t: TestContext,
  key: Partial<KeyRecord> = {},
  rescue = 'error',
): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream) => chatReply('the answer goes on and on and on and on and never ends', isStream),
      b: (isStream) => chatReply('another answer', isStream),
    },
    routes: [{ model: 'smart', targets: ['a/m', 'b/m'], rescue, retries: 1 }],
    key,
  });
  t.after(() => gateway.close());
  await gateway.upstream('a').setFaults(findInjectedFault('stall-mid-answer'));
  return gateway;
}

/** Asks for a stream; resolves when the client has begun to read it. */
async function asking(gateway: FakeClockGateway, surface: FakeClockSurface) {
  const heard = Promise.withResolvers<void>();
  const body = { model: 'smart', stream: true, ...BODIES[surface] };
  const answer = gateway.send(surface, body, { onChunk: () => heard.resolve() });
  await gateway.settled(heard.promise, 0);
  return { answer };
}

/** How each dialect says inside a stream that it ended in this error. */
const TOLD: Readonly<Record<FakeClockSurface, (code: string) => RegExp>> = {
  chat: (code) => new RegExp(String.raw`^data: \{"error":\{.*"code":"${code}"`, 'm'),
  responses: (code) =>
    new RegExp(String.raw`event: error\ndata: .*"code":"${code}"[\s\S]*event: response\.failed`),
  messages: () => /event: error\ndata: \{"type":"error","error":\{"type":"authentication_error"/,
};
const FINISHED = /"finish_reason":"stop"|\[DONE\]|"stop_reason":"end_turn"|message_stop|response\.completed/;

const ENDS: Readonly<
  Record<string, { readonly code: string; end(gateway: FakeClockGateway): Promise<void> }>
> = {
  revoked: {
    code: 'key_revoked',
    end: async (gateway) => gateway.changeKey({ revokedAt: gateway.clock.now() }),
  },
  'replaced by another value, as a reported one is': {
    code: 'key_revoked',
    end: async (gateway) => gateway.changeKey({ hash: 'b'.repeat(64) }),
  },
  'gone from the store': { code: 'key_revoked', end: async (gateway) => gateway.changeKey(null) },
  'given an end that is now': {
    code: 'key_expired',
    end: async (gateway) => gateway.changeKey({ expiresAt: gateway.clock.now() }),
  },
};

for (const [how, { code, end }] of Object.entries(ENDS))
  test(`an open stream of a key that is ${how} ends immediately with the error of its dialect`, async (t) => {
    for (const rescue of ['error', 'replay'])
      for (const surface of SURFACES) {
        const gateway = await start(t, {}, rescue);
        const { answer } = await asking(gateway, surface);
        gateway.changeKey({});
        await end(gateway);
        const { status, text } = await gateway.settled(answer, 0);
        assert.equal(status, 200);
        assert.match(text, TOLD[surface](code), `${surface}: ${text}`);
        assert.doesNotMatch(text, FINISHED, surface);
        const row = gateway.rows.at(-1);
        assert.deepEqual([row?.state, row?.error_code, row?.error_source], ['partial', code, 'gateway']);
        assert.equal(gateway.upstream('b').requests.length, 0, 'nobody else is asked');
        assert.deepEqual(gateway.events, [], 'the provider is not to blame');
      }
  });

test('an open stream of a key that expires ends at this time', async (t) => {
  const gateway = await start(t, { expiresAt: new FakeClock().now() + 10 * 60_000 });
  let isOver = false;
  const { answer } = await asking(gateway, 'chat');
  void answer.then(() => {
    isOver = true;
  });
  await gateway.advance(10 * 60_000 - 1_000);
  assert.equal(isOver, false);
  await gateway.advance(1_000);
  const { text } = await gateway.settled(answer, 0);
  assert.match(text, TOLD.chat('key_expired'));
  assert.equal(gateway.rows.at(-1)?.state, 'partial');
});

test('a request that waits for its first byte is rejected when its key ends', async (t) => {
  const gateway = await start(t);
  await gateway.upstream('a').setFaults(findInjectedFault('accept-and-silence'));
  const answer = gateway.send('chat', { model: 'smart', ...BODIES.chat });
  await gateway.settled(gateway.upstream('a').waitForRequests(1), 0);
  gateway.changeKey({ revokedAt: 1 });
  const { status, text } = await gateway.settled(answer, 0);
  assert.deepEqual([status, JSON.parse(text).error.code], [401, 'key_revoked']);
  assert.equal(gateway.upstream('b').requests.length, 0);
});
