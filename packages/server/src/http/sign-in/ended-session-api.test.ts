import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createOwnerLink } from '../../platform/sign-in/owner-link.ts';
import { startTestSignIn, TEST_PASSWORD, type TestBrowser, type TestSignIn } from './test/test-sign-in.ts';

const HOUR_MS = 60 * 60_000;

let harness: TestSignIn;
before(async () => {
  harness = await startTestSignIn();
});
after(() => harness.close());

async function owner(email: string): Promise<TestBrowser> {
  await harness.addPerson(email, { acme: 'owner' });
  const browser = harness.browser();
  assert.equal((await browser.signIn(email)).status, 200);
  return browser;
}

/** The ways a session ends, as each leaves a browser that still has its cookie. */
const ENDS: Readonly<Record<string, () => Promise<TestBrowser>>> = {
  async 'left alone for twelve hours'() {
    const browser = await owner('idle@acme.example');
    harness.advance(12 * HOUR_MS + 1);
    return browser;
  },
  async 'used every day for a week'() {
    const browser = await owner('old@acme.example');
    for (let hours = 0; hours < 7 * 24; hours += 8) {
      await browser.ask('GET', '/api/me');
      harness.advance(8 * HOUR_MS + 1);
    }
    return browser;
  },
  async 'ended from another browser'() {
    const browser = await owner('lost@acme.example');
    const other = harness.browser();
    await other.signIn('lost@acme.example');
    assert.equal((await other.ask('DELETE', '/api/me/sessions')).status, 204);
    return browser;
  },
};

suite('every route of the API, called with a session', () => {
  for (const [end, ended] of Object.entries(ENDS))
    test(`${end}, is a 401`, async () => {
      const browser = await ended();
      const cookies = [...browser.cookies];
      assert.equal(cookies.length, 1, 'the browser still has its cookie');
      for (const { method, path } of harness.api.operations) {
        for (const [name, value] of cookies) browser.cookies.set(name, value);
        const body = method === 'GET' || method === 'DELETE' ? undefined : {};
        const answer = await browser.ask(method, path.replaceAll(/\{\w+\}/g, 'x'), body);
        assert.deepEqual(
          [answer.status, answer.body?.error?.code],
          [401, 'session_expired'],
          `${method} ${path}`,
        );
      }
      assert.ok(harness.api.operations.length > 100);
    });
});

/** A session that another process has just ended. This process still has it in its cache, with a recent step-up. */
async function endedElsewhere(email: string): Promise<TestBrowser> {
  const browser = await owner(email);
  assert.equal((await browser.ask('GET', '/api/me')).status, 200);
  await harness.api.database.rowTransaction((writer) =>
    writer
      .deleteFrom('sessions')
      .where('user_id', '=', `usr_${email.replaceAll(/\W/g, '')}`)
      .execute(),
  );
  assert.equal((await browser.ask('GET', '/api/me')).status, 200, 'the cache still has the session');
  return browser;
}

test('a session that another process ended changes no password and starts no other session', async () => {
  const email = 'thief@acme.example';
  const password = 'the lantern of a thief';
  const inviter = await owner('inviter@acme.example');
  await harness.addPerson('host@other.example', { other: 'owner' });
  const host = harness.browser();
  await host.signIn('host@other.example');
  const invited = await host.ask('POST', '/api/management/invitations', { email, role: 'admin' });
  const token = String(invited.body.link).split('#t=')[1];
  const browser = await endedElsewhere(email);
  const cookies = [...browser.cookies];
  for (const [method, path, body] of [
    ['PUT', '/api/me/password', { password }],
    ['POST', '/api/session/step-up', { password: TEST_PASSWORD }],
    ['POST', '/api/session/invitation', { token }],
    ['DELETE', '/api/me/sessions', undefined],
    ['POST', '/api/management/keys', { name: 'of a thief', scopes: ['management'] }],
  ] as const) {
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const answer = await browser.ask(method, path, body);
    assert.equal(answer.body?.error?.code, 'session_expired', `${method} ${path}`);
  }
  assert.equal((await harness.browser().signIn(email, password)).status, 401);
  assert.equal((await harness.browser().signIn(email)).status, 200);
  assert.equal((await inviter.ask('GET', '/api/me')).status, 200);
});

test('of two simultaneous changes of a password by one session, the one that succeeds is in force', async () => {
  const email = 'twice@acme.example';
  const browser = await owner(email);
  const passwords = ['first quiet lantern', 'second quiet lantern'];
  const answers = await Promise.all(
    passwords.map((password) => browser.ask('PUT', '/api/me/password', { password })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  const changed = passwords[answers.findIndex(({ status }) => status === 200)];
  assert.equal((await harness.browser().signIn(email, changed)).status, 200);
});

test('a person has at most a hundred sessions, and a sign-in ends those that were used least recently', async () => {
  const email = 'script@acme.example';
  const first = await owner(email);
  harness.advance(1_000);
  const last = harness.browser();
  for (let n = 0; n < 99; n++) assert.equal((await harness.browser().signIn(email)).status, 200);
  assert.equal((await first.ask('GET', '/api/me')).status, 200);
  assert.equal((await last.signIn(email)).status, 200);
  assert.equal((await first.ask('GET', '/api/me')).status, 401);
  const { body } = await last.ask('GET', '/api/me/sessions');
  assert.equal(Object.keys(body.data ?? {}).length, 100);
});

test('a step-up does not last longer when the clock is set back', async () => {
  const browser = await owner('clock@acme.example');
  const password = 'a second quiet lantern';
  harness.advance(-HOUR_MS);
  const answer = await browser.ask('PUT', '/api/me/password', { password });
  harness.advance(HOUR_MS);
  assert.equal(answer.body.error?.code, 'step_up_required');
  assert.equal((await browser.ask('PUT', '/api/me/password', { password })).status, 200);
});

test('an owner link that replaces the credentials of an account is in the audit log of each of its organizations', async () => {
  const email = 'recovered@acme.example';
  await harness.addPerson(email, { acme: 'admin', other: 'owner' });
  const token = await harness.api.database.transaction((writer) =>
    createOwnerLink(writer, harness.parts.clock, 'acme', true),
  );
  const given = { token, email, name: 'Ro', password: 'a recovered quiet lantern' };
  assert.equal((await harness.browser().ask('POST', '/api/session/setup', given)).status, 200);
  const entries = await harness.api.database.read
    .selectFrom('audit')
    .select(['org_id', 'actor', 'subject'])
    .where('action', '=', 'password.update')
    .where('subject', 'like', '%recovered%')
    .orderBy('org_id')
    .execute();
  assert.deepEqual(
    entries,
    ['acme', 'other'].map((org_id) => ({
      org_id,
      actor: 'setup',
      subject: `mem_${org_id}_recoveredacmeexample`,
    })),
  );
});
