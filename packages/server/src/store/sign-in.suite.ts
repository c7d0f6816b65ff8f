import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { identityOf, insertIdentity } from './identities.ts';
import { insertMember, insertUser } from './members.ts';
import { insertOrg } from './orgs.ts';
import { changePasskey, deletePasskey, insertPasskey, passkeyByCredential, passkeysOf } from './passkeys.ts';
import type { Database } from './ports.ts';
import {
  deleteSession,
  deleteSessionByToken,
  deleteSessions,
  deleteSessionsIn,
  expireSignIn,
  insertSession,
  rotateSession,
  type SessionRow,
  sessionByToken,
  sessionsOf,
  standingOf,
  touchSession,
} from './sessions.ts';
import { forgetTries, putTries, triesOf } from './sign-in-tries.ts';
import { spendToken } from './spent-tokens.ts';
import { ORG } from './test/rows.ts';

const TIMES = { created_at: 1, updated_at: 1 };

function session(id: string, more: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    token_sha256: `hash of ${id}`,
    previous_sha256: null,
    previous_until: 0,
    user_id: 'usr_a',
    org_id: ORG,
    role: 'owner',
    method: 'password',
    created_at: 1,
    last_seen_at: 10,
    expires_at: 1000,
    stepped_up_until: 0,
    address: '127.0.0.1',
    agent: 'test',
    ...more,
  };
}

