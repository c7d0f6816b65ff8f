import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { updateMember } from '../../store/members.ts';
import { followEvents } from '../test/follow-events.ts';
import { listResponseEntries } from '../test/running-api.ts';
import { startTestSignIn, TEST_PASSWORD, type TestBrowser, type TestSignIn } from './test/test-sign-in.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let harness: TestSignIn;
let people = 0;
before(async () => {
  harness = await startTestSignIn();
});
after(() => harness.close());

/** Somebody new, signed in. */
async function signedIn(roles: Parameters<TestSignIn['addPerson']>[1] = { acme: 'admin' }) {
  people += 1;
  const email = `person${people}@acme.example`;
  const id = await harness.addPerson(email, roles);
  const browser = harness.browser();
  const answer = await browser.signIn(email);
  assert.equal(answer.status, 200, answer.text);
  return { email, id, browser, member: `mem_acme_${id.slice(4)}` };
}

const code = async (asked: ReturnType<TestBrowser['ask']>) => {
  const { status, body } = await asked;
  return `${status} ${body?.error?.code ?? ''}`.trim();
};

test('the one-time link creates the first owner once, also for two simultaneous uses', async () => {
  const first = await startTestSignIn();
  const empty = await first.browser().ask('GET', '/api/session');
  assert.deepEqual(empty.body, {
    state: 'signed_out',
    setup: true,
    methods: { password: true, passkey: true, oidc: [] },
  });
  const token = await first.ownerLink();
  const take = (browser: TestBrowser, email: string, password = TEST_PASSWORD) =>
    browser.ask('POST', '/api/session/setup', { token, email, name: 'Mara', password });
  const look = () => first.browser().ask('POST', '/api/session/setup/preview', { token });
  const { body: shown } = await look();
  assert.deepEqual([shown.org, shown.first], [{ id: 'acme', name: 'Acme' }, true]);
  const weak = await take(first.browser(), 'mara@acme.example', 'password1234');
  assert.deepEqual([weak.status, weak.body.error?.param], [400, 'password']);
  const browsers = [first.browser(), first.browser()] as const;
  const answers = await Promise.all([
    take(browsers[0], 'Mara@Acme.example'),
    take(browsers[1], 'eve@acme.example'),
  ]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410]);
  const winner = answers[0].status === 200 ? browsers[0] : browsers[1];
  const { body } = await winner.ask('GET', '/api/session');
  assert.deepEqual([body.state, body.role, body.org], ['signed_in', 'owner', { id: 'acme', name: 'Acme' }]);
  assert.ok(body.stepped_up_until);
  assert.equal((await first.browser().ask('GET', '/api/session')).body.setup, false);
  const late = await take(first.browser(), 'late@acme.example');
  assert.equal(late.body.error?.code, 'link_expired');
  assert.match(String(late.body.error?.message), /was used at 2026-11-21T12:00:00.000Z.*floe owner-link/);
  assert.equal((await look()).body.error?.message, late.body.error?.message);
  const users = await first.api.database.read.selectFrom('users').selectAll().execute();
  assert.equal(users.length, 1);
  await first.close();
});

test('a one-time link expires after a day, a newer one replaces it, and an invalid one hashes no password', async () => {
  const old = await harness.ownerLink();
  const before = harness.hashes();
  const take = (token: string) =>
    harness.browser().ask('POST', '/api/session/setup', {
      token,
      email: 'x@acme.example',
      name: 'X',
      password: TEST_PASSWORD,
    });
  const fresh = await harness.ownerLink();
  assert.equal(await code(take(old)), '410 link_expired');
  assert.equal(await code(take(`${fresh}x`)), '410 link_expired');
  harness.advance(24 * 60 * MINUTE);
  assert.equal(await code(take(fresh)), '410 link_expired');
  assert.equal(harness.hashes(), before);
});

test('an owner link sets a new password for an existing account and ends its sessions', async () => {
  const { email, browser } = await signedIn({ acme: 'viewer' });
  const password = 'another lantern harbour';
  const token = await harness.ownerLink();
  const fresh = harness.browser();
  const answer = await fresh.ask('POST', '/api/session/setup', { token, email, name: 'Back', password });
  assert.deepEqual([answer.status, answer.body.role], [200, 'owner']);
  assert.equal(await code(browser.ask('GET', '/api/me')), '401 session_expired');
  assert.equal(await code(harness.browser().signIn(email)), '401 sign_in_failed');
  assert.equal((await harness.browser().signIn(email, password)).status, 200);
});

