import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { insertOrg } from '../store/orgs.ts';
import type { Database } from '../store/store-interfaces.ts';
import { MAX_CONCURRENT_CHANNELS_PER_ORG } from './alert-delivery.ts';
import { createAlertDeliveries, MAX_DELIVERIES_PER_ROUND } from './create-alert-deliveries.ts';
import { CHANNEL_TURN_MS } from './deliver-to-channel.ts';
import { ALERT_TEST_ORG, createFailingAlert, createTestOutbox } from './test/test-outbox.ts';
import { startWebhookReceiver } from './test/webhook-receiver.ts';

const webhook = (name: string, url: string) => ({ name, kind: 'webhook', url: `${url}/${name}` });

const addOtherOrg = (database: Database) =>
  database.transaction((writer) => insertOrg(writer, { id: 'other', name: 'Other', created_at: 1 }));

test('slow receivers of one organization do not delay the alerts of another one', async (t) => {
  const harness = await createTestOutbox(t);
  const hung = await startWebhookReceiver(t, () => undefined);
  const healthy = await startWebhookReceiver(t);
  await addOtherOrg(harness.database);
  await harness.setChannels({
    [ALERT_TEST_ORG]: Array.from({ length: 60 }, (_, index) => webhook(`c${index}`, hung.url)),
    other: [webhook('ops', healthy.url)],
  });
  const delivery = harness.start();
  await harness.put(createFailingAlert('x'));
  await harness.clock.advanceAsync(1_000);
  await hung.count(MAX_CONCURRENT_CHANNELS_PER_ORG);
  await harness.put({ ...createFailingAlert('y'), orgId: 'other' });
  await eventually(() => harness.clock.pending().includes(1_000) || undefined);
  await harness.clock.advanceAsync(1_000);
  await healthy.count(1);
  assert.equal(hung.received.length, MAX_CONCURRENT_CHANNELS_PER_ORG);
  hung.close();
  await delivery.close();
});

test('an alert storm in an organization with many channels delays no other organization', async (t) => {
  const harness = await createTestOutbox(t);
  await addOtherOrg(harness.database);
  const url = 'http://127.0.0.1:1';
  await harness.setChannels({
    [ALERT_TEST_ORG]: Array.from({ length: 60 }, (_, index) => webhook(`c${index}`, url)),
    other: [webhook('ops', url)],
  });
  await harness.put(...Array.from({ length: 40 }, (_, index) => createFailingAlert(`m${index}`)));
  await harness.put({ ...createFailingAlert('y'), orgId: 'other' });
  assert.deepEqual(await createAlertDeliveries(harness.database, harness.clock), { more: true });
  const created = await harness.deliveries();
  assert.ok(created.length <= MAX_DELIVERIES_PER_ROUND);
  assert.deepEqual(
    created.filter(({ org_id }) => org_id === 'other').map(({ channel_name }) => channel_name),
    ['ops'],
  );
  while ((await createAlertDeliveries(harness.database, harness.clock)).more);
  assert.equal((await harness.deliveries()).length, 60 * 40 + 1);
});

test('organizations with many channels take turns, whichever alert is older', async (t) => {
  const harness = await createTestOutbox(t);
  await addOtherOrg(harness.database);
  const many = Array.from({ length: MAX_DELIVERIES_PER_ROUND }, (_, index) =>
    webhook(`c${index}`, 'http://127.0.0.1:1'),
  );
  for (const [first, second] of [
    [ALERT_TEST_ORG, 'other'],
    ['other', ALERT_TEST_ORG],
  ] as const) {
    await harness.setChannels({ [first]: many, [second]: [webhook('ops', 'http://127.0.0.1:1')] });
    await harness.put(
      ...Array.from({ length: 4 }, (_, index) => ({ ...createFailingAlert(`m${index}`), orgId: first })),
    );
    await harness.put({ ...createFailingAlert('y'), orgId: second });
    const turn = { lastOrgId: '' };
    const ofSecond = async () =>
      (await harness.deliveries()).filter(
        ({ org_id, channel_name }) => org_id === second && channel_name === 'ops',
      );
    for (let transactions = 0; transactions < 2; transactions++)
      await createAlertDeliveries(harness.database, harness.clock, turn);
    assert.equal((await ofSecond()).length, 1);
    while ((await createAlertDeliveries(harness.database, harness.clock, turn)).more);
  }
});

test('a channel with many messages takes turns with the other channels of its organization', async (t) => {
  const harness = await createTestOutbox(t);
  // Each response takes longer than a turn, so that a turn consists of one message.
  const slow = await startWebhookReceiver(t, (_, response) => {
    harness.clock.after(CHANNEL_TURN_MS + 1, () => response.end());
  });
  const count = MAX_CONCURRENT_CHANNELS_PER_ORG + 4;
  await harness.channels(...Array.from({ length: count }, (_, index) => webhook(`c${index}`, slow.url)));
  const delivery = harness.start();
  await harness.put(createFailingAlert('a'), createFailingAlert('b'), createFailingAlert('c'));
  const paths = () => slow.received.map(({ path }) => path);
  for (const arrived of [MAX_CONCURRENT_CHANNELS_PER_ORG, 2 * MAX_CONCURRENT_CHANNELS_PER_ORG]) {
    await eventually(() => harness.clock.pending().includes(1_000) || undefined);
    await harness.clock.advanceAsync(1_000);
    await slow.count(arrived);
    await harness.clock.advanceAsync(CHANNEL_TURN_MS + 1);
    await delivery.waitUntilIdle();
  }
  assert.equal(new Set(paths()).size, count, 'every channel is served before one is served twice');
});
