// Tier: ci. Random alerts over both databases.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Alert } from './alert.ts';
import { createFailingAlert, createRecoveredAlert, createTestOutbox } from './test/test-outbox.ts';
import { type ReceivedMessage, startWebhookReceiver } from './test/webhook-receiver.ts';

const RUNS = process.env['FLOE_TEST_FULL'] === undefined ? 8 : 200;
const HOUR = 3_600_000;

const COME_AGAIN = 'answers 503 and when to come again';

/** Ways in which a receiver does not take a message. */
const FAULTS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'answers 500': (response) => response.writeHead(500).end(),
  [COME_AGAIN]: (response) => response.writeHead(503, { 'retry-after': '300' }).end(),
  'answers 400': (response) => response.writeHead(400).end(),
  'answers 404': (response) => response.writeHead(404).end(),
  redirects: (response) => response.writeHead(302, { location: 'http://127.0.0.1/' }).end(),
  'breaks off': (response) => void response.destroy(),
  'breaks off in the middle': (response) => {
    response.writeHead(500, { 'content-length': '100' }).write('half');
    response.destroy();
  },
};

const names = ({ body }: ReceivedMessage) => [...new Set(body.match(/Job [a-z]+\d+/g) ?? [])];
const said = (one: ReceivedMessage, name: string) => {
  const data = JSON.stringify(one.json);
  return /recovered/.test(data) ? `${name} over` : `${name} begins`;
};

const story = fc.record({
  /** Which monitors the receiver takes no message about, and how it says so. */
  faults: fc.uniqueArray(fc.tuple(fc.nat(9), fc.constantFrom(...Object.keys(FAULTS))), {
    maxLength: 4,
    selector: ([subject]) => subject,
  }),
  /** When which monitor fails or recovers, in seconds. */
  steps: fc.array(fc.record({ after: fc.nat(20), subject: fc.nat(9) }), { minLength: 5, maxLength: 25 }),
});

test("rejected messages of some monitors do not affect the order and delivery of other monitors' messages", async (t) => {
  await fc.assert(
    fc.asyncProperty(story, async ({ faults, steps }) => {
      const harness = await createTestOutbox(t);
      const byName = new Map(faults.map(([subject, fault]) => [`Job m${subject}`, fault]));
      const taken: string[] = [];
      const tries = new Map<string, Set<string>>();
      const receiver = await startWebhookReceiver(t, (one, response) => {
        const about = names(one);
        const id = String(one.headers['webhook-id']);
        tries.set(id, new Set([...(tries.get(id) ?? []), one.json['type'] as string]));
        const bad = about.find((name) => byName.has(name));
        if (bad !== undefined) return FAULTS[byName.get(bad) ?? '']?.(response);
        taken.push(...about.map((name) => said(one, name)));
        response.end();
      });
      await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
      const delivery = harness.start();
      const isDown = new Map<number, boolean>();
      const owed = new Map<string, string[]>();
      for (const { after, subject } of steps) {
        if (after > 0) await harness.pass(delivery, after * 1_000);
        const down = isDown.get(subject) === true;
        isDown.set(subject, !down);
        await harness.put(down ? createRecoveredAlert(`m${subject}`) : createFailingAlert(`m${subject}`));
        const name = `Job m${subject}`;
        owed.set(name, [...(owed.get(name) ?? []), down ? `${name} over` : `${name} begins`]);
      }
      // A minute for what is gathered into one message, and one for a receiver that seems to be down.
      await harness.pass(delivery, 180_000);
      // Until a message that is to come again in five minutes stands alone, those gathered with it wait a little.
      if (faults.some(([, fault]) => fault === COME_AGAIN)) await harness.pass(delivery, 300_000);
      for (const [name, lines] of owed) {
        if (byName.has(name)) continue;
        const heard = taken.filter((line) => line.startsWith(`${name} `));
        assert.deepEqual(heard.slice(-1), lines.slice(-1), `${name}: what is true now was not told`);
        assert.ok(
          heard.every((line, at) => at === 0 || line !== heard[at - 1]),
          `${name} was told the same twice: ${heard.join(', ')}`,
        );
      }
      await delivery.close();
      receiver.close();
    }),
    { numRuns: RUNS },
  );
});

test('a monitor whose messages are rejected for a day delays no other monitor, and is retried until the day ends', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, ({ body }, response) => {
    response.statusCode = body.includes('Job poison') ? 500 : 200;
    response.end();
  });
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('poison'));
  for (let hour = 0; hour < 23; hour++) {
    for (let minute = 0; minute < 59; minute++) await skip(harness, delivery, 60_000);
    const before = receiver.received.length;
    await harness.put(createFailingAlert(`good${hour}`));
    await harness.pass(delivery, 2_000);
    const good = receiver.received.slice(before).some(({ body }) => body.includes(`Job good${hour}`));
    assert.ok(good, `${hour} h: it waited for another one`);
  }
  const poison = () => receiver.received.filter(({ body }) => body.includes('Job poison'));
  const tries = poison().length;
  assert.ok(tries >= 25 && tries < 60, `${tries} tries`);
  assert.equal(new Set(poison().map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.equal((await harness.states())[0], 'pending');
  for (let minute = 0; minute < 150; minute++) await skip(harness, delivery, 60_000);
  assert.equal((await harness.states())[0], 'failed');
});