test('a session calls the API as its member: scopes of the role, and the membership in the audit log', async () => {
  const { browser, email, id, member } = await signedIn({ acme: 'viewer' });
  const me = await browser.ask('GET', '/api/me');
  assert.deepEqual(me.body.member, {
    id: member,
    user_id: id,
    email,
    name: email,
    role: 'viewer',
    team: null,
  });
  assert.equal(await code(browser.ask('GET', '/api/management/keys')), '200');
  assert.equal(await code(browser.ask('POST', '/api/management/cache/purge')), '403 insufficient_role');
  const admin = await signedIn();
  const body = { name: 'made by hand', scopes: ['read'] };
  const made = await admin.browser.ask('POST', '/api/management/keys', body);
  assert.equal(made.status, 201);
  const [entry] = await harness.api.database.read
    .selectFrom('audit')
    .select('actor')
    .where('subject', '=', String(made.body.id))
    .execute();
  assert.equal(entry?.actor, admin.member);
});

test('a platform key takes precedence over a cookie, and a cookie does not replace an invalid key', async () => {
  const { browser } = await signedIn();
  const { key, id } = await harness.api.addKey('other');
  const both = await browser.ask('GET', '/api/me', undefined, { authorization: `Bearer ${key}` });
  assert.deepEqual([both.body.kind, both.body.key?.id], ['platform_key', id]);
  const wrong = `Bearer eis_${'x'.repeat(49)}`;
  assert.equal(
    await code(browser.ask('GET', '/api/me', undefined, { authorization: wrong })),
    '401 invalid_api_key',
  );
  assert.equal(await code(harness.browser().ask('GET', '/api/me')), '401 missing_api_key');
});

test('every sign-in changes the cookie, and the previous value is invalid', async () => {
  const { browser, email } = await signedIn();
  const first = browser.token;
  const planted = 'A'.repeat(43);
  await browser.signIn(email);
  assert.notEqual(browser.token, first);
  for (const value of [first, planted]) {
    const other = harness.browser();
    other.cookies.set('__Host-floe_session', value);
    assert.equal(await code(other.ask('GET', '/api/me')), '401 session_expired');
  }
  const victim = harness.browser();
  victim.cookies.set('__Host-floe_session', planted);
  await victim.signIn(email);
  assert.notEqual(victim.token, planted);
});

test('the stored form of a cookie is not a valid cookie', async () => {
  const { browser } = await signedIn();
  const rows = await harness.api.database.read.selectFrom('sessions').selectAll().execute();
  assert.ok(!JSON.stringify(rows).includes(browser.token));
  for (const { token_sha256 } of rows) {
    const thief = harness.browser();
    thief.cookies.set('__Host-floe_session', token_sha256);
    assert.equal(await code(thief.ask('GET', '/api/me')), '401 session_expired');
  }
});

test('a session ends twelve hours after its last use', async () => {
  const { browser } = await signedIn();
  for (let n = 0; n < 3; n++) {
    harness.advance(12 * HOUR - 1);
    assert.equal(await code(browser.ask('GET', '/api/me')), '200');
  }
  harness.advance(12 * HOUR);
  assert.equal(await code(browser.ask('GET', '/api/me')), '401 session_expired');
  assert.equal((await browser.ask('GET', '/api/session')).body.state, 'signed_out');
});

test('requests that the console sends without a person do not count as use of a session', async () => {
  const { browser } = await signedIn();
  const background = { 'x-floe-background': 'true' };
  for (const path of ['/api/me', '/api/session', '/api/me/sessions', '/api/management/keys']) {
    harness.advance(2 * HOUR);
    assert.equal((await browser.ask('GET', path, undefined, background)).status, 200, path);
  }
  const { body } = await browser.ask('GET', '/api/session', undefined, background);
  assert.equal(Date.parse(String(body.expires_at)), harness.parts.clock.now() + 4 * HOUR);
  harness.advance(4 * HOUR);
  assert.equal(await code(browser.ask('GET', '/api/me', undefined, background)), '401 session_expired');
});

test('a session contains the methods with which the person can complete a step-up', async (t) => {
  const own = await startTestSignIn({ auth: { passkey: false } });
  t.after(() => own.close());
  await own.addPerson('mara@acme.example', { acme: 'owner' });
  const browser = own.browser();
  const methods = { password: true, passkey: false, oidc: [] };
  assert.deepEqual((await browser.signIn('mara@acme.example')).body.methods, methods);
  assert.deepEqual((await browser.ask('GET', '/api/session')).body.methods, methods);
});

test('an open event stream does not count as use of a session, and ends with it', async (t) => {
  const { browser } = await signedIn();
  const [[name, value] = []] = browser.cookies;
  const open = async () => {
    const headers = { cookie: `${name}=${value}`, 'sec-fetch-site': 'same-origin' };
    const stream = await followEvents(t, `http://127.0.0.1:${harness.api.port}/api/events`, headers);
    await stream.position();
    return stream;
  };
  harness.advance(6 * HOUR);
  const stream = await open();
  harness.advance(6 * HOUR - 1);
  await open();
  harness.advance(1);
  await stream.ended;
  assert.equal(await code(browser.ask('GET', '/api/me')), '401 session_expired');
});

