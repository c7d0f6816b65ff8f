import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { silentLog } from '../core/log.ts';
import { appendAuditEntry } from '../store/audit-entries.ts';
import { insertOrg } from '../store/orgs.ts';
import { openSqlite } from '../store/sqlite/open-sqlite.ts';
import { AuditChainVerifier } from './audit-chain-verifier.ts';

const MINUTE_MS = 60_000;

test('a chain is verified completely at most once a minute, and its new entries at each request', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'floe-chains-'));
  const clock = new FakeClock();
  const database = await openSqlite(join(dir, 'floe.db'), { log: silentLog, clock });
  t.after(async () => {
    await database.close();
    await rm(dir, { recursive: true });
  });
  const add = (orgId: string, n: number) =>
    database.transaction((writer) =>
      appendAuditEntry(writer, {
        id: `aud_${n}`,
        org_id: orgId,
        at: clock.now(),
        actor: 'key_1',
        action: 'keys.create',
        subject: 'key_2',
        before_json: null,
        after_json: '{}',
      }),
    );
  await database.transaction(async (writer) => {
    for (const id of ['acme', 'other']) await insertOrg(writer, { id, name: id, created_at: 1 });
  });
  for (const [n, orgId] of ['acme', 'acme', 'other'].entries()) await add(orgId, n);
  const chains = new AuditChainVerifier();
  const begunAt = clock.now();
  const check = (orgId = 'acme') => chains.check(database.read, orgId, clock);
  const seen = async (orgId?: string) => {
    const { entries: count, firstSeq, lastSeq, brokenAtSeq, checkedAt } = await check(orgId);
    return [count, firstSeq, lastSeq, brokenAtSeq, checkedAt - begunAt];
  };
  const [one, other] = await Promise.all([check(), check()]);
  assert.deepEqual(one, other);
  assert.deepEqual(await seen(), [2, 1, 2, null, 0]);
  clock.advance(MINUTE_MS - 1);
  await add('acme', 3);
  assert.deepEqual(await seen(), [3, 1, 3, null, 0], 'nothing but the new entry was walked');
  assert.deepEqual(await seen('other'), [1, 1, 1, null, MINUTE_MS - 1], 'each org has its own chain');
  clock.advance(1);
  assert.deepEqual(await seen(), [3, 1, 3, null, MINUTE_MS]);
  const { lastHash } = await check();
  await database.transaction((writer) =>
    writer
      .insertInto('audit')
      .values({
        id: 'aud_forged',
        org_id: 'acme',
        at: 1,
        actor: 'key_1',
        actor_name: null,
        action: 'keys.create',
        subject: 'key_2',
        before_json: null,
        after_json: '{}',
        reason: null,
        ip_address: null,
        session_id: null,
        seq: 4,
        hash: lastHash,
      })
      .execute(),
  );
  assert.deepEqual(await seen(), [4, 1, 4, 4, MINUTE_MS], 'what was added does not fit');
});
