import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { systemClock } from '../core/clock.ts';
import { insertOrg } from '../store/orgs.ts';
import { insertPlatformKey, updatePlatformKey } from '../store/platform-keys.ts';
import { listTeamsOfOrg } from '../store/teams.ts';
import { buildPlatformKey } from './build-platform-key.ts';
import { createResourceKindSyncFactory } from './config-file-sync.ts';
import { CONFIG_FILE_TEAM_RESOURCE_KIND } from './config-file-teams.ts';
import { syncTestOrgs } from './test/sync-orgs.ts';
import {
  openTestPlatform,
  PLATFORM_TEST_NOW,
  platformTestPepper,
  type TestPlatform,
} from './test/test-platform.ts';

let stored: TestPlatform;
before(async () => {
  stored = await openTestPlatform(systemClock);
  await stored.database.transaction((writer) =>
    insertOrg(writer, { id: 'acme', name: 'Acme', created_at: 1 }),
  );
});
after(() => stored.close());

const team = (id: string, cost_center?: string) => ({ id, name: id.toUpperCase(), cost_center });
const sync = (teams: readonly object[], line = 5) =>
  stored.database.transaction((writer) =>
    syncTestOrgs(
      writer,
      [createResourceKindSyncFactory(CONFIG_FILE_TEAM_RESOURCE_KIND)],
      [{ id: 'acme', teams }],
      {
        nowMs: PLATFORM_TEST_NOW,
        line,
      },
    ),
  );
const shown = async () =>
  (await listTeamsOfOrg(stored.database.read, 'acme')).map(({ id, cost_center, source }) => [
    id,
    cost_center,
    source,
  ]);
const actionsOn = async (id: string) => (await stored.auditOf(id)).map(({ action }) => action).sort();

test('teams follow the file, each difference is audited once, and a moved line is not a difference', async () => {
  await sync([team('platform', '4711'), team('web')]);
  await sync([team('platform', '4711'), team('web')], 9);
  assert.deepEqual(await shown(), [
    ['platform', '4711', 'file'],
    ['web', null, 'file'],
  ]);
  assert.deepEqual(await actionsOn('platform'), ['teams.create']);
  await sync([team('platform', '4712')]);
  assert.deepEqual(await shown(), [['platform', '4712', 'file']]);
  assert.deepEqual(await actionsOn('platform'), ['teams.create', 'teams.update']);
  assert.deepEqual(await actionsOn('web'), ['teams.create', 'teams.delete']);
  assert.ok((await stored.auditOf('web')).every(({ actor }) => actor === 'file'));
});

test('a team that keys refer to remains when it leaves the file, and can then be changed', async () => {
  await sync([team('platform')]);
  const given = {
    orgId: 'acme',
    name: 'ci',
    scopes: ['gateway'] as const,
    by: 'test',
    nowMs: PLATFORM_TEST_NOW,
  };
  const { row } = buildPlatformKey(platformTestPepper, given, { team: 'platform' });
  await stored.database.transaction((writer) => insertPlatformKey(writer, row));
  await sync([]);
  assert.deepEqual(await shown(), [['platform', null, 'console']]);
  await sync([team('platform', '1')]);
  assert.deepEqual(await shown(), [['platform', '1', 'file']]);
  await stored.database.transaction((writer) => updatePlatformKey(writer, 'acme', row.id, { team: null }));
  await sync([]);
  assert.deepEqual(await shown(), []);
});
