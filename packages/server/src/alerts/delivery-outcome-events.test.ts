import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requeueAlertDelivery } from '../store/alert-deliveries.ts';
import type { Database } from '../store/store-interfaces.ts';
import { createFailingAlert, createTestOutbox } from './test/test-outbox.ts';
import { startWebhookReceiver } from './test/webhook-receiver.ts';

test('event streams report the outcome of a delivery: first failed, then sent', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, (_, response, index) =>
    response.writeHead(index === 0 ? 503 : 200).end(),
  );
  await harness.channels({ name: 'ops', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('nightly'));
  await harness.pass(delivery, 10_000);
  assert.equal(receiver.received.length, 2);
  const [alert] = await harness.database.read.selectFrom('alerts').select('id').execute();
  const outcome = (state: string) => ({ channel: 'ops', state, alert_ids: [alert?.id] });
  assert.deepEqual((await told(harness.database)).slice(1), [outcome('pending'), outcome('sent')]);
});

test('event streams report that a delivery is retried, and that removing the channel cancels it', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, (_, response) => response.writeHead(503).end());
  await harness.channels({ name: 'ops', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('nightly'));
  await harness.pass(delivery, 2_000);
  const [owed] = await harness.deliveries();
  assert.ok(owed?.attempts === 1);
  const before = await told(harness.database);
  await harness.database.transaction((writer) => requeueAlertDelivery(writer, owed, harness.clock.now()));
  await harness.channels();
  const outcome = (state: string) => ({ channel: 'ops', state, alert_ids: [owed.alert_id] });
  assert.deepEqual((await told(harness.database)).slice(before.length), [
    outcome('pending'),
    outcome('failed'),
  ]);
  await harness.channels();
  assert.equal((await told(harness.database)).length, before.length + 2, 'nothing owed, nothing told');
});

/** What watchers of alerts were told, oldest first. */
async function told(database: Database): Promise<unknown[]> {
  const events = await database.read
    .selectFrom('live_events')
    .select('data_json')
    .where('topic', '=', 'alerts')
    .orderBy('seq')
    .execute();
  return events.map(({ data_json }) => JSON.parse(data_json));
}
