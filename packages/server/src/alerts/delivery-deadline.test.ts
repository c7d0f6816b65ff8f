// Tier: ci. Sends messages for hours of fake time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from './alert.ts';
import { createFailingAlert, createRecoveredAlert, createTestOutbox } from './test/test-outbox.ts';
import { startWebhookReceiver } from './test/webhook-receiver.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('the 24 hours of attempts begin with the first one, however long the alert was muted', async (t) => {
  let mutedUntil = Number.POSITIVE_INFINITY;
  const harness = await createTestOutbox(t, {
    resolveMutes: async (_reader, alerts, nowMs) =>
      new Map(alerts.filter(() => nowMs < mutedUntil).map((alert: Alert) => [alert, mutedUntil])),
  });
  let status = 503;
  const receiver = await startWebhookReceiver(t, (_, response) => response.writeHead(status).end());
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('long'));
  await harness.pass(delivery, 2_000);
  mutedUntil = harness.clock.now() + 2 * DAY;
  await harness.clock.advanceAsync(2 * DAY);
  await delivery.waitUntilIdle();
  await harness.pass(delivery, 62_000);
  assert.ok(receiver.received.length > 1, 'it was given up after one attempt');
  assert.deepEqual(await harness.states(), ['pending']);
  status = 200;
  await harness.pass(delivery, 120_000);
  assert.deepEqual(await harness.states(), ['sent']);
});

test('an alert that waited while Floe was stopped for two days is retried for 24 hours', async (t) => {
  const harness = await createTestOutbox(t);
  let status = 503;
  const receiver = await startWebhookReceiver(t, (_, response) => response.writeHead(status).end());
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  await harness.put(createFailingAlert('x'));
  const before = harness.startMortal();
  await harness.clock.advanceAsync(1_000);
  await before.close();
  await harness.database.transaction((writer) =>
    writer
      .updateTable('alert_deliveries')
      .set({ attempts: 0, state: 'pending', due_at: harness.clock.now() })
      .execute(),
  );
  await harness.clock.advanceAsync(2 * DAY);
  const delivery = harness.start();
  await harness.pass(delivery, 62_000);
  assert.deepEqual(await harness.states(), ['pending']);
  status = 200;
  await harness.pass(delivery, 120_000);
  assert.deepEqual(await harness.states(), ['sent']);
});

test('an ongoing alert is repeated although a message about it was given up, and its recovery is sent', async (t) => {
  const harness = await createTestOutbox(t);
  let status = 404;
  const receiver = await startWebhookReceiver(t, (_, response) => response.writeHead(status).end());
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url, realert_minutes: 10 });
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'));
  await harness.pass(delivery, 180_000);
  assert.deepEqual(await harness.states(), ['failed', 'pending']);
  for (let minute = 0; minute < 12; minute++) await harness.pass(delivery, 60_000);
  assert.deepEqual(await harness.states(), ['failed', 'failed', 'pending']);
  status = 200;
  receiver.received.length = 0;
  for (let minute = 0; minute < 10; minute++) await harness.pass(delivery, 60_000);
  await harness.put(createRecoveredAlert('x', 40 * 60_000));
  await harness.pass(delivery, 3_000);
  assert.deepEqual(
    receiver.received.map(({ json }) => json['type']),
    ['monitor_failing', 'monitor_recovered'],
  );
  const threads = receiver.received.map(
    ({ json }) => JSON.stringify(json['data']).match(/"thread":"(\w+)"/)?.[1],
  );
  assert.equal(threads[0], threads[1]);
});

test('a recovery is not sent to a channel whose messages about the failure were all given up', async (t) => {
  const harness = await createTestOutbox(t);
  let status = 404;
  const receiver = await startWebhookReceiver(t, (_, response) => response.writeHead(status).end());
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url, realert_minutes: 60 });
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'));
  await harness.pass(delivery, 180_000);
  status = 200;
  receiver.received.length = 0;
  await harness.put(createRecoveredAlert('x'));
  await harness.pass(delivery, 3_000);
  assert.deepEqual(receiver.received, []);
});
