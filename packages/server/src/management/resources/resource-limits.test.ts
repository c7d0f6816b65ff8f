import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_RESOURCES_PER_ORG } from '@floe/contract/config/max-resources-per-org';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { openDatabase } from '../../store/open-database.ts';
import { insertOrg } from '../../store/orgs.ts';
import { createQueryCounter } from '../../store/test/query-counter.ts';
import { createTemporaryDirectory } from '../../store/test/temporary-directory.ts';
import { countNewResourceWithinLimit, discardResourceCount } from './resource-limits.ts';

test('a transaction that creates many resources counts them once, and again after a removal', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase('sqlite:', { dataDir, log: silentLog, clock: systemClock });
  t.after(() => database.close());
  const orgId = 'acme';
  await database.transaction((writer) => insertOrg(writer, { id: orgId, name: 'a', created_at: 1 }));
  await database.transaction(async (transaction) => {
    const { counts, plugin } = createQueryCounter();
    const context = { writer: transaction.withPlugin(plugin), orgId };
    for (let at = 0; at < MAX_RESOURCES_PER_ORG.boards; at++)
      await countNewResourceWithinLimit('boards', context);
    assert.equal(counts.statements, 1);
    await assert.rejects(countNewResourceWithinLimit('boards', context), /maximum number of boards \(200\)/);
    await countNewResourceWithinLimit('boards', { ...context, orgId: 'other' });
    await countNewResourceWithinLimit('channels', context);
    assert.equal(counts.statements, 3);
    await countNewResourceWithinLimit('invitations', context);
    assert.equal(counts.statements, 3, 'a kind without a maximum');
    discardResourceCount('boards', context);
    await countNewResourceWithinLimit('boards', context);
    assert.equal(counts.statements, 4);
  });
});
