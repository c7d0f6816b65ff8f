import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { MemberRole } from '@floe/contract/roles';
import { FakeAuthenticator, type PasskeyCreationOptions } from '@floe/testkit/fake-authenticator';
import { createId } from '../../core/ids.ts';
import { issueInvitation } from '../../platform/invitations.ts';
import { type ApiTestResponse, listResponseEntries, type ResponseJson } from '../test/running-api.ts';
import { startTestSignIn, TEST_PASSWORD, type TestBrowser, type TestSignIn } from './test/test-sign-in.ts';

const MINUTE = 60_000;

let harness: TestSignIn;
let people = 0;
before(async () => {
  harness = await startTestSignIn();
});
after(() => harness.close());

const told = ({ status, body }: ApiTestResponse) => `${status} ${body?.error?.code ?? ''}`.trim();

async function signedIn(count = 1) {
  people += 1;
  const email = `own${people}@acme.example`;
  await harness.addPerson(email, { acme: 'viewer' });
  const browsers: TestBrowser[] = [];
  for (let n = 0; n < count; n++) {
    const browser = harness.browser();
    await browser.signIn(email, TEST_PASSWORD, { 'user-agent': `browser ${n}` });
    browsers.push(browser);
  }
  const [browser] = browsers;
  assert.ok(browser);
  return { email, browser, browsers };
}

const sessionsOf = async (browser: TestBrowser) =>
  listResponseEntries((await browser.ask('GET', '/api/me/sessions')).body.data);

test('members see their sessions without secrets', async () => {
  const { browser } = await signedIn(2);
  const answer = await browser.ask('GET', '/api/me/sessions');
  const rows = listResponseEntries(answer.body.data);
  assert.deepEqual(rows.map(({ user_agent, current }) => [user_agent, current]).sort(), [
    ['browser 0', true],
    ['browser 1', false],
  ]);
  assert.doesNotMatch(answer.text, /sha256|token/);
  assert.ok(!answer.text.includes(browser.token));
});

test('a session that is ended elsewhere ends immediately, and only its owner can end it', async () => {
  const { browser, browsers } = await signedIn(3);
  const stranger = await signedIn();
  const [, second, third] = browsers;
  assert.ok(second && third);
  const rows = await sessionsOf(browser);
  const idOf = (agent: string) => String(rows.find((row) => String(row.user_agent) === agent)?.id);
  const end = (by: TestBrowser, id: string) => by.ask('DELETE', `/api/me/sessions/${id}`);
  assert.equal(told(await end(stranger.browser, idOf('browser 1'))), '404 not_found');
  assert.equal(told(await end(browser, idOf('browser 1'))), '204');
  assert.equal(told(await second.ask('GET', '/api/me')), '401 session_expired');
  assert.equal(told(await browser.ask('DELETE', '/api/me/sessions')), '204');
  assert.equal(told(await third.ask('GET', '/api/me')), '401 session_expired');
  assert.equal(told(await browser.ask('GET', '/api/me')), '200');
  assert.equal(told(await stranger.browser.ask('GET', '/api/me')), '200');
  assert.equal((await sessionsOf(browser)).length, 1);
  assert.equal(told(await end(browser, idOf('browser 0'))), '204');
  assert.equal(browser.cookies.size, 0, 'ending the own one takes its cookie back');
});

test('a platform key has no sessions, passkeys or password', async () => {
  const { key } = await harness.api.addKey('acme');
  for (const [method, path] of [
    ['GET', '/api/me/sessions'],
    ['DELETE', '/api/me/sessions'],
    ['GET', '/api/me/passkeys'],
    ['POST', '/api/me/passkeys/options'],
    ['PUT', '/api/me/password'],
  ] as const) {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const body = method === 'PUT' ? { password: 'lantern over water' } : undefined;
    assert.equal(
      told(await harness.api.call(method, path, { key, headers, body })),
      '401 session_expired',
      path,
    );
  }
});

test('passkeys are added and removed after a step-up, renamed without one, and only by their owner', async () => {
  const { browser } = await signedIn();
  const stranger = await signedIn();
  const authenticator = new FakeAuthenticator('https://floe.example');
  const add = async (by: TestBrowser) => {
    const options = await by.ask('POST', '/api/me/passkeys/options');
    if (options.status !== 200) return options;
    const credential = authenticator.create(creationIn(options.body));
    return by.ask('POST', '/api/me/passkeys', { name: 'laptop', credential });
  };
  const made = await add(browser);
  assert.equal(made.status, 201, made.text);
  const id = String(made.body.id);
  harness.advance(10 * MINUTE);
  assert.equal(told(await add(browser)), '403 step_up_required');
  const remove = (by: TestBrowser) => by.ask('DELETE', `/api/me/passkeys/${id}`);
  const rename = (by: TestBrowser) => by.ask('PATCH', `/api/me/passkeys/${id}`, { name: 'old laptop' });
  assert.equal(told(await remove(browser)), '403 step_up_required');
  assert.equal(told(await rename(stranger.browser)), '404 not_found');
  assert.equal((await rename(browser)).body.name, 'old laptop');
  await rename(browser);
  const [{ subject, after } = { subject: '', after: '' }, ...more] = await harness.audited('passkeys.update');
  assert.deepEqual([subject, after, more], [id, '{"name":"old laptop"}', []]);
  await stranger.browser.ask('POST', '/api/session/step-up', { password: TEST_PASSWORD });
  assert.equal(told(await remove(stranger.browser)), '404 not_found');
  const fresh = harness.browser();
  const options = await fresh.ask('POST', '/api/session/passkey/options');
  const credential = authenticator.get({ challenge: String(options.body.challenge), rpId: 'floe.example' });
  assert.equal(told(await fresh.ask('POST', '/api/session/passkey', { credential })), '200');
  assert.equal(told(await remove(fresh)), '204');
  assert.deepEqual(listResponseEntries((await browser.ask('GET', '/api/me/passkeys')).body.data), []);
  assert.deepEqual(
    (await harness.audited('passkeys.create')).length,
    (await harness.audited('passkeys.delete')).length,
  );
});

