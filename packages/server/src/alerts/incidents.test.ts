import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Alert } from './alert.ts';
import { retryAlertDelivery } from './retry-alert-delivery.ts';
import {
  ALERT_TEST_ORG,
  createFailingAlert,
  createRecoveredAlert,
  createTestOutbox,
} from './test/test-outbox.ts';
import { startWebhookReceiver } from './test/webhook-receiver.ts';

const MINUTE = 60_000;

/** A PagerDuty channel, and the dedup keys of the incidents that are open at the receiver. */
async function startPagerduty(t: TestContext, settings: object = {}) {
  const harness = await createTestOutbox(t);
  const receiver = await startWebhookReceiver(t, (_, response) => response.end('{"status":"success"}'));
  await harness.channels({
    name: 'oncall',
    kind: 'pagerduty',
    routing_key: 'key',
    base_url: receiver.url,
    ...settings,
  });
  const openIncidents = () => {
    const open = new Set<unknown>();
    for (const { json } of receiver.received)
      if (json['event_action'] === 'resolve') open.delete(json['dedup_key']);
      else open.add(json['dedup_key']);
    return [...open];
  };
  const delivery = harness.start();
  const send = async (...alerts: readonly Alert[]) => {
    await harness.put(...alerts);
    await harness.pass(delivery, 2_000);
  };
  return { harness, receiver, delivery, openIncidents, send };
}

test('a repeated alert triggers the same incident, and the recovery resolves it', async (t) => {
  const { harness, receiver, delivery, openIncidents, send } = await startPagerduty(t, {
    realert_minutes: 1,
  });
  await send(createFailingAlert('x'));
  await harness.pass(delivery, 3 * MINUTE);
  assert.ok(receiver.received.length >= 3);
  assert.equal(openIncidents().length, 1);
  await send(createRecoveredAlert('x'));
  assert.deepEqual(openIncidents(), []);
});

test('a channel without the event monitor_recovered resolves the incidents that it opened', async (t) => {
  const { openIncidents, send, receiver } = await startPagerduty(t, { events: ['monitor_failing'] });
  await send(createFailingAlert('x'));
  assert.equal(openIncidents().length, 1);
  await send(createRecoveredAlert('x'));
  assert.deepEqual(openIncidents(), []);
  await send(createRecoveredAlert('never-failed'));
  assert.equal(receiver.received.length, 2);
});

test('the incident of a grouped alert is repeated and resolved when all of its monitors have recovered', async (t) => {
  const { harness, delivery, openIncidents, send } = await startPagerduty(t, { realert_minutes: 1 });
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  await send(...ids.map((id) => createFailingAlert(id)));
  await harness.pass(delivery, 3 * MINUTE);
  assert.equal(openIncidents().length, 1);
  await send(...ids.slice(1).map((id) => createRecoveredAlert(id)));
  await harness.pass(delivery, 3 * MINUTE);
  assert.equal(openIncidents().length, 1);
  await send(createRecoveredAlert('a'));
  assert.deepEqual(openIncidents(), []);
});

test('if the first alert of a grouped message is skipped, the others are sent as one message', async (t) => {
  const { harness, receiver, delivery, openIncidents, send } = await startPagerduty(t);
  receiver.setRespond((_, response) => response.writeHead(503).end());
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  await send(...ids.map((id) => createFailingAlert(id)));
  receiver.setRespond((_, response) => response.end('{"status":"success"}'));
  receiver.received.length = 0;
  await harness.put(createRecoveredAlert('a'));
  const [first] = await harness.deliveries();
  await harness.database.transaction((writer) =>
    retryAlertDelivery(writer, ALERT_TEST_ORG, first?.id ?? '', harness.clock.now()),
  );
  await harness.pass(delivery, MINUTE);
  assert.deepEqual(await harness.states(), ['skipped', ...Array(5).fill('sent'), 'skipped']);
  assert.equal(receiver.received.length, 1);
  assert.equal(openIncidents().length, 1);
  await send(...ids.slice(1).map((id) => createRecoveredAlert(id)));
  assert.deepEqual(openIncidents(), []);
});

test('an alert without an end opens an incident with the severity warning, which Floe does not resolve', async (t) => {
  const { openIncidents, send, receiver } = await startPagerduty(t);
  await send({
    ...createFailingAlert('x'),
    event: 'monitor_never_beaten',
    fields: { waitingSinceMs: Date.UTC(2026, 10, 21, 11), tags: [] },
  });
  assert.match(receiver.received[0]?.body ?? '', /"severity":"warning"/);
  await send(createRecoveredAlert('x'));
  assert.equal(openIncidents().length, 1);
});

test('a requested retry of an alert that has ended opens no incident', async (t) => {
  const { harness, receiver, send, delivery } = await startPagerduty(t);
  receiver.setRespond((_, response) => response.writeHead(400).end());
  await send(createFailingAlert('x'));
  await harness.pass(delivery, 3 * MINUTE);
  await send(createRecoveredAlert('x'));
  assert.deepEqual(await harness.states(), ['failed', 'skipped']);
  const attempts = receiver.received.length;
  receiver.setRespond((_, response) => response.end('{"status":"success"}'));
  const [opening] = await harness.deliveries();
  await harness.database.transaction((writer) =>
    retryAlertDelivery(writer, ALERT_TEST_ORG, opening?.id ?? '', harness.clock.now()),
  );
  await harness.pass(delivery, 2_000);
  assert.equal(receiver.received.length, attempts);
  assert.deepEqual(await harness.states(), ['skipped', 'skipped']);
});

test('the details of a grouped alert contain monitors with the same name', async (t) => {
  const { receiver, send } = await startPagerduty(t);
  await send(...['a', 'b', 'c', 'd', 'e'].map((id) => createFailingAlert(id, { name: 'Backup' })));
  assert.equal(receiver.received.length, 1);
  assert.equal(receiver.received[0]?.body.match(/for 2 min/g)?.length, 5);
});
