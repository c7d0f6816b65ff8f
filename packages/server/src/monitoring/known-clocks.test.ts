import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/clock';
import { silentLog } from '../core/log.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { temporaryDirectory } from '../store/test/temporary-directory.ts';
import { KnownClocks } from './known-clocks.ts';
import { createMonitor } from './monitors.ts';
import { addOrg, changed, monitor, ORG, T0 } from './test/monitors.ts';

test('a monitor that was deleted and made anew stays known when its old clock is forgotten', async (t) => {
  const database = await openSqlite(join(temporaryDirectory(t), 'floe.db'), {
    log: silentLog,
    clock: new FakeClock(),
  });
  t.after(() => database.close());
  await addOrg(database);
  await changed(database, { nowMs: T0 }, (changing) => createMonitor(changing, ORG, monitor('nightly')));
  const [before] = await database.read.selectFrom('monitor_clocks').selectAll().execute();
  assert.ok(before);
  const after = { ...before, uid: 'mon_anew', token_hash: 'another' };
  const clocks = new KnownClocks();
  clocks.learn(before);
  clocks.learn(after);
  clocks.forget(before.uid);
  assert.equal(clocks.get({ orgId: ORG, id: 'nightly' }), after);
  assert.equal(clocks.get({ tokenHash: 'another' }), after);
  assert.equal(clocks.get({ tokenHash: before.token_hash }), undefined);
});
