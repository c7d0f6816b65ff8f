import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Alert } from '../alerts/alert.ts';
import {
  ALERT_TEST_ORG,
  createFailingAlert,
  createRecoveredAlert,
  createTestOutbox,
} from '../alerts/test/test-outbox.ts';
import { startWebhookReceiver } from '../alerts/test/webhook-receiver.ts';
import {
  insertMaintenanceWindow,
  type MaintenanceWindowRow,
} from '../store/monitoring/maintenance-windows.ts';
import { findMonitorById } from '../store/monitoring/monitors.ts';
import { commitBeats } from './commit-beats.ts';
import { findMaintenanceOccurrenceAt, listMaintenanceOccurrencesAfter } from './maintenance-occurrences.ts';
import { resolveMonitorMutes } from './monitor-mutes.ts';
import { createMonitor, pauseMonitor, replaceMonitor, requireMonitor } from './monitors.ts';
import { createTestBeatCall, createTestMonitorDefinition, runMonitorChange } from './test/test-monitors.ts';

const HOUR = 3_600_000;

function window(columns: Partial<MaintenanceWindowRow>): MaintenanceWindowRow {
  return {
    org_id: ALERT_TEST_ORG,
    id: 'w',
    name: 'W',
    starts_at: null,
    ends_at: null,
    cron: null,
    timezone: null,
    duration_ms: null,
    monitors_json: '[]',
    tags_json: '[]',
    show_on_boards: 0,
    created_at: 1,
    updated_at: 1,
    updated_by: 'test',
    ...columns,
  };
}

test('maintenance delays alerts that begin in it, sends them afterwards if they continue, and never delays a recovery', async (t) => {
  const harness = await createTestOutbox(t, { resolveMutes: resolveMonitorMutes });
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'ops', kind: 'webhook', url: `${receiver.url}/ops` });
  const delivery = harness.start();
  await harness.put(createFailingAlert('told-before'));
  await harness.pass(delivery);
  const start = harness.clock.now();
  await harness.database.transaction((writer) =>
    insertMaintenanceWindow(
      writer,
      window({ starts_at: start, ends_at: start + 120_000, tags_json: '["db"]' }),
    ),
  );
  await harness.put(
    createFailingAlert('lasts', { tags: ['db'] }),
    createFailingAlert('short', { tags: ['db'] }),
    createFailingAlert('elsewhere', { tags: ['web'] }),
  );
  await harness.pass(delivery, 5_000);
  await harness.put(createRecoveredAlert('short'), createRecoveredAlert('told-before'));
  await harness.pass(delivery, 5_000);
  const told = () => receiver.received.map(({ json }) => `${json['type']} ${JSON.stringify(json['data'])}`);
  const about = (id: string) => told().filter((line) => line.includes(`Job ${id}`));
  assert.deepEqual([about('lasts').length, about('short').length, about('elsewhere').length], [0, 0, 1]);
  assert.equal(about('told-before').length, 2);
  await harness.pass(delivery, 130_000);
  assert.deepEqual([about('lasts').length, about('short').length], [1, 0]);
});

test('a maintenance window affects monitors by the tags that they have now', async (t) => {
  const harness = await createTestOutbox(t, { resolveMutes: resolveMonitorMutes });
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'ops', kind: 'webhook', url: receiver.url, realert_minutes: 1 });
  const delivery = harness.start();
  const change = (tags: string[]) =>
    runMonitorChange(harness.database, { nowMs: harness.clock.now() }, async (changing) => {
      const definition = createTestMonitorDefinition('job', { tags });
      const row = await findMonitorById(changing.writer, ALERT_TEST_ORG, 'job');
      return row
        ? replaceMonitor(changing, row, definition)
        : createMonitor(changing, ALERT_TEST_ORG, definition);
    });
  await change(['web']);
  await harness.put(createFailingAlert('job', { tags: ['web'] }));
  await harness.pass(delivery);
  assert.equal(receiver.received.length, 1);
  await change(['db']);
  const starts_at = harness.clock.now();
  await harness.database.transaction((writer) =>
    insertMaintenanceWindow(writer, window({ starts_at, ends_at: starts_at + HOUR, tags_json: '["db"]' })),
  );
  await harness.pass(delivery, 300_000);
  assert.equal(receiver.received.length, 1);
  await change(['web']);
  await harness.pass(delivery, 61_000);
  assert.ok(receiver.received.length > 1);
});