function creationIn(body: ResponseJson): PasskeyCreationOptions {
  return {
    challenge: String(body.challenge),
    rp: { id: String(body.rp?.id) },
    user: { id: String(body.user?.id) },
  };
}

/** An invitation to `acme` from an owner. */
async function invited(email: string, role: MemberRole = 'member'): Promise<string> {
  const owner = await harness.addPerson(`owner of ${email}`, { acme: 'owner' });
  const by = `mem_acme_${owner.slice(4)}`;
  const nowMs = harness.parts.clock.now();
  const place = { id: createId('inv', nowMs), orgId: 'acme', email, role, team: null, ttlMs: 60 * MINUTE };
  const { token } = await harness.api.database.transaction((writer) =>
    issueInvitation(writer, place, { by, nowMs }),
  );
  return token;
}

const accept = (browser: TestBrowser, body: object) => browser.ask('POST', '/api/session/invitation', body);

test('an invitation creates an account and a session once, also for two simultaneous uses', async () => {
  const token = await invited('ana@acme.example');
  const look = await harness.browser().ask('POST', '/api/session/invitation/preview', { token });
  assert.deepEqual(
    [look.body.org?.name, look.body.email, look.body.role],
    ['Acme', 'ana@acme.example', 'member'],
  );
  const weak = await accept(harness.browser(), { token, name: 'Ana', password: 'qwertyuiop12' });
  assert.equal(weak.body.error?.param, 'password');
  const given = { token, name: 'Ana', password: TEST_PASSWORD };
  const answers = await Promise.all(
    [harness.browser(), harness.browser()].map((browser) => accept(browser, given)),
  );
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
  assert.deepEqual(answers.find(({ status }) => status === 200)?.body.role, 'member');
  assert.equal(told(await accept(harness.browser(), given)), '404 not_found');
  assert.equal(
    told(await harness.browser().ask('POST', '/api/session/invitation/preview', { token })),
    '404 not_found',
  );
});

test('a person with an account accepts an invitation with the password or a session, and no one else can', async () => {
  for (const how of ['password', 'session'] as const) {
    people += 1;
    const email = `both${people}@other.example`;
    await harness.addPerson(email, { other: 'owner' });
    const token = await invited(email);
    const thief = { token, name: 'Eve', password: 'a password of the thief' };
    assert.equal(told(await accept(harness.browser(), thief)), '401 sign_in_failed');
    assert.equal(told(await accept((await signedIn()).browser, { token })), '401 sign_in_failed');
    const browser = harness.browser();
    if (how === 'session') await browser.signIn(email);
    const answer = await accept(browser, { token, ...(how === 'password' && { password: TEST_PASSWORD }) });
    assert.deepEqual([answer.status, answer.body.org?.id, answer.body.orgs?.length], [200, 'acme', 2]);
  }
});

test('a person with an account without a password accepts an invitation too', async () => {
  const without = async (email: string, roles: Readonly<Record<string, 'admin'>>) => {
    const id = await harness.addPerson(email, roles);
    await harness.api.database.transaction((writer) =>
      writer.updateTable('users').set({ password_hash: null }).where('id', '=', id).execute(),
    );
    return id;
  };
  // Of no org: there is nothing in the account to protect, and the invitation is the proof of its address.
  const left = await without('left@acme.example', {});
  const body = { token: await invited('left@acme.example'), name: 'Left', password: TEST_PASSWORD };
  const browser = harness.browser();
  assert.equal(told(await accept(browser, body)), '200');
  assert.equal((await browser.ask('GET', '/api/session')).body.user?.id, left, 'the account is the same');
  assert.equal((await harness.browser().signIn('left@acme.example')).status, 200);
  // Of another org: the invitation alone does not open that one.
  await without('elsewhere@acme.example', { other: 'admin' });
  const token = await invited('elsewhere@acme.example');
  const refused = await accept(harness.browser(), { token, name: 'Eve', password: TEST_PASSWORD });
  assert.equal(told(refused), '401 sign_in_failed');
});

test('an invitation expires, and a wrong token has the same error', async () => {
  const token = await invited('late@acme.example');
  harness.advance(60 * MINUTE);
  const answers = await Promise.all(
    [token, 'nonsense'].map((one) =>
      accept(harness.browser(), { token: one, name: 'L', password: TEST_PASSWORD }),
    ),
  );
  assert.deepEqual(answers.map(told), ['404 not_found', '404 not_found']);
  assert.deepEqual(answers[0]?.body.error, answers[1]?.body.error);
});
