import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { updateChannel } from '../store/channels.ts';
import type { Alert } from './alert.ts';
import { retryAlertDelivery } from './retry-alert-delivery.ts';
import {
  ALERT_TEST_ORG,
  createFailingAlert,
  createRecoveredAlert,
  createTestOutbox,
} from './test/test-outbox.ts';
import {
  hasValidWebhookSignature,
  type ReceivedMessage,
  startWebhookReceiver,
} from './test/webhook-receiver.ts';

const typesOf = (received: readonly ReceivedMessage[]) => received.map(({ json }) => json['type']);
const titleOf = ({ json }: ReceivedMessage) => JSON.stringify(json['data']);

test('an alert is sent to every matching channel, signed, with the cause, the start time and a link', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  const secret = Buffer.from('0123456789abcdef0123456789abcdef');
  const hook = (name: string, more: object = {}) => ({
    name,
    kind: 'webhook',
    url: `${receiver.url}/${name}`,
    ...more,
  });
  await harness.channels(
    hook('all', { secret: `whsec_${secret.toString('base64')}` }),
    hook('plain', { secret: 'a plain secret' }),
    hook('budgets', { events: ['budget'] }),
    hook('prod', { tags: ['prod'] }),
    hook('test', { tags: ['test'] }),
  );
  const delivery = harness.start();
  await harness.put(createFailingAlert('nightly', { tags: ['prod'] }));
  await harness.pass(delivery);
  const byPath = new Map(receiver.received.map((one) => [one.path, one]));
  assert.deepEqual([...byPath.keys()].sort(), ['/all', '/plain', '/prod']);
  const all = byPath.get('/all');
  assert.ok(all && hasValidWebhookSignature(secret, all));
  assert.ok(hasValidWebhookSignature('a plain secret', byPath.get('/plain') ?? all));
  assert.equal(byPath.get('/prod')?.headers['webhook-signature'], undefined);
  assert.equal(all.headers['webhook-id'], all.headers['idempotency-key']);
  assert.deepEqual(all.json['data'], {
    title: 'Job nightly is failing',
    link: 'https://floe.example/o/acme/monitors/nightly',
    thread: all.headers['webhook-id'],
    repetition: 0,
    event: 'monitor_failing',
    org: ALERT_TEST_ORG,
    subject: { kind: 'monitor', id: 'nightly', name: 'Job nightly' },
    at: '2026-11-21T12:00:00.000Z',
    fields: {
      error: 'no heartbeat received within expected_interval_minutes + grace_period_minutes',
      failing_since: '2026-11-21T11:57:55.000Z',
      last_beat_at: '2026-11-21T11:52:55.000Z',
      tags: ['prod'],
    },
  });
  assert.deepEqual(await harness.states(), ['sent', 'sent', 'sent']);
});

test('alerts with named channels are sent only to these channels, and only for matching events', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels(
    { name: 'a', kind: 'webhook', url: `${receiver.url}/a` },
    { name: 'b', kind: 'webhook', url: `${receiver.url}/b` },
  );
  const delivery = harness.start();
  await harness.put({ ...createFailingAlert('x'), channels: ['b', 'gone'] });
  await harness.pass(delivery);
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/b'],
  );
});

test('alerts whose named channels were all deleted or renamed are sent to all matching channels', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels(
    { name: 'a', kind: 'webhook', url: `${receiver.url}/a` },
    { name: 'b', kind: 'webhook', url: `${receiver.url}/b`, events: ['budget'] },
  );
  const delivery = harness.start();
  await harness.put({ ...createFailingAlert('x'), channels: ['gone', 'renamed'] });
  await harness.pass(delivery);
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/a'],
  );
});

test('a recovery is sent to the channels that received the failure, even if the channels and tags of the monitor have changed', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels(
    { name: 'a', kind: 'webhook', url: `${receiver.url}/a`, tags: ['prod'] },
    { name: 'b', kind: 'webhook', url: `${receiver.url}/b` },
  );
  const delivery = harness.start();
  await harness.put({ ...createFailingAlert('x', { tags: ['prod'] }), channels: ['a'] });
  await harness.pass(delivery);
  await harness.put({ ...createRecoveredAlert('x'), channels: ['b'] });
  await harness.pass(delivery);
  assert.deepEqual(
    receiver.received.map(({ path, json }) => [path, json['type']]),
    [
      ['/a', 'monitor_failing'],
      ['/a', 'monitor_recovered'],
    ],
  );
});