test('a muted monitor is silent until its mute ends', async (t) => {
  const harness = await createTestOutbox(t, { resolveMutes: resolveMonitorMutes });
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'ops', kind: 'webhook', url: `${receiver.url}/ops` });
  const delivery = harness.start();
  const start = harness.clock.now();
  const muted_until = start + 90_000;
  await runMonitorChange(harness.database, { nowMs: start }, (changing) =>
    createMonitor(changing, ALERT_TEST_ORG, { ...createTestMonitorDefinition('loud'), muted_until }),
  );
  await harness.put(createFailingAlert('loud'));
  await harness.pass(delivery, 10_000);
  assert.equal(receiver.received.length, 0);
  await harness.pass(delivery, 100_000);
  assert.equal(receiver.received.length, 1);
});

test('an alert that lasts longer than its mute is sent although it ends before an attempt succeeds', async (t) => {
  const harness = await createTestOutbox(t, { resolveMutes: resolveMonitorMutes });
  const receiver = await startWebhookReceiver(t, (_, response) => response.writeHead(500).end());
  await harness.channels({ name: 'ops', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  const start = harness.clock.now();
  await harness.database.transaction((writer) =>
    insertMaintenanceWindow(writer, window({ starts_at: start, ends_at: start + 90_000 })),
  );
  await harness.put(createFailingAlert('lasts'));
  await harness.pass(delivery, 91_000);
  assert.equal(receiver.received.length, 1);
  await harness.put(createRecoveredAlert('lasts'));
  receiver.setRespond((_, response) => response.end());
  await harness.pass(delivery, 30_000);
  assert.deepEqual(
    receiver.received.map(({ json }) => json['type']),
    ['monitor_failing', 'monitor_failing', 'monitor_recovered'],
  );
});

test('an alert that a monitor never sent a beat is not sent if a beat arrived while it was muted', async (t) => {
  const harness = await createTestOutbox(t, { resolveMutes: resolveMonitorMutes });
  const receiver = await startWebhookReceiver(t);
  await harness.channels({ name: 'ops', kind: 'webhook', url: receiver.url });
  const delivery = harness.start();
  const start = harness.clock.now();
  const columns = {
    starts_at: start,
    ends_at: start + 120_000,
    monitors_json: '["starts","silent","paused"]',
  };
  await harness.database.transaction((writer) => insertMaintenanceWindow(writer, window(columns)));
  for (const id of ['starts', 'silent', 'paused', 'unmuted'])
    await runMonitorChange(harness.database, { nowMs: start }, (changing) =>
      createMonitor(changing, ALERT_TEST_ORG, createTestMonitorDefinition(id)),
    );
  await harness.put(...['starts', 'silent', 'paused', 'unmuted'].map(createNeverBeatenAlert));
  await harness.pass(delivery, 5_000);
  assert.equal(receiver.received.length, 1);
  const nowMs = harness.clock.now();
  const context = { nowMs, gaps: [], peersCommittedUntil: Number.POSITIVE_INFINITY };
  const call = { ...createTestBeatCall('starts', nowMs), address: { orgId: ALERT_TEST_ORG, id: 'starts' } };
  await commitBeats(harness.database, [call], context);
  await runMonitorChange(harness.database, { nowMs }, async (changing) =>
    pauseMonitor(changing, await requireMonitor(changing.writer, ALERT_TEST_ORG, 'paused'), null),
  );
  await harness.pass(delivery, 180_000);
  assert.deepEqual(
    receiver.received.map(({ body }) => /"title":"(\w+)/.exec(body)?.[1]),
    ['unmuted', 'silent'],
  );
  assert.deepEqual(await harness.states(), ['muted', 'sent', 'muted', 'sent']);
});

function createNeverBeatenAlert(id: string): Alert {
  return {
    ...createFailingAlert(id, { name: id }),
    event: 'monitor_never_beaten',
    at: 1_000,
    fields: { waitingSinceMs: 0, tags: [] },
  };
}

test('a repeated window keeps its local time after a clock change, and excludes its end', () => {
  const row = window({ cron: '0 2 * * *', timezone: 'Europe/Riga', duration_ms: 2 * HOUR });
  const at = (text: string) => findMaintenanceOccurrenceAt(row, Date.parse(text));
  assert.equal(at('2026-10-23T22:59:59Z'), null);
  assert.deepEqual(at('2026-10-23T23:00:00Z'), {
    startsAt: Date.parse('2026-10-23T23:00:00Z'),
    endsAt: Date.parse('2026-10-24T01:00:00Z'),
  });
  assert.equal(at('2026-10-24T01:00:00Z'), null);
  assert.ok(at('2026-10-26T00:00:00Z'));
  const bounded = { ...row, ends_at: Date.parse('2026-10-25T00:30:00Z') };
  const found = listMaintenanceOccurrencesAfter(bounded, Date.parse('2026-10-24T12:00:00Z'), 5);
  assert.deepEqual(found, [
    { startsAt: Date.parse('2026-10-24T23:00:00Z'), endsAt: Date.parse('2026-10-25T00:30:00Z') },
  ]);
});
