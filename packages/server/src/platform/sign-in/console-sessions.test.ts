import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { FakeClock } from '@floe/testkit/fake-clock';
import { systemClock } from '../../core/clock.ts';
import { silentLog } from '../../core/log.ts';
import { deleteConsoleSessionsOfUser } from '../../store/console-sessions.ts';
import { insertMember, insertUser } from '../../store/members.ts';
import { insertOrg } from '../../store/orgs.ts';
import { openTestPlatform, PLATFORM_TEST_NOW } from '../test/test-platform.ts';
import { toConsoleSessionSettings } from './console-session-settings.ts';
import { ConsoleSessions } from './console-sessions.ts';
import { generateSecretToken } from './tokens.ts';

const RULES = toConsoleSessionSettings(FloeConfigSchema.parse({}).auth);
const TIMES = { created_at: PLATFORM_TEST_NOW, updated_at: PLATFORM_TEST_NOW };
const AT = { org: { id: 'acme' }, role: 'owner' as const };
const FROM = {
  userId: 'usr_a',
  membership: AT,
  method: 'password' as const,
  address: '',
  agent: '',
  steppedUp: false,
};

async function open() {
  const stored = await openTestPlatform(systemClock);
  const clock = new FakeClock(PLATFORM_TEST_NOW);
  let reads = 0;
  const { database } = stored;
  const counted = {
    signals: database.signals,
    rowTransaction: database.rowTransaction.bind(database),
    get read() {
      reads += 1;
      return database.read;
    },
  };
  await database.transaction(async (writer) => {
    await insertOrg(writer, { id: 'acme', name: 'Acme', created_at: PLATFORM_TEST_NOW });
    const person = { name: 'A', password_hash: null, preferences_json: null, ...TIMES };
    await insertUser(writer, { id: 'usr_a', email: 'a@acme.example', ...person });
    await insertMember(writer, {
      id: 'mem_a',
      org_id: 'acme',
      user_id: 'usr_a',
      role: 'owner',
      team: null,
      source: 'setup',
      updated_by: 'setup',
      ...TIMES,
    });
  });
  const sessions = new ConsoleSessions(counted, clock, silentLog, () => RULES);
  const begin = () => database.transaction((writer) => sessions.create(writer, FROM));
  const close = async () => {
    await sessions.close();
    await stored.close();
  };
  return { database, clock, sessions, begin, reads: () => reads, close };
}

test('a session is looked up once for many requests, and again after two seconds', async () => {
  const { clock, sessions, begin, reads, close } = await open();
  const { token } = await begin();
  const before = reads();
  const many = await Promise.all(Array.from({ length: 50 }, () => sessions.find(token)));
  assert.ok(many.every((live) => live?.user.id === 'usr_a'));
  assert.equal(reads() - before, 1);
  clock.advance(1_999);
  await sessions.find(token);
  assert.equal(reads() - before, 1);
  clock.advance(1);
  await sessions.find(token);
  assert.equal(reads() - before, 2);
  await close();
});

test('a session that another process ended is rejected within two seconds, and immediately after its signal', async () => {
  const { database, clock, sessions, begin, close } = await open();
  for (const isTold of [false, true]) {
    const { token } = await begin();
    assert.ok(await sessions.find(token));
    await database.transaction(async (writer) => {
      await deleteConsoleSessionsOfUser(writer, 'usr_a', null);
      if (isTold) await database.signals.announce(writer);
    });
    if (!isTold) {
      assert.ok(await sessions.find(token), 'not known here yet');
      clock.advance(2_000);
    }
    assert.equal(await sessions.find(token), null);
  }
  await close();
});

test('an invalid cookie causes no lookup, and unknown cookies evict no session', async () => {
  const { sessions, begin, reads, close } = await open();
  const { token } = await begin();
  await sessions.find(token);
  const before = reads();
  for (const text of ['', 'x', `${token}x`, `${token} `, 'é'.repeat(43)])
    assert.equal(await sessions.find(text), null);
  assert.equal(reads() - before, 0);
  for (let n = 0; n < 20; n++) assert.equal(await sessions.find(generateSecretToken()), null);
  assert.equal(reads() - before, 20);
  await sessions.find(token);
  assert.equal(reads() - before, 20);
  await close();
});

test('last use is stored once a minute', async () => {
  const { database, clock, sessions, begin, close } = await open();
  const { token } = await begin();
  const seen = async () => {
    await sessions.close();
    const row = await database.read.selectFrom('sessions').select('last_seen_at').executeTakeFirst();
    return (row?.last_seen_at ?? 0) - PLATFORM_TEST_NOW;
  };
  clock.advance(59_999);
  await sessions.find(token);
  assert.equal(await seen(), 0);
  clock.advance(1);
  await sessions.find(token);
  assert.equal(await seen(), 60_000);
  clock.advance(30_000);
  await sessions.find(token);
  assert.equal(await seen(), 60_000);
  await close();
});
