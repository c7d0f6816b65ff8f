import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailingAlert, createTestOutbox } from '../alerts/test/test-outbox.ts';
import { startWebhookReceiver } from '../alerts/test/webhook-receiver.ts';
import { createTestCluster, runEngineFor } from './test/test-cluster.ts';
import { MINUTE } from './test/test-monitors.ts';

test('a message that waits for its next attempt is not delayed when the clock is set back', async (t) => {
  const { clock, database, start } = await createTestCluster(t);
  const { engine, crash } = await start();
  const outbox = await createTestOutbox(t, { clock, database });
  const receiver = await startWebhookReceiver(t, (_, response, index) => {
    response.writeHead(index === 0 ? 503 : 200).end();
  });
  await outbox.channels({ name: 'a', kind: 'webhook', url: receiver.url });
  const delivery = outbox.start();
  clock.step(60 * MINUTE);
  await runEngineFor(clock, engine, 3_000);
  await outbox.put(createFailingAlert('x'));
  await outbox.pass(delivery, 2_000);
  assert.deepEqual(await outbox.states(), ['pending']);
  clock.step(-60 * MINUTE);
  await runEngineFor(clock, engine, 3_000);
  await outbox.pass(delivery, 6_000);
  assert.deepEqual(await outbox.states(), ['sent']);
  crash();
});
