// Streams that their first bytes identify, because their content type does not: all deadlines of a stream apply.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { createWriteStep } from '@floe/testkit/fake-response';
import type { InjectedFault } from '@floe/testkit/injected-fault';
import { chatReply } from './test/chat-replies.ts';
import { type FakeClockGateway, startFakeClockGateway } from './test/fake-clock-gateway.ts';

const TURN = { messages: [{ role: 'user', content: 'hello' }], stream: true };
const TYPES = ['text/plain', 'application/json', null];
const chunk = (delta: object) =>
  `data: ${JSON.stringify({ id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
/** Beginnings of a stream without content. The kind of the first two is not determined yet. */
const BEGINNINGS = ['\n', 'da', ': wait\n\n', chunk({ role: 'assistant', content: '' })];
const PATIENT = { connect_ms: 900_000, headers_ms: 900_000, first_token_ms: 900_000, idle_ms: 900_000 };

async function start(t: TestContext, timeouts: JsonObject, targets = ['a/m']): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream) => chatReply('from a', isStream),
      b: (isStream) => chatReply('from b', isStream),
    },
    providers: { a: { timeouts: { ...PATIENT, ...timeouts }, breaker: { enabled: false } } },
    routes: [{ model: 'smart', targets, retries: 0 }],
  });
  t.after(() => gateway.close());
  return gateway;
}

/** Sends the head and the beginning of a body in one packet, and then nothing. */
const stallAfter = (type: string | null, beginning: string): InjectedFault => ({
  name: 'stall-after-beginning',
  description: 'sends the beginning of a response, and then nothing',
  requestCount: Number.POSITIVE_INFINITY,
  planSteps: () => [
    createWriteStep(
      `HTTP/1.1 200 OK\r\n${type === null ? '' : `content-type: ${type}\r\n`}transfer-encoding: chunked\r\n\r\n${beginning.length.toString(16)}\r\n${beginning}\r\n`,
    ),
    { do: 'silence' },
  ],
});

/** Sends a request, and waits until Floe has received the beginning of the response. */
async function ask(gateway: FakeClockGateway, fault: InjectedFault, deadlineMs: number) {
  await gateway.upstream('a').setFaults(fault);
  const answer = gateway.send('chat', { model: 'smart', ...TURN });
  await eventually(() => gateway.clock.pending().includes(deadlineMs) || undefined);
  await nextEventLoopTurn();
  // Not the answer: an async function would wait for it.
  return { answer };
}

/** Requires that a request ends after exactly `ms` because of the deadline of `phase`. */
async function assertExpires(gateway: FakeClockGateway, fault: InjectedFault, ms: number, phase: string) {
  const rows = gateway.rows.length;
  const { answer } = await ask(gateway, fault, ms);
  gateway.clock.advance(ms - 1);
  await nextEventLoopTurn();
  assert.equal(gateway.rows.length, rows, 'the deadline applied too early');
  gateway.clock.advance(1);
  const { status, text } = await gateway.settled(answer, 0);
  assert.equal(status, 504, text);
  assert.match(text, new RegExp(`the ${phase} timeout of ${ms / 1000} s expired`));
}

test('a stream without its content type has the first-token deadline, whatever it sends before content', async (t) => {
  const gateway = await start(t, { first_token_ms: 15_000, idle_ms: 5_000 });
  for (const type of TYPES)
    for (const beginning of BEGINNINGS)
      await assertExpires(gateway, stallAfter(type, beginning), 15_000, 'first_token');
});

test('the idle deadline of a stream without its content type starts at its first content', async (t) => {
  const gateway = await start(t, { idle_ms: 5_000 });
  for (const type of TYPES) {
    const { answer } = await ask(gateway, stallAfter(type, chunk({ content: 'hi' })), 5_000);
    gateway.clock.advance(5_000);
    const { text } = await gateway.settled(answer, 0);
    assert.match(text, /"hi".*the idle timeout of 5 s expired/s);
  }
});

test('a response to a stream request that is not a stream has no first token, so its first byte ends the wait', async (t) => {
  const gateway = await start(t, { first_token_ms: 15_000, idle_ms: 5_000 });
  await assertExpires(gateway, stallAfter('text/plain', '{"id":'), 5_000, 'idle');
});

test('a stream without its content type moves to the next target if it has no content within a minute', async (t) => {
  for (const beginning of BEGINNINGS) {
    const gateway = await start(t, {}, ['a/m', 'b/m']);
    await gateway.upstream('a').setFaults(stallAfter('text/plain', beginning));
    const answer = gateway.send('chat', { model: 'smart', ...TURN });
    await gateway.upstream('a').waitForRequests(1);
    await gateway.advance(59_000);
    assert.equal(gateway.upstream('b').requests.length, 0, JSON.stringify(beginning));
    await gateway.advance(2_000);
    const { text } = await gateway.settled(answer, 0);
    assert.match(text, /"from "/);
    assert.match(gateway.rows.at(-1)?.decisions_json ?? '', /first_token_deadline/);
  }
});

test('a stream without its content type has the total deadline', async (t) => {
  const gateway = await start(t, { total_ms: 15_000 });
  for (const type of TYPES) {
    await gateway.upstream('a').setFaults(stallAfter(type, chunk({ content: 'hi' })));
    const { promise, resolve } = Promise.withResolvers<void>();
    const request = { model: 'smart', ...TURN };
    const answer = gateway.send('chat', request, { onChunk: () => resolve() });
    await gateway.settled(promise, 0);
    gateway.clock.advance(15_000);
    const { text } = await gateway.settled(answer, 0);
    assert.match(text, /"hi".*the total timeout of 15 s expired/s);
    assert.doesNotMatch(text, /\[DONE\]/);
  }
});
