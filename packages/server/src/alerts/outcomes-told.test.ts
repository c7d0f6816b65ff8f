import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failing, outbox } from './test/outbox.ts';
import { startReceiver } from './test/receiver.ts';

test('those who watch the org hear what became of a message: first not taken, then taken', async (t) => {
  const house = await outbox(t);
  const receiver = await startReceiver(t, (_, response, index) =>
    response.writeHead(index === 0 ? 503 : 200).end(),
  );
  await house.channels({ name: 'ops', kind: 'webhook', url: receiver.url });
  const delivery = house.start();
  await house.put(failing('nightly'));
  await house.pass(delivery, 10_000);
  assert.equal(receiver.received.length, 2);
  const [alert] = await house.database.read.selectFrom('alerts').select('id').execute();
  const events = await house.database.read
    .selectFrom('live_events')
    .select('data_json')
    .where('topic', '=', 'alerts')
    .orderBy('seq')
    .execute();
  const outcome = (state: string) => ({ channel: 'ops', state, alert_ids: [alert?.id] });
  assert.deepEqual(
    events.slice(1).map(({ data_json }) => JSON.parse(data_json)),
    [outcome('pending'), outcome('sent')],
  );
});
