// Every fault of an upstream under every strategy and rescue: what the caller saw, how often and when each upstream was asked.
// Tier: ci. Every fault at every moment of an answer.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FakeClock } from '@floe/testkit/fake-clock';
import { INJECTED_FAULTS } from '@floe/testkit/fault-table';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import type { InjectedFault } from '@floe/testkit/injected-fault';
import { chatReply } from './test/chat-replies.ts';
import { type FakeClockGateway, startFakeClockGateway } from './test/fake-clock-gateway.ts';

const FULL = Boolean(process.env['FLOE_TEST_FULL']);
const STRATEGIES = ['failover', 'weighted', 'least_latency'] as const;
const RESCUES = ['error', 'replay'] as const;
const FORMS = ['whole', 'stream'] as const;
const TEXT = 'The ice north of the station is two metres thick.';
/** With chance at a half, the first wait of at most 250 ms. */
const WAIT_MS = 125;
/** Deadlines of the broken target; below the 20 s after which a silent stream is answered early. */
const SILENCE_MS = 15_000;

/** The caller's own, for these hosts: nobody else is asked. */
const PASSED = /^(content-filter-400|bad-credentials\/400)/;
const HARMLESS = /^(no-done|no-usage|huge-answer|interim-noise)$/;
/** A stream has shown content by then. */
const INSIDE = /^(cut-mid-answer|stall-mid-answer|malformed-event|no-finish|error-in-stream|truncated-json)/;
const SILENT = /^(accept-and-silence|slow-first-token|stall-mid-answer)$/;
/** Asked once, for asking the same target again at once would not help. */
const NOT_AGAIN = /^(rate-limited|bad-credentials|context-length)/;

interface Case {
  readonly fault: InjectedFault;
  readonly strategy: (typeof STRATEGIES)[number];
  readonly rescue: (typeof RESCUES)[number];
}

function casesOf(fault: InjectedFault, at: number): Case[] {
  if (/^huge/.test(fault.name)) return [{ fault, strategy: 'failover', rescue: 'error' }];
  return STRATEGIES.filter((_, turn) => FULL || turn === at % STRATEGIES.length).flatMap((strategy) =>
    RESCUES.map((rescue) => ({ fault, strategy, rescue })),
  );
}

/** When each upstream was asked, by the clock of the gateway. */
interface Asked {
  readonly a: number[];
  readonly b: number[];
}

async function start(t: TestContext, { strategy, rescue }: Case, asked: Asked): Promise<FakeClockGateway> {
  let clock: FakeClock | null = null;
  const answering = (id: keyof Asked) => (isStream: boolean) => {
    asked[id].push(clock?.monotonic() ?? 0);
    return chatReply(TEXT, isStream);
  };
  const target = (model: string, weight: number) => (strategy === 'weighted' ? { model, weight } : model);
  const quick = {
    connect_ms: 600_000,
    headers_ms: SILENCE_MS,
    first_token_ms: SILENCE_MS,
    idle_ms: SILENCE_MS,
  };
  const gateway = await startFakeClockGateway({
    upstreams: { a: answering('a'), b: answering('b') },
    // What one fault leads to; what many lead to is judged in breakers.test.ts.
    providers: { a: { breaker: { enabled: false }, timeouts: quick }, b: { breaker: { enabled: false } } },
    routes: [
      { model: 'smart', targets: [target('a/m', 1), target('b/other', 0)], strategy, rescue, retries: 1 },
    ],
    random: () => 0.5,
  });
  clock = gateway.clock;
  t.after(() => gateway.close());
  return gateway;
}

/** What is due of a fault: how often the broken target and the other one are asked, and how it ends. */
function dueOf({ fault, rescue }: Case, form: (typeof FORMS)[number]) {
  const { name } = fault;
  if (PASSED.test(name)) return { a: 1, b: 0, ends: 'passed' } as const;
  if (HARMLESS.test(name)) return { a: 1, b: 0, ends: 'whole' } as const;
  if (name === 'server-error-once') return { a: 2, b: 0, ends: 'whole' } as const;
  const isInside = form === 'stream' && INSIDE.test(name);
  if (isInside && rescue === 'error') return { a: 1, b: 0, ends: 'broken' } as const;
  const a = SILENT.test(name) || NOT_AGAIN.test(name) ? 1 : 2;
  return { a: fault.isPortClosed ? 0 : a, b: 1, ends: 'whole' } as const;
}

