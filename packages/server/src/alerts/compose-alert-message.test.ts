import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createQueryCounter } from '../store/test/query-counter.ts';
import { prepareNextAlertMessage } from './prepare-alert-message.ts';
import { createFailingAlert, createTestOutbox } from './test/test-outbox.ts';
import { startWebhookReceiver } from './test/webhook-receiver.ts';

test('the number of queries for a message does not depend on the number of due repetitions', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url, realert_minutes: 10 });
  const delivery = harness.start();
  await harness.put(...Array.from({ length: 40 }, (_, index) => createFailingAlert(`m${index}`)));
  await harness.pass(delivery, 2_000);
  await delivery.close();
  const [first] = await harness.deliveries();
  const { counts, plugin } = createQueryCounter();
  const composed = await harness.database.transaction((writer) => {
    return prepareNextAlertMessage(writer.withPlugin(plugin), {
      channelId: first?.channel_id ?? '',
      managesIncidents: true,
      nowMs: harness.clock.now() + 600_000,
      resolveMutes: async () => new Map(),
      createRepetitions: () => [],
    });
  });
  assert.equal(composed?.deliveries.length, 40);
  assert.equal(composed.content.thread, first?.id);
  assert.ok(counts.statements <= 6, `${counts.statements} statements`);
});

test('the number of queries does not depend on the number of alerts that are delayed', async (t) => {
  const harness = await createTestOutbox(t, {
    resolveMutes: async (_, alerts, nowMs) => new Map(alerts.map((alert) => [alert, nowMs + 1_000])),
  });
  await harness.channels({ name: 'a', kind: 'webhook', url: 'http://127.0.0.1:9' });
  const delivery = harness.start();
  await harness.put(...Array.from({ length: 40 }, (_, index) => createFailingAlert(`m${index}`)));
  await harness.pass(delivery, 2_000);
  await delivery.close();
  const [first] = await harness.deliveries();
  const { counts, plugin } = createQueryCounter();
  const nowMs = harness.clock.now() + 2_000;
  const composed = await harness.database.transaction((writer) => {
    return prepareNextAlertMessage(writer.withPlugin(plugin), {
      channelId: first?.channel_id ?? '',
      managesIncidents: false,
      nowMs,
      resolveMutes: async (_, alerts) => new Map(alerts.map((alert) => [alert, nowMs + 30_000])),
      createRepetitions: () => [],
    });
  });
  assert.equal(composed, null);
  assert.ok(counts.statements <= 6, `${counts.statements} statements`);
  assert.ok((await harness.deliveries()).every(({ due_at }) => due_at === nowMs + 30_000));
});
