import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { updateAlertDeliveries } from '../store/alert-deliveries.ts';
import { skipAlertDeliveries } from '../store/ended-failures.ts';
import { insertOrg } from '../store/orgs.ts';
import { openPostgres } from '../store/postgres/open-postgres.ts';
import type { Database } from '../store/store-interfaces.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { createAlertDeliveries, MAX_DELIVERIES_PER_ROUND } from './create-alert-deliveries.ts';
import { retryAlertDelivery } from './retry-alert-delivery.ts';
import {
  ALERT_TEST_ORG,
  createFailingAlert,
  createRecoveredAlert,
  createTestOutbox,
} from './test/test-outbox.ts';
import { type ReceivedMessage, startWebhookReceiver } from './test/webhook-receiver.ts';

/** A monitor that fails and recovers while the receiver is down, several times in each routing transaction. */
async function requireFewWaitingMessages(
  t: Parameters<typeof createTestOutbox>[0],
  database?: Database,
): Promise<void> {
  const harness = await createTestOutbox(t, database ? { database } : {});
  let isDown = true;
  const receiver = await startWebhookReceiver(t, (_, response) => {
    response.statusCode = isDown ? 500 : 200;
    response.end();
  });
  const { url } = receiver;
  await harness.channels(
    { name: 'all', kind: 'webhook', url },
    { name: 'failures', kind: 'webhook', url, events: ['monitor_failing'] },
  );
  const delivery = harness.start();
  for (let round = 0; round < 6; round++) {
    for (let pair = 0; pair < 5; pair++)
      await harness.put(createFailingAlert('job'), createRecoveredAlert('job'));
    await harness.pass(delivery, 1_000);
  }
  await harness.put(createFailingAlert('job'));
  await harness.pass(delivery, 1_000);
  const pending = (await harness.deliveries()).filter(({ state }) => state === 'pending');
  const of = (name: string) => pending.filter(({ channel_name }) => channel_name === name).length;
  assert.ok(of('all') <= 3, `${of('all')} messages wait`);
  assert.ok(of('failures') <= 2, `${of('failures')} messages about failures wait`);
  isDown = false;
  await harness.pass(delivery, 120_000);
  assert.deepEqual(
    (await harness.deliveries()).filter(({ state }) => state === 'pending'),
    [],
  );
  const before = receiver.received.length;
  await harness.put(createRecoveredAlert('job'));
  await harness.pass(delivery, 30_000);
  const [message] = receiver.received.slice(before);
  assert.equal(receiver.received.length, before + 1);
  assert.equal(message?.json['type'], 'monitor_recovered');
  await delivery.close();
  receiver.close();
}

test('a monitor that fails repeatedly while the receiver is down has at most three waiting messages', (t) =>
  requireFewWaitingMessages(t));

test('postgres: a monitor that fails repeatedly while the receiver is down has at most three waiting messages', async (t) => {
  const database = await openPostgres(await createTestDatabase(t), { log: silentLog, clock: systemClock });
  await database.transaction((writer) =>
    insertOrg(writer, { id: ALERT_TEST_ORG, name: 'Acme', created_at: 1 }),
  );
  t.after(() => database.close());
  await requireFewWaitingMessages(t, database);
});

test('a routing transaction skips no more deliveries than it may create', async (t) => {
  const harness = await createTestOutbox(t);
  const names = Array.from({ length: 30 }, (_, at) => `channel-${at}`);
  const url = 'http://127.0.0.1:9';
  await harness.channels(
    ...names.map((name) => ({ name, kind: 'webhook', url, events: ['monitor_failing'] })),
  );
  const ids = Array.from({ length: 40 }, (_, at) => `job-${at}`);
  const countSkipped = async () => (await harness.states()).filter((state) => state === 'skipped').length;
  let skipped = 0;
  for (let failures = 0; failures < 2; failures++)
    for (const create of [createFailingAlert, createRecoveredAlert]) {
      await harness.put(...ids.map((id) => create(id)));
      while ((await createAlertDeliveries(harness.database, harness.clock)).more) {
        const now = await countSkipped();
        assert.ok(now - skipped <= MAX_DELIVERIES_PER_ROUND, `${now - skipped} deliveries were skipped`);
        skipped = now;
      }
    }
  assert.equal(skipped, names.length * ids.length);
});

test('any number of deliveries can be skipped at once', async (t) => {
  const { database } = await createTestOutbox(t);
  const skipped = Array.from({ length: 11_000 }, (_, at) => ({
    id: `dlv_${at}`,
    error: 'the alert ended',
    grouped_into: null,
  }));
  await database.transaction((writer) => skipAlertDeliveries(writer, skipped));
});

const typesOf = (received: readonly ReceivedMessage[]) => received.map(({ json }) => json['type']);

/** Starts a delivery whose receiver has already received the failure of `job`. */
async function startAfterFailure(t: Parameters<typeof createTestOutbox>[0]) {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  await harness.put(createFailingAlert('job'));
  await harness.pass(delivery, 2_000);
  return { harness, receiver, delivery };
}