test('a failed message is sent again with increasing delays, and later messages wait for it', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, (_, response, index) => {
    response.statusCode = index < 3 ? 503 : 204;
    response.end();
  });
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'));
  await harness.pass(delivery);
  await harness.put(createRecoveredAlert('x'));
  const seen = [receiver.received.length];
  for (const wait of [3_000, 1_000, 7_000, 1_000, 14_000, 2_000]) {
    await harness.pass(delivery, wait);
    seen.push(receiver.received.length);
  }
  assert.deepEqual(seen, [1, 1, 2, 2, 3, 3, 5]);
  assert.deepEqual(typesOf(receiver.received), [...Array(4).fill('monitor_failing'), 'monitor_recovered']);
  assert.equal(new Set(receiver.received.slice(0, 4).map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.equal(
    harness.counted.join(),
    [...Array(3).fill('webhook retry'), 'webhook sent', 'webhook sent'].join(),
  );
});

test('Retry-After is respected, but delays a channel for at most one hour', async (t) => {
  for (const [header, waitMs] of [
    ['90', 90_000],
    ['999999999', 3_600_000],
  ] as const) {
    const harness = await createTestOutbox(t);
    const receiver = await startWebhookReceiver(t, (_, response, index) => {
      response.writeHead(index === 0 ? 429 : 200, { 'retry-after': header }).end();
    });
    await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
    const delivery = harness.start();
    await harness.put(createFailingAlert('x'));
    await harness.pass(delivery);
    await harness.clock.advanceAsync(waitMs - 2_000);
    await delivery.waitUntilIdle();
    assert.equal(receiver.received.length, 1, header);
    await harness.pass(delivery, 3_000);
    assert.equal(receiver.received.length, 2, header);
  }
});

test('a message that the receiver rejects is marked as failed after five attempts, and the channel continues', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, ({ body }, response) => {
    response.statusCode = body.includes('Job poison') ? 400 : 200;
    response.end();
  });
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('poison'), createFailingAlert('good'));
  await harness.pass(delivery, 240_000);
  assert.deepEqual(await harness.states(), ['failed', 'sent']);
  assert.equal(receiver.received.length, 6);
  const [dead] = await harness.deliveries();
  assert.deepEqual(
    [dead?.attempts, dead?.status, dead?.error],
    [5, 400, 'the receiver responded with HTTP 400'],
  );
  assert.deepEqual([harness.counted[1], harness.counted.at(-1)], ['webhook sent', 'webhook failed']);
});

test('a receiver that never responds does not delay other channels', async (t) => {
  const harness = await createTestOutbox(t);
  const hung = await startWebhookReceiver(t, () => undefined);
  const healthy = await startWebhookReceiver(t);
  await harness.channels(
    { name: 'hung', kind: 'webhook', url: hung.url },
    { name: 'ok', kind: 'webhook', url: healthy.url },
  );
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'));
  await harness.clock.advanceAsync(1_000);
  await Promise.all([hung.count(1), healthy.count(1)]);
  const released = async () =>
    (await harness.database.read.selectFrom('channels').selectAll().execute()).some(
      ({ name, leased_until }) => name === 'ok' && leased_until <= harness.clock.now(),
    );
  await eventually(
    async () => ((await harness.states()).includes('sent') && (await released())) || undefined,
  );
  await harness.put(createRecoveredAlert('x'));
  // Rounds go on while the other one hangs; after 15 s it is let go.
  for (let rounds = 0; rounds < 3; rounds++) {
    await harness.clock.advanceAsync(1_000);
    await eventually(() => harness.clock.pending().includes(1_000) || undefined);
  }
  await healthy.count(2);
  assert.deepEqual(typesOf(healthy.received), ['monitor_failing', 'monitor_recovered']);
  assert.equal(hung.received.length, 1);
  await harness.clock.advanceAsync(15_000);
  await delivery.waitUntilIdle();
  const [late] = (await harness.deliveries()).filter(({ channel_name }) => channel_name === 'hung');
  assert.equal(late?.error, 'the receiver did not respond within 15 s');
});

test('five failures at once are one message, their recoveries are one message, and nothing is sent twice', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  const ids = Array.from({ length: 30 }, (_, index) => `m${index}`);
  await harness.put(...ids.map((id) => createFailingAlert(id)));
  await harness.pass(delivery, 2_000);
  await harness.put(...ids.map((id) => createRecoveredAlert(id)));
  await harness.pass(delivery, 2_000);
  assert.deepEqual(typesOf(receiver.received), ['alerts_grouped', 'alerts_grouped']);
  const [begun, over] = receiver.received;
  assert.match(begun ? titleOf(begun) : '', /30 monitors are failing/);
  assert.match(over ? titleOf(over) : '', /30 monitors are no longer failing/);
  const deliveries = await harness.deliveries();
  assert.ok(deliveries.every(({ state }) => state === 'sent'));
  assert.equal(new Set(deliveries.map(({ grouped_into, id }) => grouped_into ?? id)).size, 2);
});

