import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type ConsoleSessionRow,
  deleteConsoleSession,
  deleteConsoleSessionByToken,
  deleteConsoleSessionsOfUser,
  deleteConsoleSessionsOfUserInOrg,
  deleteExpiredSignInData,
  findConsoleSessionByToken,
  insertConsoleSession,
  listConsoleSessionsOfUser,
  listMembershipsWithRoles,
  rotateConsoleSession,
  updateConsoleSessionLastSeen,
} from './console-sessions.ts';
import { findIdentity, insertIdentity } from './identities.ts';
import { insertMember, insertUser } from './members.ts';
import { insertOrg } from './orgs.ts';
import {
  deletePasskey,
  findPasskeyByCredential,
  insertPasskey,
  listPasskeysOfUser,
  updatePasskey,
} from './passkeys.ts';
import { deleteSignInAttempts, listSignInAttempts, upsertSignInAttempts } from './sign-in-attempts.ts';
import type { Database } from './store-interfaces.ts';
import { TEST_ORG_ID } from './test/rows.ts';
import { markTokenUsed } from './used-tokens.ts';

const TIMES = { created_at: 1, updated_at: 1 };

function session(id: string, more: Partial<ConsoleSessionRow> = {}): ConsoleSessionRow {
  return {
    id,
    token_sha256: `hash of ${id}`,
    previous_sha256: null,
    previous_until: 0,
    user_id: 'usr_a',
    org_id: TEST_ORG_ID,
    role: 'owner',
    method: 'password',
    created_at: 1,
    last_seen_at: 10,
    expires_at: 1000,
    stepped_up_until: 0,
    ip_address: '127.0.0.1',
    user_agent: 'test',
    ...more,
  };
}