test('a session ends seven days after it began, even if it is used', async () => {
  const { browser } = await signedIn();
  for (let n = 1; n < 28; n++) {
    harness.advance(6 * HOUR);
    assert.equal(await code(browser.ask('GET', '/api/me')), '200');
  }
  harness.advance(6 * HOUR + 1);
  assert.equal(await code(browser.ask('GET', '/api/me')), '401 session_expired');
});

test('the configured session lifetime also applies to existing sessions if it is shorter', async (t) => {
  const own = await startTestSignIn({ auth: { sessions: { idle_minutes: 30, max_hours: 2 } } });
  t.after(() => own.close());
  await own.addPerson('mara@acme.example', { acme: 'owner' });
  const browser = own.browser();
  const signedIn = await browser.signIn('mara@acme.example');
  assert.match(signedIn.headers['set-cookie']?.[0] ?? '', /; Max-Age=7200;/);
  const used = async (ms: number) => {
    own.advance(ms);
    return code(browser.ask('GET', '/api/me'));
  };
  for (let n = 0; n < 4; n++) assert.equal(await used(29 * MINUTE), '200');
  assert.equal(await used(4 * MINUTE), '401 session_expired', 'two hours');
  await browser.signIn('mara@acme.example');
  assert.equal(await used(30 * MINUTE), '401 session_expired', 'half an hour unused');
  await browser.signIn('mara@acme.example');
  assert.equal(await used(20 * MINUTE), '200');
  own.setAuth({ sessions: { idle_minutes: 15 } });
  assert.equal(await used(10 * MINUTE), '200');
  assert.equal(await used(15 * MINUTE), '401 session_expired');
});

test('a session ends if its sign-in method is disabled or another method becomes required', async (t) => {
  const own = await startTestSignIn();
  t.after(() => own.close());
  await own.addPerson('mara@acme.example', { acme: 'owner' });
  const [word, link] = [own.browser(), own.browser()];
  await word.signIn('mara@acme.example');
  const token = await own.ownerLink();
  const body = { token, email: 'jo@acme.example', name: 'Jo', password: TEST_PASSWORD };
  assert.equal((await link.ask('POST', '/api/session/setup', body)).status, 200);
  own.setAuth({ password: false });
  assert.equal(await code(word.ask('GET', '/api/me')), '401 session_expired');
  assert.equal(await code(link.ask('GET', '/api/me')), '200', 'the way back in');
  assert.equal(await code(own.browser().signIn('mara@acme.example')), '404 not_found');
});

test('signing out ends the session on the server and removes the cookie', async () => {
  const { browser } = await signedIn();
  const { token } = browser;
  const answer = await browser.ask('DELETE', '/api/session');
  assert.deepEqual([answer.status, browser.cookies.size], [204, 0]);
  const thief = harness.browser();
  thief.cookies.set('__Host-floe_session', token);
  assert.equal(await code(thief.ask('GET', '/api/me')), '401 session_expired');
  assert.equal(await code(thief.ask('DELETE', '/api/session')), '204');
});

test('a lower role applies immediately with a new cookie, and ends the step-up', async () => {
  const { browser, member } = await signedIn({ acme: 'owner' });
  const before = browser.token;
  await harness.api.database.transaction(async (writer) => {
    await updateMember(writer, 'acme', member, { role: 'viewer' });
    await harness.api.database.signals.announce(writer);
  });
  const old = harness.browser();
  old.cookies.set('__Host-floe_session', before);
  assert.equal(await code(browser.ask('POST', '/api/management/cache/purge')), '403 insufficient_role');
  assert.notEqual(browser.token, before);
  const { body } = await browser.ask('GET', '/api/session');
  assert.deepEqual([body.role, body.stepped_up_until], ['viewer', null]);
  assert.equal(await code(old.ask('GET', '/api/me')), '200', 'requests under way pass');
  harness.advance(31_000);
  harness.parts.sessions.clearCache();
  assert.equal(await code(old.ask('GET', '/api/me')), '401 session_expired');
  assert.equal(await code(browser.ask('GET', '/api/me')), '200');
});

test('a removed member is signed out of the organization, and not moved to another one', async () => {
  const { browser, email, member } = await signedIn({ acme: 'admin', other: 'admin' });
  await harness.api.database.transaction(async (writer) => {
    await writer.deleteFrom('members').where('id', '=', member).execute();
    await harness.api.database.signals.announce(writer);
  });
  assert.equal(await code(browser.ask('GET', '/api/me')), '401 session_expired');
  const again = await harness.browser().signIn(email);
  assert.deepEqual(
    [again.body.org?.id, again.body.orgs],
    ['other', [{ id: 'other', name: 'Other', role: 'admin' }]],
  );
});