test('many monitors that never sent a beat are one message', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  const waitingSinceMs = harness.clock.now() - 600_000;
  await harness.put(
    ...Array.from(
      { length: 30 },
      (_, index): Alert => ({
        ...createFailingAlert(`m${index}`),
        event: 'monitor_never_beaten',
        fields: { waitingSinceMs, tags: [] },
      }),
    ),
  );
  await harness.pass(delivery, 2_000);
  assert.deepEqual(typesOf(receiver.received), ['alerts_grouped']);
  assert.match(receiver.received.map(titleOf).join(), /30 monitors have never received a beat/);
  assert.ok((await harness.states()).every((state) => state === 'sent'));
});

test('failures in quick succession are sent as four messages and one summary for the rest of the minute', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  for (let index = 0; index < 9; index++) {
    await harness.put(createFailingAlert(`m${index}`));
    await harness.pass(delivery, 5_000);
  }
  assert.equal(receiver.received.length, 4);
  await harness.pass(delivery, 60_000);
  assert.equal(receiver.received.length, 5);
  assert.match(titleOf(receiver.received[4] ?? assert.fail()), /5 monitors are failing/);
});

test('a recovery is sent only to channels that received the failure', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  const ends = { name: 'ends', kind: 'webhook', url: `${receiver.url}/ends`, events: ['monitor_recovered'] };
  await harness.channels({ name: 'all', kind: 'webhook', url: `${receiver.url}/all` }, ends);
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'), createRecoveredAlert('x'), createRecoveredAlert('never'));
  await harness.pass(delivery);
  assert.deepEqual(
    receiver.received.map(({ path }) => path),
    ['/all', '/all'],
  );
  assert.deepEqual(typesOf(receiver.received), ['monitor_failing', 'monitor_recovered']);
  const [begun, over] = receiver.received;
  assert.match(over ? titleOf(over) : '', new RegExp(`"thread":"${begun?.headers['webhook-id']}"`));
  const skipped = (await harness.deliveries()).filter(({ state }) => state === 'skipped');
  assert.deepEqual(skipped.map(({ channel_name }) => channel_name).sort(), ['all', 'ends', 'ends']);
});

test('a channel that missed a failure receives no recovery, although it received an earlier failure', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels(
    { name: 'a', kind: 'webhook', url: `${receiver.url}/a` },
    { name: 'b', kind: 'webhook', url: `${receiver.url}/b` },
  );
  const delivery = harness.start();
  const send = async (alert: Alert, channels: readonly string[] | null) => {
    await harness.put({ ...alert, channels });
    await harness.pass(delivery, 2_000);
  };
  await send(createFailingAlert('x'), ['a']);
  await send(createRecoveredAlert('x'), null);
  // The monitor names only the other channel for a while.
  await send(createFailingAlert('x'), ['b']);
  await send(createRecoveredAlert('x'), null);
  assert.deepEqual(
    receiver.received.map(({ path, json }) => `${path} ${json['type']}`),
    ['/a monitor_failing', '/a monitor_recovered', '/b monitor_failing', '/b monitor_recovered'],
  );
});

test('an ongoing alert is repeated at the interval of the channel until it ends', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url, realert_minutes: 10 });
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'));
  await harness.pass(delivery, 2_000);
  for (let hops = 0; hops < 2; hops++) {
    await harness.clock.advanceAsync(600_000);
    await delivery.waitUntilIdle();
    await harness.pass(delivery);
  }
  await harness.put(createRecoveredAlert('x'));
  await harness.pass(delivery, 2_000);
  await harness.clock.advanceAsync(3_600_000);
  await delivery.waitUntilIdle();
  assert.deepEqual(typesOf(receiver.received), [...Array(3).fill('monitor_failing'), 'monitor_recovered']);
  assert.match(titleOf(receiver.received[1] ?? assert.fail()), /is still failing/);
  assert.deepEqual(await harness.states(), ['sent', 'sent', 'sent', 'skipped', 'sent']);
});

test('during quiet hours, messages wait: ended alerts are not sent, and ongoing alerts are sent afterwards', async (t) => {
  let quietUntil = Number.POSITIVE_INFINITY;
  const harness = await createTestOutbox(t, {
    resolveMutes: async (_reader, alerts, nowMs) =>
      new Map(alerts.filter(() => nowMs < quietUntil).map((alert: Alert) => [alert, quietUntil])),
  });
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('short'), createFailingAlert('long'));
  await harness.pass(delivery, 2_000);
  await harness.put(createRecoveredAlert('short'));
  await harness.pass(delivery, 62_000);
  assert.equal(receiver.received.length, 0);
  quietUntil = 0;
  await harness.pass(delivery, 62_000);
  assert.deepEqual(
    receiver.received.map(titleOf).map((title) => /Job \w+ is \w+/.exec(title)?.[0]),
    ['Job long is failing'],
  );
  assert.deepEqual(await harness.states(), ['muted', 'sent', 'skipped']);
});

