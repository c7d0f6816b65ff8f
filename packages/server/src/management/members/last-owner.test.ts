import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { type Actor, createMemberActor } from '../../platform/actor.ts';
import { deriveStoredSecretsKey } from '../../platform/secrets.ts';
import { insertConsoleSession } from '../../store/console-sessions.ts';
import { countOrgOwners, insertMember, insertUser } from '../../store/members.ts';
import { insertOrg } from '../../store/orgs.ts';
import { openPostgres } from '../../store/postgres/open-postgres.ts';
import type { Database, DatabaseWriter } from '../../store/store-interfaces.ts';
import { createTestDatabase } from '../../store/test/postgres-database.ts';
import { createSessionRow } from '../../store/test/session-row.ts';
import { defineRemoveMemberOperation } from './remove-member.ts';
import { updateMemberOperation } from './update-member.ts';

const OWNERS = ['ana', 'ben', 'cyd', 'dan'];
const people = { endSessions: [], baseUrl: () => '', sendMail: async () => 'off' as const };
const secretsKey = deriveStoredSecretsKey(Buffer.alloc(32, 9));
const far = Number.MAX_SAFE_INTEGER;
const actorOf = (name: string): Actor =>
  createMemberActor('acme', {
    id: `mem_${name}`,
    userId: `usr_${name}`,
    email: `${name}@acme.example`,
    role: 'owner',
    team: null,
    sessionId: `ses_${name}`,
    issuer: null,
    isOperator: false,
    steppedUpUntil: far,
  });

async function addOwner(writer: DatabaseWriter, name: string): Promise<void> {
  const times = { created_at: 1, updated_at: 1 };
  const email = `${name}@acme.example`;
  const none = { password_hash: null, preferences_json: null };
  await insertUser(writer, { ...times, ...none, id: `usr_${name}`, email, name });
  const place = { id: `mem_${name}`, org_id: 'acme', user_id: `usr_${name}`, role: 'owner', team: null };
  await insertMember(writer, { ...times, ...place, source: 'setup', updated_by: 'setup' });
  const session = { id: `ses_${name}`, user_id: `usr_${name}`, org_id: 'acme', role: 'owner' };
  await insertConsoleSession(writer, createSessionRow(session));
}

test('of owners who leave simultaneously through several processes, one remains', async (t) => {
  const url = await createTestDatabase(t);
  const options = { log: silentLog, clock: systemClock };
  const processes = [await openPostgres(url, options), await openPostgres(url, options)];
  t.after(() => Promise.all(processes.map((database) => database.close())));
  const [first] = processes;
  assert.ok(first);
  await first.transaction(async (writer) => {
    await insertOrg(writer, { id: 'acme', name: 'Acme', created_at: 1 });
    for (const name of OWNERS) await addOwner(writer, name);
  });
  const leave = (database: Database | undefined, name: string, at: number) => {
    assert.ok(database);
    const host = { database, clock: systemClock, refreshSnapshot: async () => undefined, secretsKey };
    const raw = { params: { id: `mem_${name}` }, query: {}, idempotencyKey: undefined };
    return at % 2 === 0
      ? defineRemoveMemberOperation(people).perform(host, actorOf(name), { ...raw, body: undefined })
      : updateMemberOperation.perform(host, actorOf(name), { ...raw, body: { role: 'viewer' } });
  };
  const outcomes = await Promise.allSettled(OWNERS.map((name, at) => leave(processes[at >> 1], name, at)));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  assert.equal(refused.length, 1);
  assert.ok(refused[0] instanceof Fault && refused[0].code === 'conflict', String(refused[0]));
  assert.equal(await countOrgOwners(first.read, 'acme'), 1);
});
