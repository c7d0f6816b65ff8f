import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { systemClock } from '../core/clock.ts';
import { insertOrg } from '../store/orgs.ts';
import { auditConfigFileChange } from './audit-config-file-change.ts';
import { openTestPlatform, PLATFORM_TEST_NOW, type TestPlatform } from './test/test-platform.ts';

let stored: TestPlatform;
before(async () => {
  stored = await openTestPlatform(systemClock);
  await stored.database.transaction(async (writer) => {
    for (const id of ['acme', 'lab']) await insertOrg(writer, { id, name: id, created_at: 1 });
  });
});
after(() => stored.close());

const SECRET = 'hunter2hunter2';
const config = (acme: object, more: object = {}) =>
  FloeConfigSchema.parse({ ...more, orgs: [{ id: 'acme', ...acme }, { id: 'lab' }] });

test('a changed file is in the audit log of each changed organization, with the names of its sections', async () => {
  const was = config({});
  const now = config({
    cache: { enabled: true },
    teams: [{ id: 'platform' }],
    providers: [{ id: 'openai', kind: 'openai', api_key: SECRET }],
  });
  const reload = (one: typeof was, other: typeof was) =>
    stored.database.transaction((writer) => auditConfigFileChange(writer, one, other, PLATFORM_TEST_NOW));
  await reload(was, now);
  await reload(now, now);
  const [entry, ...more] = await stored.auditOf('acme');
  assert.equal(more.length, 0);
  assert.deepEqual([entry?.actor, entry?.action], ['file', 'config.reload']);
  assert.deepEqual(JSON.parse(entry?.after_json ?? ''), { changed: ['orgs.providers', 'orgs.cache'] });
  assert.ok(!entry?.after_json?.includes(SECRET));
  assert.deepEqual(await stored.auditOf('lab'), []);
  await reload(now, config({}, { retention: { requests_days: 7 } }));
  const [lab] = await stored.auditOf('lab');
  assert.deepEqual(JSON.parse(lab?.after_json ?? ''), { changed: ['retention'] });
});