/** Tests of sessions that run for every database engine. */
export function signInSuite(engine: string, open: (t: TestContext) => Promise<Database>): void {
  const openWithPeople = async (t: TestContext) => {
    const database = await open(t);
    await database.transaction(async (writer) => {
      for (const [id, name] of [
        [TEST_ORG_ID, 'One'],
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
      for (const [at, org_id] of ['org_two', TEST_ORG_ID].entries())
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

  test(`${engine}: a session is found by its cookie, and for some time by the previous one`, async (t) => {
    const database = await openWithPeople(t);
    await database.transaction((writer) => insertConsoleSession(writer, session('ses_1')));
    const rotate = () =>
      database.transaction((writer) =>
        rotateConsoleSession(writer, 'hash of ses_1', {
          token_sha256: 'next',
          previous_until: 50,
          role: 'viewer',
        }),
      );
    assert.deepEqual(await Promise.all([rotate(), rotate()]).then((all) => all.sort()), [false, true]);
    const found = await findConsoleSessionByToken(database.read, 'next', 99);
    assert.deepEqual([found?.id, found?.role, found?.expires_at], ['ses_1', 'viewer', 1000]);
    assert.equal((await findConsoleSessionByToken(database.read, 'hash of ses_1', 49))?.id, 'ses_1');
    assert.equal(await findConsoleSessionByToken(database.read, 'hash of ses_1', 50), undefined);
    const ended = await database.transaction((writer) => deleteConsoleSessionByToken(writer, 'next'));
    assert.equal(ended?.id, 'ses_1');
    assert.equal(await findConsoleSessionByToken(database.read, 'next', 0), undefined);
  });

  test(`${engine}: the oldest membership is first, and last use never moves back`, async (t) => {
    const database = await openWithPeople(t);
    const standings = await listMembershipsWithRoles(database.read, 'usr_a', null);
    assert.deepEqual(
      standings.map(({ org_id, org_name, member_id, email }) => [org_id, org_name, member_id, email]),
      [
        ['org_two', 'Two', 'mem_0', 'usr_a@acme.example'],
        [TEST_ORG_ID, 'One', 'mem_1', 'usr_a@acme.example'],
      ],
    );
    await database.transaction((writer) => insertConsoleSession(writer, session('ses_1')));
    for (const seenAt of [30, 20])
      await database.rowTransaction((writer) => updateConsoleSessionLastSeen(writer, 'ses_1', seenAt));
    assert.equal((await listConsoleSessionsOfUser(database.read, 'usr_a'))[0]?.last_seen_at, 30);
  });

  test(`${engine}: sessions are ended individually, all but one, or for one organization, for one person only`, async (t) => {
    const database = await openWithPeople(t);
    const left = async () =>
      (await Promise.all(['usr_a', 'usr_b'].map((id) => listConsoleSessionsOfUser(database.read, id))))
        .flat()
        .map(({ id }) => id)
        .sort();
    await database.transaction(async (writer) => {
      for (const id of ['ses_1', 'ses_2', 'ses_3']) await insertConsoleSession(writer, session(id));
      await insertConsoleSession(writer, session('ses_4', { org_id: 'org_two' }));
      await insertConsoleSession(writer, session('ses_5', { user_id: 'usr_b' }));
      assert.equal(await deleteConsoleSession(writer, 'usr_b', 'ses_1'), false);
      assert.equal(await deleteConsoleSession(writer, 'usr_a', 'ses_1'), true);
      await deleteConsoleSessionsOfUserInOrg(writer, 'usr_a', 'org_two');
    });
    assert.deepEqual(await left(), ['ses_2', 'ses_3', 'ses_5']);
    assert.equal(
      await database.transaction((writer) => deleteConsoleSessionsOfUser(writer, 'usr_a', 'ses_3')),
      1,
    );
    assert.deepEqual(await left(), ['ses_3', 'ses_5']);
    assert.equal(
      await database.transaction((writer) => deleteConsoleSessionsOfUser(writer, 'usr_b', null)),
      1,
    );
    assert.deepEqual(await left(), ['ses_3']);
  });

  test(`${engine}: of two simultaneous uses of a token, one succeeds, and expired tokens are removed`, async (t) => {
    const database = await openWithPeople(t);
    const spend = () => database.transaction((writer) => markTokenUsed(writer, 'once', 100));
    assert.deepEqual((await Promise.all([spend(), spend(), spend()])).sort(), [false, false, true]);
    await database.transaction(async (writer) => {
      await insertConsoleSession(writer, session('ses_idle', { last_seen_at: 10 }));
      await insertConsoleSession(writer, session('ses_over', { last_seen_at: 95, expires_at: 99 }));
      await insertConsoleSession(writer, session('ses_good', { last_seen_at: 95 }));
      for (const [bucket, last_attempt_at] of [
        ['old', 1],
        ['new', 90],
      ] as const)
        await upsertSignInAttempts(writer, { bucket, attempts: 1, last_attempt_at, blocked_until: 0 });
    });
    const before = { nowMs: 101, idleMs: 50, triesMs: 50 };
    await database.transaction((writer) => deleteExpiredSignInData(writer, before));
    assert.deepEqual(
      (await listConsoleSessionsOfUser(database.read, 'usr_a')).map(({ id }) => id),
      ['ses_good'],
    );
    assert.deepEqual(
      (await listSignInAttempts(database.read, ['old', 'new'])).map(({ bucket }) => bucket),
      ['new'],
    );
    assert.equal(await spend(), true, 'forgotten, for it is over anyway');
  });

  test(`${engine}: attempts are stored, counted and deleted`, async (t) => {
    const database = await open(t);
    const row = { bucket: 'account:x', attempts: 1, last_attempt_at: 1, blocked_until: 0 };
    await database.transaction((writer) => upsertSignInAttempts(writer, row));
    const next = { ...row, attempts: 2, last_attempt_at: 5, blocked_until: 9 };
    await database.transaction((writer) => upsertSignInAttempts(writer, next));
    assert.deepEqual(await listSignInAttempts(database.read, ['account:x', 'account:y']), [next]);
    await database.transaction((writer) => deleteSignInAttempts(writer, 'account:x'));
    assert.deepEqual(await listSignInAttempts(database.read, ['account:x']), []);
  });

  test(`${engine}: a passkey is registered once, and an issuer's subject belongs to one person`, async (t) => {
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
    await database.transaction((writer) => updatePasskey(writer, 'psk_1', { counter: 7, last_used_at: 9 }));
    assert.deepEqual(await findPasskeyByCredential(database.read, 'cred'), {
      ...passkey,
      counter: 7,
      last_used_at: 9,
    });
    await database.transaction((writer) => deletePasskey(writer, 'psk_1'));
    assert.deepEqual(await listPasskeysOfUser(database.read, 'usr_a'), []);
    const identity = { issuer: 'https://i.example', subject: 's', user_id: 'usr_a', created_at: 1 };
    await database.transaction((writer) => insertIdentity(writer, identity));
    await assert.rejects(
      database.transaction((writer) => insertIdentity(writer, { ...identity, user_id: 'usr_b' })),
      { code: 'conflict' },
    );
    assert.deepEqual(await findIdentity(database.read, 'https://i.example', 's'), identity);
    assert.equal(await findIdentity(database.read, 'https://other.example', 's'), undefined);
  });
}