async function asking(
  gateway: FakeClockGateway,
  { fault }: Case,
  form: (typeof FORMS)[number],
): Promise<HttpCallResponse> {
  const a = gateway.upstream('a');
  const before = a.requests.length;
  const heard = Promise.withResolvers<void>();
  const stream = form === 'stream';
  const body = { model: 'smart', stream, messages: [{ role: 'user', content: 'how thick?' }] };
  const onPiece = () => heard.resolve();
  const answer = gateway.send('chat', body, { onChunk: onPiece });
  if (!SILENT.test(fault.name)) return gateway.settled(answer);
  // Its deadline may pass once the fault has struck.
  await a.waitForRequests(before + 1);
  if (stream && fault.name === 'stall-mid-answer') await heard.promise;
  return gateway.settled(answer, SILENCE_MS);
}

function check(
  answer: HttpCallResponse,
  ends: 'passed' | 'whole' | 'broken',
  isStream: boolean,
  isHuge: boolean,
): void {
  if (ends === 'passed') return assert.equal(answer.status, 400);
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  assert.ok(answer.isComplete);
  const isDone = isStream ? /"finish_reason":"stop"/.test(answer.text) : true;
  if (ends === 'broken') {
    assert.match(answer.text, /"error":\{/);
    assert.ok(!answer.text.includes('[DONE]'), 'a truncated answer never looks finished');
    return;
  }
  assert.ok(isDone, answer.text.slice(-300));
  if (isHuge) return;
  assert.doesNotMatch(answer.text, /"error":\s*\{/);
  const words = [...answer.text.matchAll(/"content":"([^"]*)"/g)].map(([, word]) => word).join('');
  assert.equal(words, TEXT);
}

let checked = 0;
// Its fault shows with the next request; upstream-faults.test.ts has it.
for (const [at, fault] of INJECTED_FAULTS.entries())
  if (fault.name !== 'keepalive-close-race')
    test(`a provider that ${fault.description} is called as often as useful, and not too early`, async (t) => {
      for (const one of casesOf(fault, at))
        for (const form of FORMS) {
          const asked: Asked = { a: [], b: [] };
          const gateway = await start(t, one, asked);
          await gateway.upstream('a').setFaults(fault);
          const answer = await asking(gateway, one, form);
          const { a, b, ends } = dueOf(one, form);
          const name = `${one.strategy}, ${one.rescue}, ${form}`;
          check(answer, ends, form === 'stream', /^huge/.test(fault.name));
          assert.deepEqual(
            [asked.a.length, asked.b.length],
            [a, b],
            `${name}: ${gateway.rows.at(-1)?.attempts_json}`,
          );
          const [first = 0, second] = asked.a;
          if (second !== undefined) assert.equal(second - first, WAIT_MS, `${name}: the gap`);
          const attempts: unknown = JSON.parse(gateway.rows.at(-1)?.attempts_json ?? '[]');
          assert.ok(Array.isArray(attempts));
          assert.equal(
            attempts.length,
            (fault.isPortClosed ? 2 : a) + b,
            `${name}: every attempt is on the row`,
          );
          await gateway.upstream('a').setFaults();
          const after = await gateway.settled(
            gateway.send('chat', { model: 'smart', messages: [{ role: 'user', content: 'and now?' }] }),
          );
          assert.equal(after.status, 200, `${name}: healthy after`);
          await gateway.close();
          checked += 1;
        }
    });

test('all faults were tested', (t) => {
  t.diagnostic(`${checked} cases`);
  assert.ok(checked >= INJECTED_FAULTS.length * 2);
});
