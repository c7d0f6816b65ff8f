import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { compareOrgs } from '../config/compare-orgs.ts';
import { readEnvironment } from '../config/environment.ts';
import { type LoadedConfig, loadConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { getAuditKey, setAuditKey } from '../store/audit-context.ts';
import { openDatabase } from '../store/open-database.ts';
import { insertOrg } from '../store/orgs.ts';
import { createTestDatabase } from '../store/test/postgres-database.ts';
import { createQueryCounter } from '../store/test/query-counter.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import {
  CONFIG_FILE_PROVIDER_RESOURCE_KIND,
  CONFIG_FILE_ROUTE_RESOURCE_KIND,
  CONFIG_FILE_SETTINGS_RESOURCE_KIND,
} from './config/config-file-entries.ts';
import { createConfigFilePlatformKeyResourceKind } from './config-file-platform-keys.ts';
import { createResourceKindSyncFactory, syncConfigFile } from './config-file-sync.ts';
import { CONFIG_FILE_TEAM_RESOURCE_KIND } from './config-file-teams.ts';
import { derivePlatformKeyPepper } from './keyring.ts';

const PEPPER = derivePlatformKeyPepper(Buffer.alloc(32, 1));
const ORGS = 12;
const KEYS = 30;

interface TestKey {
  readonly name: string;
  readonly key: string;
}

const keyOf = (org: number, at: number): TestKey => ({
  name: `key-${at}`,
  key: `eis_${`${org}x${at}`.padStart(32, '0')}`,
});

/** A file with one line per resource. */
function buildFile(
  change: (org: number, keys: readonly TestKey[]) => readonly TestKey[],
  head = '',
): LoadedConfig {
  const orgs = Array.from({ length: ORGS }, (_, org) => {
    const own = Array.from({ length: KEYS }, (_, at) => keyOf(org, at));
    const list = (entries: readonly object[]) => entries.map((one) => `      - ${JSON.stringify(one)}`);
    return [
      `  - id: o${org}`,
      '    teams:',
      ...list([{ id: 'team' }]),
      '    providers:',
      ...list([{ id: 'p', kind: 'sandbox' }]),
      '    routes:',
      ...list([{ model: 'm', targets: ['p/echo'] }]),
      '    keys:',
      ...list(change(org, own)),
    ];
  });
  return loadConfig({ text: [head, 'orgs:', ...orgs.flat()].join('\n'), env: readEnvironment({}) });
}

const unchanged = (_: number, keys: readonly TestKey[]) => keys;

async function setUp(t: TestContext, engine: 'sqlite' | 'postgres') {
  const url = engine === 'sqlite' ? 'sqlite:' : await createTestDatabase(t);
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase(url, { dataDir, log: silentLog, clock: systemClock });
  t.after(() => database.close());
  await database.transaction(async (writer) => {
    for (let org = 0; org < ORGS; org++) await insertOrg(writer, { id: `o${org}`, name: 'o', created_at: 1 });
  });
  let nowMs = 1_000;
  /** Stores a file and returns the work that it needed. `turns` counts the pauses. */
  async function sync(before: LoadedConfig | null, after: LoadedConfig) {
    nowMs += 1;
    let turns = 0;
    const { counts, plugin } = createQueryCounter();
    const differences = before && (await compareOrgs(before, after));
    const kinds = [
      createResourceKindSyncFactory(createConfigFilePlatformKeyResourceKind(PEPPER)),
      createResourceKindSyncFactory(CONFIG_FILE_TEAM_RESOURCE_KIND),
      createResourceKindSyncFactory(CONFIG_FILE_PROVIDER_RESOURCE_KIND),
      createResourceKindSyncFactory(CONFIG_FILE_ROUTE_RESOURCE_KIND),
      createResourceKindSyncFactory(CONFIG_FILE_SETTINGS_RESOURCE_KIND),
    ];
    await database.transaction(async (writer) => {
      const counted = writer.withPlugin(plugin);
      setAuditKey(counted, getAuditKey(writer));
      const paused = { endStep: async () => void turns++ };
      await syncConfigFile(kinds, after, { writer: counted, nowMs, differences, turns: paused });
    });
    return { ...counts, turns };
  }
  /** What the file has stored, without the times and ids that each sync chooses. */
  async function listStored() {
    const keys = await database.read
      .selectFrom('platform_keys')
      .select(['org_id', 'name', 'hash', 'source', 'source_line', 'revoked_at'])
      .where('revoked_at', 'is', null)
      .orderBy('org_id')
      .orderBy('source_line')
      .execute();
    const entries = await database.read
      .selectFrom('config_entries')
      .select(['org_id', 'kind', 'id', 'entry_json', 'source_line', 'position'])
      .orderBy('org_id')
      .orderBy('kind')
      .execute();
    const teams = await database.read
      .selectFrom('teams')
      .select(['org_id', 'id', 'source_line'])
      .orderBy('org_id')
      .execute();
    const { count } = await database.read
      .selectFrom('audit')
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow();
    return { keys, entries, teams, audited: Number(count) };
  }
  return { sync, listStored };
}

for (const engine of ['sqlite', 'postgres'] as const) {
  test(`${engine}: a sync of the changed organizations stores the same as a sync of all`, async (t) => {
    const first = buildFile(unchanged);
    const files = [
      buildFile((org, keys) => (org === 3 ? keys.toSpliced(5, 0, keyOf(99, 99)) : keys)),
      buildFile((org, keys) => (org === 4 ? keys.slice(7) : keys), '# one\n# two'),
      buildFile((org, keys) => (org === 5 ? keys.with(2, keyOf(98, 2)) : keys), '# one'),
      buildFile(unchanged),
    ];
    const partial = await setUp(t, engine);
    const whole = await setUp(t, engine);
    await partial.sync(null, first);
    await whole.sync(null, first);
    let before = first;
    for (const [at, file] of files.entries()) {
      await partial.sync(before, file);
      await whole.sync(null, file);
      assert.deepEqual(await partial.listStored(), await whole.listStored(), `file ${at}`);
      before = file;
    }
  });
}

test('a changed key reads only the rows of its organization, and moved lines need one statement per table', async (t) => {
  const { sync } = await setUp(t, 'sqlite');
  const first = buildFile(unchanged);
  await sync(null, first);
  const changed = await sync(
    first,
    buildFile((org, keys) => (org === 3 ? keys.with(2, keyOf(99, 2)) : keys)),
  );
  assert.ok(changed.rows < 2 * KEYS, `${changed.rows} rows`);
  assert.ok(changed.statements < 20, `${changed.statements} statements`);

  const third = buildFile(unchanged);
  await sync(null, third);
  const moved = await sync(third, buildFile(unchanged, '# one\n# two'));
  assert.equal(moved.rows, 0);
  assert.equal(moved.statements - 6, 0, 'one statement for each of six tables');
});

test('between two pauses, a sync handles at most one resource, 250 rows or 100 values', async (t) => {
  const { sync } = await setUp(t, 'sqlite');
  const first = await sync(null, buildFile(unchanged));
  const resources = ORGS * (KEYS + 3);
  assert.ok(first.turns >= 2 * resources, `${first.turns} turns`);
  assert.ok(first.mostValues <= 100, `${first.mostValues} rows in one statement`);
  const again = await sync(null, buildFile(unchanged));
  assert.equal(again.mostValues, 0, 'nothing is written');
  assert.ok(again.mostRows <= 250, `${again.mostRows} rows`);
});