test('after switching organizations, requests apply to the new one, and an old cookie to none', async () => {
  const { browser } = await signedIn({ acme: 'owner', other: 'viewer' });
  const mine = await browser.ask('POST', '/api/management/keys', { name: 'only acme', scopes: ['read'] });
  assert.equal(mine.status, 201);
  const before = browser.token;
  const moved = await browser.ask('POST', '/api/session/org', { org_id: 'other' });
  assert.deepEqual([moved.status, moved.body.org?.id, moved.body.role], [200, 'other', 'viewer']);
  assert.equal(await code(browser.ask('GET', `/api/management/keys/${mine.body.id}`)), '404 not_found');
  assert.equal(await code(browser.ask('POST', '/api/management/cache/purge')), '403 insufficient_role');
  const page = (org: string) =>
    browser.ask(
      'POST',
      '/api/management/views',
      { name: 'Mine', page: 'requests', filters: {} },
      { 'x-floe-org': org },
    );
  const refused = await page('acme');
  assert.deepEqual([refused.status, refused.body.error?.code], [409, 'conflict']);
  assert.match(String(refused.body.error?.message), /now in the organization "other"/);
  assert.equal((await page('other')).status, 201);
  const download = (org: string) =>
    browser.ask('GET', `/api/management/audit/export?format=ndjson&x-floe-org=${org}`);
  const wrong = await download('acme');
  assert.deepEqual([wrong.status, wrong.body.error?.param], [409, 'x-floe-org']);
  assert.equal((await download('other')).status, 200);
  // This operation rejects unknown parameters.
  const requests = await browser.ask('GET', '/api/analytics/export?format=csv&x-floe-org=other');
  assert.equal(requests.status, 200, JSON.stringify(requests.body));
  const old = harness.browser();
  old.cookies.set('__Host-floe_session', before);
  assert.equal(await code(old.ask('GET', '/api/me')), '401 session_expired');
});

test('the audit log of an organization records that a session was switched to it, and not from which one', async () => {
  const { browser, id } = await signedIn({ acme: 'owner', other: 'owner' });
  await browser.ask('POST', '/api/session/org', { org_id: 'acme' });
  await browser.ask('POST', '/api/session/org', { org_id: 'other' });
  const entries = async () => {
    const log = await browser.ask('GET', `/api/management/audit?actor=mem_other_${id.slice(4)}`);
    return listResponseEntries(log.body.data).map(({ action, before, after, session_id, subject }) => ({
      ...{ action, before, after, isOwn: session_id === subject },
    }));
  };
  assert.deepEqual(await entries(), [
    { action: 'sessions.switch_org', before: null, after: null, isOwn: true },
  ]);
  await browser.ask('POST', '/api/session/org', { org_id: 'acme' });
  const log = await browser.ask('GET', `/api/management/audit?actor=mem_acme_${id.slice(4)}`);
  assert.deepEqual(
    listResponseEntries(log.body.data)
      .map(({ action }) => String(action))
      .sort(),
    ['sessions.create', 'sessions.switch_org'],
  );
});

test('an organization of which the person is not a member looks like one that does not exist', async () => {
  const { browser } = await signedIn({ acme: 'owner' });
  const answers = await Promise.all(
    ['other', 'nowhere'].map((org_id) => browser.ask('POST', '/api/session/org', { org_id })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [404, 404],
  );
  assert.deepEqual(answers[0]?.body.error, answers[1]?.body.error);
  assert.equal((await browser.ask('GET', '/api/me')).body.org?.id, 'acme');
});

test('a person without an organization is told so only after the correct password', async () => {
  await harness.addPerson('nobody@acme.example', {});
  const wrong = await harness.browser().signIn('nobody@acme.example', 'not the right one');
  assert.match(String(wrong.body.error?.message), /^The email address or password is incorrect\.$/);
  const right = await harness.browser().signIn('nobody@acme.example');
  assert.deepEqual([right.status, right.body.error?.code], [401, 'sign_in_failed']);
  assert.match(String(right.body.error?.message), /does not belong to any organization/);
});

test('every audit entry that a browser caused has its IP address', async () => {
  const rows = await harness.api.database.read
    .selectFrom('audit')
    .select(['actor', 'action', 'ip_address'])
    .where('actor', '!=', 'cli')
    .execute();
  assert.ok(rows.length > 10);
  for (const { action, ip_address } of rows) assert.ok(ip_address, action);
  const { id } = await signedIn();
  const started = await harness.api.database.read
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', id)
    .executeTakeFirstOrThrow();
  const entry = await harness.api.database.read
    .selectFrom('audit')
    .select('session_id')
    .where('subject', '=', started.id)
    .executeTakeFirstOrThrow();
  assert.equal(entry.session_id, started.id);
});