/** Sessions and what belongs to them, on every engine. */
export function signInSuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWithPeople = async (t: TestContext) => {
    const database = await open(t);
    await database.transaction(async (writer) => {
      for (const [id, name] of [
        [ORG, 'One'],
        ['org_two', 'Two'],
      ] as const)
        await insertOrg(writer, { id, name, created_at: 1 });
      for (const id of ['usr_a', 'usr_b'])
        await insertUser(writer, {
          id,
          email: `${id}@acme.example`,
          name: id,
          password_hash: null,
          preferences_json: null,
          ...TIMES,
        });
      for (const [at, org_id] of ['org_two', ORG].entries())
        await insertMember(writer, {
          id: `mem_${at}`,
          org_id,
          user_id: 'usr_a',
          role: 'owner',
          team: null,
          source: 'setup',
          created_at: at,
          updated_at: at,
          updated_by: 'setup',
        });
    });
    return database;
  };

  test(`${engine}: a session is found by its cookie, and for a while by the one before`, async (t) => {
    const database = await openWithPeople(t);
    await database.transaction((writer) => insertSession(writer, session('ses_1')));
    const rotate = () =>
      database.transaction((writer) =>
        rotateSession(writer, 'hash of ses_1', { token_sha256: 'next', previous_until: 50, role: 'viewer' }),
      );
    assert.deepEqual(await Promise.all([rotate(), rotate()]).then((all) => all.sort()), [false, true]);
    const found = await sessionByToken(database.read, 'next', 99);
    assert.deepEqual([found?.id, found?.role, found?.expires_at], ['ses_1', 'viewer', 1000]);
    assert.equal((await sessionByToken(database.read, 'hash of ses_1', 49))?.id, 'ses_1');
    assert.equal(await sessionByToken(database.read, 'hash of ses_1', 50), undefined);
    const ended = await database.transaction((writer) => deleteSessionByToken(writer, 'next'));
    assert.equal(ended?.id, 'ses_1');
    assert.equal(await sessionByToken(database.read, 'next', 0), undefined);
  });

  test(`${engine}: a standing has the oldest membership first, and last use never goes back`, async (t) => {
    const database = await openWithPeople(t);
    const standings = await standingOf(database.read, 'usr_a', null);
    assert.deepEqual(
      standings.map(({ org_id, org_name, member_id, email }) => [org_id, org_name, member_id, email]),
      [
        ['org_two', 'Two', 'mem_0', 'usr_a@acme.example'],
        [ORG, 'One', 'mem_1', 'usr_a@acme.example'],
      ],
    );
    await database.transaction((writer) => insertSession(writer, session('ses_1')));
    for (const seenAt of [30, 20])
      await database.rowTransaction((writer) => touchSession(writer, 'ses_1', seenAt));
    assert.equal((await sessionsOf(database.read, 'usr_a'))[0]?.last_seen_at, 30);
  });

  test(`${engine}: sessions end one by one, all but one, for one org, and only those of the person`, async (t) => {
    const database = await openWithPeople(t);
    const left = async () =>
      (await Promise.all(['usr_a', 'usr_b'].map((id) => sessionsOf(database.read, id))))
        .flat()
        .map(({ id }) => id)
        .sort();
    await database.transaction(async (writer) => {
      for (const id of ['ses_1', 'ses_2', 'ses_3']) await insertSession(writer, session(id));
      await insertSession(writer, session('ses_4', { org_id: 'org_two' }));
      await insertSession(writer, session('ses_5', { user_id: 'usr_b' }));
      assert.equal(await deleteSession(writer, 'usr_b', 'ses_1'), false);
      assert.equal(await deleteSession(writer, 'usr_a', 'ses_1'), true);
      await deleteSessionsIn(writer, 'usr_a', 'org_two');
    });
    assert.deepEqual(await left(), ['ses_2', 'ses_3', 'ses_5']);
    assert.equal(await database.transaction((writer) => deleteSessions(writer, 'usr_a', 'ses_3')), 1);
    assert.deepEqual(await left(), ['ses_3', 'ses_5']);
    assert.equal(await database.transaction((writer) => deleteSessions(writer, 'usr_b', null)), 1);
    assert.deepEqual(await left(), ['ses_3']);
  });

  test(`${engine}: of two that spend a token at the same moment one does, and what is over is removed`, async (t) => {
    const database = await openWithPeople(t);
    const spend = () => database.transaction((writer) => spendToken(writer, 'once', 100));
    assert.deepEqual((await Promise.all([spend(), spend(), spend()])).sort(), [false, false, true]);
    await database.transaction(async (writer) => {
      await insertSession(writer, session('ses_idle', { last_seen_at: 10 }));
      await insertSession(writer, session('ses_over', { last_seen_at: 95, expires_at: 99 }));
      await insertSession(writer, session('ses_good', { last_seen_at: 95 }));
      for (const [bucket, last_at] of [
        ['old', 1],
        ['new', 90],
      ] as const)
        await putTries(writer, { bucket, tries: 1, last_at, blocked_until: 0 });
    });
    const before = { nowMs: 101, idleMs: 50, triesMs: 50 };
    await database.transaction((writer) => expireSignIn(writer, before));
    assert.deepEqual(
      (await sessionsOf(database.read, 'usr_a')).map(({ id }) => id),
      ['ses_good'],
    );
    assert.deepEqual(
      (await triesOf(database.read, ['old', 'new'])).map(({ bucket }) => bucket),
      ['new'],
    );
    assert.equal(await spend(), true, 'forgotten, for it is over anyway');
  });

  test(`${engine}: tries are put, counted on and forgotten`, async (t) => {
    const database = await open(t);
    const row = { bucket: 'account:x', tries: 1, last_at: 1, blocked_until: 0 };
    await database.transaction((writer) => putTries(writer, row));
    const next = { ...row, tries: 2, last_at: 5, blocked_until: 9 };
    await database.transaction((writer) => putTries(writer, next));
    assert.deepEqual(await triesOf(database.read, ['account:x', 'account:y']), [next]);
    await database.transaction((writer) => forgetTries(writer, 'account:x'));
    assert.deepEqual(await triesOf(database.read, ['account:x']), []);
  });

  test(`${engine}: an authenticator is registered once, an issuer’s person is one person`, async (t) => {
    const database = await openWithPeople(t);
    const passkey = {
      id: 'psk_1',
      user_id: 'usr_a',
      credential_id: 'cred',
      public_key: 'key',
      counter: 0,
      transports_json: '[]',
      name: 'laptop',
      backed_up: 0,
      created_at: 1,
      last_used_at: null,
    };
    await database.transaction((writer) => insertPasskey(writer, passkey));
    await assert.rejects(
      database.transaction((writer) => insertPasskey(writer, { ...passkey, id: 'psk_2', user_id: 'usr_b' })),
      { code: 'conflict' },
    );
    await database.transaction((writer) => changePasskey(writer, 'psk_1', { counter: 7, last_used_at: 9 }));
    assert.deepEqual(await passkeyByCredential(database.read, 'cred'), {
      ...passkey,
      counter: 7,
      last_used_at: 9,
    });
    await database.transaction((writer) => deletePasskey(writer, 'psk_1'));
    assert.deepEqual(await passkeysOf(database.read, 'usr_a'), []);
    const identity = { issuer: 'https://i.example', subject: 's', user_id: 'usr_a', created_at: 1 };
    await database.transaction((writer) => insertIdentity(writer, identity));
    await assert.rejects(
      database.transaction((writer) => insertIdentity(writer, { ...identity, user_id: 'usr_b' })),
      { code: 'conflict' },
    );
    assert.deepEqual(await identityOf(database.read, 'https://i.example', 's'), identity);
    assert.equal(await identityOf(database.read, 'https://other.example', 's'), undefined);
  });
}
