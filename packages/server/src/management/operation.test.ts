import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as z from 'zod';
import { systemClock } from '../core/clock.ts';
import { createKeyActor } from '../platform/actor.ts';
import { buildPlatformKey } from '../platform/build-platform-key.ts';
import { deriveStoredSecretsKey } from '../platform/secrets.ts';
import { toKeyRecord } from '../platform/stored-platform-key.ts';
import { openTestPlatform, platformTestPepper, type TestPlatform } from '../platform/test/test-platform.ts';
import { insertOrg } from '../store/orgs.ts';
import { findPlatformKeyById, insertPlatformKey } from '../store/platform-keys.ts';
import { getSetting, storeSetting } from '../store/settings.ts';
import { reportLeakedKeyOperation } from './keys/report-leaked-key.ts';
import { defineReadOperation, defineWriteOperation, type OperationDependencies } from './operation.ts';

const { row } = buildPlatformKey(
  platformTestPepper,
  { orgId: 'acme', name: 'ci', scopes: [], by: 'test', nowMs: 1 },
  { id: 'key_1' },
);
const actor = createKeyActor(toKeyRecord(row));
const nothingSent = { params: {}, query: {}, body: undefined, idempotencyKey: undefined };

let stored: TestPlatform;
before(async () => {
  stored = await openTestPlatform(systemClock);
  await stored.database.transaction(async (writer) => {
    await insertOrg(writer, { id: 'acme', name: 'Acme', created_at: 1 });
    await insertPlatformKey(writer, row);
  });
});
after(() => stored.close());

const host = (changed: OperationDependencies['refreshSnapshot']): OperationDependencies => ({
  database: stored.database,
  clock: systemClock,
  refreshSnapshot: changed,
  secretsKey: deriveStoredSecretsKey(Buffer.alloc(32)),
});
const set = (name: string, outcome: 'changed' | 'unchanged' | 'broken') =>
  defineWriteOperation({
    name: `settings.${name}`,
    method: 'POST',
    path: '/api/test',
    scope: null,
    summary: 'Writes a setting.',
    answer: z.null(),
    status: 204,
    invalidates: 'keys',
    async run({ writer }) {
      await storeSetting(writer, name, 'written');
      if (outcome === 'broken') throw new Error('after the write');
      return {
        answer: null,
        audit:
          outcome === 'unchanged' ? outcome : { subject: name, before: null, after: { value: 'written' } },
      };
    },
  });

test('the change and its audit entry are committed before the snapshot is refreshed, and the response follows', async () => {
  const seen: unknown[] = [];
  await set('first', 'changed').perform(
    host(async (topic, orgId) => {
      seen.push(topic, orgId, await getSetting(stored.database.read, 'first'));
      const [entry] = await stored.auditOf('first');
      seen.push(entry?.actor, entry?.action, entry?.after_json);
    }),
    actor,
    nothingSent,
  );
  assert.deepEqual(seen, ['keys', 'acme', 'written', 'key_1', 'settings.first', '{"value":"written"}']);
});

test('a leak report with a value that a rotation replaced meanwhile does not revoke the new value', async () => {
  const replaced = { ...row, id: 'key_2', name: 'rotated', hash: 'replaced value' };
  const presented = createKeyActor(toKeyRecord(replaced));
  const now = { ...replaced, hash: 'new value' };
  await stored.database.transaction((writer) => insertPlatformKey(writer, now));
  await assert.rejects(
    reportLeakedKeyOperation.perform(
      host(async () => undefined),
      presented,
      { ...nothingSent, body: {} },
    ),
    { code: 'key_revoked' },
  );
  const after = await findPlatformKeyById(stored.database.read, 'acme', 'key_2');
  assert.deepEqual([after?.revoked_at, after?.leaked_at], [null, null]);
});

test('a failed operation leaves no change and no audit entry, and sends no signal', async () => {
  const changed = () => Promise.reject(new Error('signalled'));
  await assert.rejects(set('second', 'broken').perform(host(changed), actor, nothingSent), /after the write/);
  assert.equal(await getSetting(stored.database.read, 'second'), undefined);
  assert.deepEqual(await stored.auditOf('second'), []);
});

test('an operation without a change is not audited, but waits for the snapshot, because an earlier attempt may not have', async () => {
  let renewals = 0;
  const changed = async () => {
    renewals += 1;
  };
  await set('third', 'unchanged').perform(host(changed), actor, nothingSent);
  assert.deepEqual(await stored.auditOf('third'), []);
  assert.equal(renewals, 1);
});

test('success is not returned while the active snapshot is old', async () => {
  const changed = () => Promise.reject(new Error('not renewed'));
  await assert.rejects(set('fourth', 'changed').perform(host(changed), actor, nothingSent), /not renewed/);
  assert.equal(await getSetting(stored.database.read, 'fourth'), 'written');
});

test('input is validated before an operation runs', async () => {
  const operation = defineReadOperation({
    name: 'test.read',
    method: 'GET',
    path: '/api/test/{id}',
    scope: null,
    summary: 'Reads.',
    params: z.strictObject({ id: z.string() }),
    answer: z.string(),
    run: async (_context, { params }) => params.id,
  });
  const unchanged = host(() => Promise.resolve());
  assert.deepEqual(await operation.perform(unchanged, actor, { ...nothingSent, params: { id: 'x' } }), {
    answer: 'x',
    entityTag: null,
  });
  await assert.rejects(operation.perform(unchanged, actor, { ...nothingSent, params: {} }), {
    code: 'invalid_request',
    detail: { param: 'id' },
  });
  await assert.rejects(
    operation.perform(unchanged, actor, { ...nothingSent, params: { id: 'x' }, query: { y: '1' } }),
    {
      code: 'invalid_request',
      detail: { param: 'y' },
    },
  );
});
