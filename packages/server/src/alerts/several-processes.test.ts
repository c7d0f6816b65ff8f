import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { insertOrg } from '../store/orgs.ts';
import { openPostgres } from '../store/postgres/open-postgres.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import {
  ALERT_TEST_ORG,
  createFailingAlert,
  createRecoveredAlert,
  createTestOutbox,
} from './test/test-outbox.ts';
import { startWebhookReceiver } from './test/webhook-receiver.ts';

test('two processes on one PostgreSQL deliver each alert once, in order for each channel', async (t) => {
  const url = await createTestDatabase(t);
  const clock = new FakeClock();
  const databases = await Promise.all(
    [0, 1].map(() => openPostgres(url, { log: silentLog, clock: systemClock })),
  );
  const [one, two] = await Promise.all(databases.map((database) => createTestOutbox(t, { database, clock })));
  if (!one || !two) throw new Error('two processes were to start');
  await one.database.transaction((writer) =>
    insertOrg(writer, { id: ALERT_TEST_ORG, name: 'Acme', created_at: 1 }),
  );
  const receiver = await startWebhookReceiver(t);
  const names = ['a', 'b', 'c', 'd'];
  await one.channels(...names.map((name) => ({ name, kind: 'webhook', url: `${receiver.url}/${name}` })));
  const deliveries = [one.start(), two.start()];
  const ids = ['x', 'y', 'z'];
  for (const id of ids) {
    await Promise.all([
      one.put(createFailingAlert(id)),
      two.put(createFailingAlert(`${id}2`), createRecoveredAlert(`${id}2`)),
    ]);
    for (let rounds = 0; rounds < 3; rounds++) {
      await clock.advanceAsync(1_000);
      await Promise.all(deliveries.map((delivery) => delivery.waitUntilIdle()));
    }
    // Past the minute in which more failures would be folded.
    clock.advance(120_000);
  }
  for (let rounds = 0; rounds < 3; rounds++) {
    await clock.advanceAsync(1_000);
    await Promise.all(deliveries.map((delivery) => delivery.waitUntilIdle()));
  }
  assert.deepEqual([...new Set(await one.states())], ['sent']);
  const messageIds = receiver.received.map(({ headers }) => headers['webhook-id']);
  assert.equal(new Set(messageIds).size, messageIds.length, 'a message was sent twice');
  assert.equal(messageIds.length, names.length * ids.length * 3);
  for (const name of names)
    for (const id of ids) {
      const told = receiver.received.filter(
        ({ path, body }) => path === `/${name}` && body.includes(`Job ${id}2`),
      );
      assert.deepEqual(
        told.map(({ json }) => json['type']),
        ['monitor_failing', 'monitor_recovered'],
      );
    }
  await Promise.all(deliveries.map((delivery) => delivery.close()));
  await Promise.all(databases.map((database) => database.close()));
});