test('while a recovery is being sent, a new failure that ends does not replace it', async (t) => {
  const { harness, receiver, delivery } = await startAfterFailure(t);
  receiver.setRespond(() => undefined);
  await harness.put(createRecoveredAlert('job'));
  await harness.clock.advanceAsync(1_000);
  await receiver.count(2);
  await harness.put(createFailingAlert('job'), createRecoveredAlert('job'));
  while ((await createAlertDeliveries(harness.database, harness.clock)).more);
  receiver.setRespond((_, response) => response.end());
  await harness.clock.advanceAsync(20_000);
  await harness.pass(delivery, 60_000);
  await harness.put(createFailingAlert('job'), createRecoveredAlert('job'));
  await harness.pass(delivery, 60_000);
  assert.deepEqual(await harness.states(), ['sent', 'sent', 'skipped', 'skipped', 'sent', 'sent']);
  assert.deepEqual(typesOf(receiver.received), [
    'monitor_failing',
    'monitor_recovered',
    'monitor_recovered',
    'monitor_failing',
    'monitor_recovered',
  ]);
});

test('a recovery with which others are combined is not skipped', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  const ids = ['one', 'two', 'three', 'four', 'five', 'six'];
  await harness.put(...ids.map((id) => createFailingAlert(id)));
  await harness.pass(delivery, 2_000);
  await harness.put(...ids.map((id) => createRecoveredAlert(id)));
  while ((await createAlertDeliveries(harness.database, harness.clock)).more);
  // A process combined the recoveries and ended before the first attempt.
  const [head, ...others] = (await harness.deliveries()).slice(ids.length);
  assert.ok(head);
  await harness.database.transaction((writer) =>
    updateAlertDeliveries(
      writer,
      others.map(({ id }) => id),
      { grouped_into: head.id },
    ),
  );
  await harness.put(createFailingAlert('one'), createRecoveredAlert('one'));
  await harness.pass(delivery, 30_000);
  assert.deepEqual((await harness.states()).slice(ids.length), [
    ...ids.map(() => 'sent'),
    'skipped',
    'skipped',
  ]);
  assert.deepEqual(typesOf(receiver.received), ['alerts_grouped', 'alerts_grouped']);
});

test('if no recovery waits, the end of a failure is reported although an earlier failure waits', async (t) => {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, (_, response) => response.writeHead(400).end());
  const failuresOnly = { name: 'a', kind: 'webhook', url: receiver.url, events: ['monitor_failing'] };
  const all = { name: 'b', kind: 'webhook', url: receiver.url };
  await harness.channels(failuresOnly, all);
  const delivery = harness.start();
  await harness.put(createFailingAlert('job'));
  await harness.pass(delivery, 300_000);
  await harness.put(createRecoveredAlert('job'));
  await harness.pass(delivery, 2_000);
  assert.deepEqual(await harness.states(), ['failed', 'failed', 'skipped']);
  receiver.setRespond((_, response) => response.writeHead(503).end());
  for (const { id, state } of await harness.deliveries())
    if (state === 'failed')
      await harness.database.transaction((writer) =>
        retryAlertDelivery(writer, ALERT_TEST_ORG, id, harness.clock.now()),
      );
  await harness.channels({ ...failuresOnly, events: ['monitor_failing', 'monitor_recovered'] }, all);
  await harness.pass(delivery, 2_000);
  for (let pairs = 0; pairs < 3; pairs++)
    await harness.put(createFailingAlert('job'), createRecoveredAlert('job'));
  await harness.pass(delivery, 2_000);
  const before = receiver.received.length;
  receiver.setRespond((_, response) => response.end());
  await harness.pass(delivery, 120_000);
  const types = typesOf(receiver.received.slice(before));
  assert.deepEqual(types.sort(), [
    'monitor_failing',
    'monitor_failing',
    'monitor_recovered',
    'monitor_recovered',
  ]);
  assert.ok(!(await harness.states()).includes('pending'));
});

test('if a recovery is abandoned, the newest one that was skipped for it is sent', async (t) => {
  const { harness, receiver, delivery } = await startAfterFailure(t);
  receiver.setRespond((_, response) => response.writeHead(400).end());
  await harness.put(createRecoveredAlert('job'));
  await harness.pass(delivery, 2_000);
  for (let pairs = 0; pairs < 2; pairs++)
    await harness.put(createFailingAlert('job'), createRecoveredAlert('job'));
  await harness.pass(delivery, 2_000);
  assert.deepEqual((await harness.states()).slice(2), ['skipped', 'skipped', 'skipped', 'skipped']);
  const abandoned = async () => (await harness.states())[1] === 'failed';
  for (let seconds = 0; seconds < 300 && !(await abandoned()); seconds++) await harness.pass(delivery);
  receiver.setRespond((_, response) => response.end());
  await harness.pass(delivery, 120_000);
  assert.deepEqual(await harness.states(), ['sent', 'failed', 'skipped', 'skipped', 'skipped', 'sent']);
  assert.equal(typesOf(receiver.received).at(-1), 'monitor_recovered');
});