test('a retry that a user requests is sent even if the alert is muted', async (t) => {
  const harness = await createTestOutbox(t, {
    resolveMutes: async (_reader, alerts) =>
      new Map(alerts.map((alert: Alert) => [alert, Number.POSITIVE_INFINITY])),
  });
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'));
  await harness.pass(delivery, 62_000);
  assert.equal(receiver.received.length, 0);
  const [muted] = await harness.deliveries();
  assert.equal(muted?.pending_reason, 'muted');
  await harness.database.transaction((writer) =>
    retryAlertDelivery(writer, ALERT_TEST_ORG, muted.id, harness.clock.now()),
  );
  await harness.pass(delivery, 2_000);
  assert.deepEqual(await harness.states(), ['sent']);
  assert.equal(receiver.received.length, 1);
});

test('a delivery cannot be retried if its channel was removed or disabled', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, (_, response) => response.writeHead(503).end());
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'));
  await harness.pass(delivery, 2_000);
  const [pending] = await harness.deliveries();
  assert.ok(pending);
  const retry = () =>
    harness.database.transaction((writer) =>
      retryAlertDelivery(writer, ALERT_TEST_ORG, pending.id, harness.clock.now()),
    );
  await retry();
  await harness.database.transaction((writer) => updateChannel(writer, pending.channel_id, { enabled: 0 }));
  await assert.rejects(retry, /channel "a" is disabled/);
  await harness.channels();
  await assert.rejects(retry, /channel "a" was removed/);
  assert.deepEqual(await harness.states(), ['failed']);
});

test('if the process ends before it records a delivery, the message is sent again with the same id, in order', async (t) => {
  const first = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await first.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  // The first process sends and never comes back: its writing down hangs as in a process that was killed.
  const { database } = first;
  let transactions = 0;
  const dying = {
    ...database,
    read: database.read,
    transaction: ((work) =>
      ++transactions > 3 && receiver.received.length > 0
        ? new Promise(() => undefined)
        : database.transaction(work)) as typeof database.transaction,
  };
  const dead = await createTestOutbox(t, { database: dying, clock: first.clock });
  await first.put(createFailingAlert('x'), createRecoveredAlert('x'));
  const killed = dead.startMortal();
  await first.clock.advanceAsync(1_000);
  await receiver.count(1);
  const heir = first.start();
  // What was being sent hangs for ever; this only stops its rounds.
  killed.close().catch(assert.fail);
  await first.pass(heir, 50_000);
  assert.equal(receiver.received.length, 1, 'the lease of the dead process is still good');
  await first.pass(heir, 15_000);
  assert.deepEqual(typesOf(receiver.received), ['monitor_failing', 'monitor_failing', 'monitor_recovered']);
  assert.equal(receiver.received[0]?.headers['webhook-id'], receiver.received[1]?.headers['webhook-id']);
  assert.deepEqual(await first.states(), ['sent', 'sent']);
});

test('messages that may be sent are not blocked by messages that must wait', async (t) => {
  const harness = await createTestOutbox(t, {
    resolveMutes: async (_reader, alerts, nowMs) =>
      new Map(
        alerts.filter(({ subject }) => subject.id.startsWith('muted')).map((alert) => [alert, nowMs + 9e6]),
      ),
  });
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(...Array.from({ length: 1_200 }, (_, n) => createFailingAlert(`muted${n}`)));
  await harness.pass(delivery, 3_000);
  await harness.put(createFailingAlert('other'));
  await harness.pass(delivery, 2_000);
  assert.deepEqual(
    receiver.received.map(titleOf).map((title) => /Job \w+ is \w+/.exec(title)?.[0]),
    ['Job other is failing'],
  );
});

test('if a channel is changed during delivery, the remaining messages are sent to the new URL', async (t) => {
  const harness = await createTestOutbox(t);
  const [before, after] = [await startWebhookReceiver(t), await startWebhookReceiver(t)];
  const at = (url: string) => harness.channels({ name: 'a', kind: 'webhook', url });
  before.setRespond((_, response) => void at(after.url).then(() => response.end()));
  await at(before.url);
  const delivery = harness.start();
  await harness.put(createFailingAlert('one'), createFailingAlert('two'));
  await harness.pass(delivery, 3_000);
  assert.deepEqual([before.received.length, after.received.length], [1, 1]);
});