test('an unavailable receiver gets one attempt a minute, whatever the backlog, and all messages when it is available', async (t) => {
  for (const isReachable of [true, false]) {
    const harness = await createTestOutbox(t);
    let isUp = false;
    const receiver = await startWebhookReceiver(t, (_, response) =>
      response.writeHead(isUp ? 200 : 503).end(),
    );
    const url = isReachable ? receiver.url : 'http://127.0.0.1:1';
    await harness.channels({ name: 'a', kind: 'webhook', url });
    const delivery = harness.start();
    for (let round = 0; round < 6; round++) {
      await harness.put(...Array.from({ length: 5 }, (_, n) => createFailingAlert(`m${round * 5 + n}`)));
      await harness.pass(delivery, 61_000);
    }
    const before = harness.counted.length;
    for (let minute = 0; minute < 60; minute++) await skip(harness, delivery, 60_000);
    const tries = harness.counted.length - before;
    assert.ok(tries > 20 && tries < 70, `${tries} tries in an hour`);
    isUp = true;
    if (!isReachable) await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
    for (let minute = 0; minute < 60; minute++) await skip(harness, delivery, 60_000);
    assert.deepEqual([...new Set(await harness.states())], ['sent']);
  }
});

test('a rejected message about several monitors is split until the messages about the others are accepted', async (t) => {
  for (const status of [400, 500]) {
    const harness = await createTestOutbox(t);
    const receiver = await startWebhookReceiver(t, ({ body }, response) =>
      response.writeHead(body.includes('Job poison') ? status : 200).end(),
    );
    await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
    const delivery = harness.start();
    const ids = Array.from({ length: 12 }, (_, n) => (n === 7 ? 'poison' : `m${n}`));
    await harness.put(...ids.map((id) => createFailingAlert(id)));
    await harness.pass(delivery, 240_000);
    const arrived = receiver.received.filter(({ body }) => !body.includes('Job poison'));
    const heard = ids.filter((id) => arrived.some(({ body }) => body.includes(`Job ${id}"`)));
    assert.deepEqual(
      heard,
      ids.filter((id) => id !== 'poison'),
      String(status),
    );
    assert.ok(receiver.received.length < 30);
    const states = await harness.states();
    assert.equal(states.filter((state) => state === 'sent').length, 11);
  }
});

test('twelve failures within a second are one message and one summary; ongoing failures are in the last message', async (t) => {
  for (const lasts of [false, true]) {
    const harness = await createTestOutbox(t);
    const receiver = await startWebhookReceiver(t);
    await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
    const delivery = harness.start();
    const flaps = Array.from({ length: 12 }, (_, n): Alert[] =>
      lasts && n === 11
        ? [createFailingAlert('x')]
        : [createFailingAlert('x'), createRecoveredAlert('x', 40)],
    );
    // Some before a round and some after it.
    await harness.put(...flaps.slice(0, 5).flat());
    await harness.pass(delivery, 1_000);
    await harness.put(...flaps.slice(5).flat());
    await harness.pass(delivery, 120_000);
    const types = receiver.received.map(({ json }) => json['type']);
    if (lasts) {
      assert.deepEqual(types, ['monitor_failing']);
      await harness.put(createRecoveredAlert('x'));
      await harness.pass(delivery, 2_000);
    }
    const [begun, over, ...more] = receiver.received;
    assert.deepEqual(
      [begun?.json['type'], over?.json['type'], more],
      ['monitor_failing', 'monitor_recovered', []],
    );
    const data = over?.json['data'];
    assert.ok(typeof data === 'object' && data !== null);
    assert.equal(Reflect.get(data, 'failure_count'), 12);
    assert.equal(Reflect.get(data, 'thread'), begun?.headers['webhook-id']);
  }
});

test('a flapping monitor has one incident, which its last recovery closes', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, (_, response) => response.end('{"status":"success"}'));
  await harness.channels({ name: 'a', kind: 'pagerduty', routing_key: 'key', base_url: receiver.url });
  const delivery = harness.start();
  for (let n = 0; n < 12; n++) {
    await harness.put(createFailingAlert('x'), createRecoveredAlert('x', 40));
    await harness.pass(delivery, 1_000);
  }
  await harness.pass(delivery, 60_000);
  assert.deepEqual(
    receiver.received.map(({ json }) => json['event_action']),
    ['trigger', 'resolve'],
  );
  assert.equal(new Set(receiver.received.map(({ json }) => json['dedup_key'])).size, 1);
});

test('an alert that is ongoing after flapping is repeated as the channel specifies', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url, realert_minutes: 10 });
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'), createRecoveredAlert('x', 40), createFailingAlert('x'));
  await harness.pass(delivery, 20_000);
  await skip(harness, delivery, HOUR / 6);
  await harness.pass(delivery, 2_000);
  assert.deepEqual(
    receiver.received.map(({ json }) => json['type']),
    ['monitor_failing', 'monitor_failing'],
  );
});

/** So much time in one step, with what is due at its end. */
async function skip(
  harness: Awaited<ReturnType<typeof createTestOutbox>>,
  delivery: { waitUntilIdle(): Promise<void> },
  ms: number,
): Promise<void> {
  harness.clock.advance(ms - 1_000);
  await delivery.waitUntilIdle();
  await harness.clock.advanceAsync(1_000);
  await delivery.waitUntilIdle();
}
