import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type AuthenticatorFault,
  FakeAuthenticator,
  type PasskeyRequestOptions,
} from '@floe/testkit/fake-authenticator';
import {
  consumePasskeyAssertion,
  createPasskeyCreationOptions,
  registerPasskey,
} from '../../platform/sign-in/passkeys.ts';
import { deletePasskey } from '../../store/passkeys.ts';
import type { ApiTestResponse } from '../test/running-api.ts';
import { startTestSignIn, TEST_PASSWORD, type TestBrowser, type TestSignIn } from './test/test-sign-in.ts';

const ORIGIN = 'https://floe.example';
const OPTIONS = '/api/session/passkey/options';

let harness: TestSignIn;
let people = 0;
before(async () => {
  harness = await startTestSignIn();
});
after(() => harness.close());

/** Somebody with a passkey; not signed in. */
async function withPasskey() {
  people += 1;
  const email = `holder${people}@acme.example`;
  const id = await harness.addPerson(email, { acme: 'admin' });
  const authenticator = new FakeAuthenticator(ORIGIN);
  const { parts, api } = harness;
  const credential = authenticator.create(
    await createPasskeyCreationOptions(parts, api.database.read, { id, email }),
  );
  const row = await api.database.transaction((writer) =>
    registerPasskey(parts, writer, id, { name: 'laptop', credential }),
  );
  return { email, id, authenticator, row };
}

/** The options of an answer, as the page hands them to the browser. */
function optionsIn({ body }: ApiTestResponse): PasskeyRequestOptions {
  return { challenge: String(body.challenge), rpId: String(body.rpId) };
}

async function show(browser: TestBrowser, authenticator: FakeAuthenticator, twist: AuthenticatorFault = {}) {
  const credential = authenticator.get(optionsIn(await browser.ask('POST', OPTIONS)), twist);
  return browser.ask('POST', '/api/session/passkey', { credential });
}

const told = ({ status, body }: ApiTestResponse) => `${status} ${body?.error?.code ?? ''}`.trim();

test('a passkey signs in without an email address, and its use is recorded', async () => {
  const { authenticator, email, row } = await withPasskey();
  const browser = harness.browser();
  const answer = await show(browser, authenticator);
  assert.deepEqual([answer.status, answer.body.user?.email], [200, email]);
  assert.ok(answer.body.stepped_up_until);
  const kept = await harness.api.database.read
    .selectFrom('passkeys')
    .selectAll()
    .where('id', '=', row.id)
    .executeTakeFirst();
  assert.deepEqual([kept?.counter, kept?.last_used_at], [1, harness.parts.clock.now()]);
  assert.equal(told(await browser.ask('GET', '/api/me')), '200');
});

test('a passkey that is deleted while its response is verified does not sign in', async () => {
  const { row } = await withPasskey();
  const { parts, api } = harness;
  const shown = { row, challenge: 'once', counter: 1, backedUp: false };
  const use = () => api.database.transaction((writer) => consumePasskeyAssertion(parts, writer, shown));
  await api.database.transaction((writer) => deletePasskey(writer, row.id));
  await assert.rejects(use, { code: 'sign_in_failed' });
});

test('every invalid passkey response has the same error', async () => {
  const { authenticator } = await withPasskey();
  const twists: readonly AuthenticatorFault[] = [
    { hasForgedSignature: true },
    { origin: 'https://floe.example.evil.example' },
    { origin: 'http://floe.example' },
    { rpId: 'evil.example' },
    { isUserUnverified: true },
  ];
  const messages = new Set<unknown>();
  for (const twist of twists) {
    const answer = await show(harness.browser(), authenticator, twist);
    assert.equal(told(answer), '401 sign_in_failed', JSON.stringify(twist));
    messages.add(answer.body.error?.message);
  }
  const stranger = new FakeAuthenticator(ORIGIN);
  stranger.create({ challenge: 'x', rp: { id: 'floe.example' }, user: { id: 'x' } });
  messages.add((await show(harness.browser(), stranger)).body.error?.message);
  assert.equal(messages.size, 1);
});

test('a cloned authenticator with a lower counter is rejected', async () => {
  const { authenticator } = await withPasskey();
  assert.equal(told(await show(harness.browser(), authenticator, { counter: 9 })), '200');
  assert.equal(told(await show(harness.browser(), authenticator, { counter: 9 })), '401 sign_in_failed');
  assert.equal(told(await show(harness.browser(), authenticator, { counter: 10 })), '200');
});

test('a challenge is issued by this server, valid once even for two simultaneous uses, and for five minutes', async () => {
  const { authenticator } = await withPasskey();
  const browser = harness.browser();
  const options = optionsIn(await browser.ask('POST', OPTIONS));
  const credential = authenticator.get(options, { counter: 0 });
  const twice = await Promise.all(
    [browser, harness.browser()].map((from) => from.ask('POST', '/api/session/passkey', { credential })),
  );
  assert.deepEqual(twice.map(told).sort(), ['200', '401 sign_in_failed']);
  assert.equal(
    told(await browser.ask('POST', '/api/session/passkey', { credential })),
    '401 sign_in_failed',
    'replayed',
  );
  for (const challenge of ['AAAA', Buffer.alloc(54, 1).toString('base64url'), `${options.challenge}A`]) {
    const answer = authenticator.get({ ...options, challenge });
    assert.equal(
      told(await browser.ask('POST', '/api/session/passkey', { credential: answer })),
      '401 sign_in_failed',
    );
  }
  const late = optionsIn(await browser.ask('POST', OPTIONS));
  harness.advance(5 * 60_000);
  const answer = authenticator.get(late);
  assert.equal(
    told(await browser.ask('POST', '/api/session/passkey', { credential: answer })),
    '401 sign_in_failed',
  );
});

test('a registration challenge does not sign in, and registers nothing twice or for another person', async () => {
  const { authenticator, id, email } = await withPasskey();
  const { parts, api } = harness;
  const options = await createPasskeyCreationOptions(parts, api.database.read, { id, email });
  assert.deepEqual(options.excludeCredentials.length, 1);
  const credential = authenticator.get({ challenge: options.challenge, rpId: options.rp.id });
  const browser = harness.browser();
  assert.equal(told(await browser.ask('POST', '/api/session/passkey', { credential })), '401 sign_in_failed');
  const fresh = new FakeAuthenticator(ORIGIN).create(options);
  const other = await withPasskey();
  const registering = (userId: string) =>
    api.database.transaction((writer) =>
      registerPasskey(parts, writer, userId, { name: 'x', credential: fresh }),
    );
  await assert.rejects(registering(other.id), { code: 'invalid_request' });
  await registering(id);
  await assert.rejects(registering(id), { code: 'invalid_request' });
});

test('a step-up accepts the password or an own passkey, lasts ten minutes, and changes the cookie', async () => {
  const { authenticator, email } = await withPasskey();
  const browser = harness.browser();
  await browser.signIn(email);
  harness.advance(10 * 60_000);
  const until = async () => (await browser.ask('GET', '/api/session')).body.stepped_up_until;
  assert.equal(await until(), null);
  for (const proof of ['password', 'passkey'] as const) {
    const before = browser.token;
    const passkey = authenticator.get(optionsIn(await browser.ask('POST', OPTIONS)));
    const body = proof === 'password' ? { password: TEST_PASSWORD } : { passkey };
    const answer = await browser.ask('POST', '/api/session/step-up', body);
    assert.equal(answer.status, 200, answer.text);
    assert.ok(await until());
    const old = harness.browser();
    old.cookies.set('__Host-floe_session', before);
    assert.equal(
      (await old.ask('GET', '/api/session')).body.stepped_up_until,
      null,
      'the old cookie gains nothing',
    );
    harness.advance(10 * 60_000);
    assert.equal(await until(), null);
  }
  assert.equal(
    told(await browser.ask('POST', '/api/session/step-up', { password: 'wrong' })),
    '401 sign_in_failed',
  );
  const other = await withPasskey();
  const passkey = other.authenticator.get(optionsIn(await browser.ask('POST', OPTIONS)));
  assert.equal(told(await browser.ask('POST', '/api/session/step-up', { passkey })), '401 sign_in_failed');
  assert.equal(told(await browser.ask('POST', '/api/session/step-up', {})), '400 invalid_request');
  assert.equal(
    told(await harness.browser().ask('POST', '/api/session/step-up', { password: TEST_PASSWORD })),
    '401 session_expired',
  );
  assert.equal(await until(), null);
});

test('removing a passkey ends the sessions that it started, also in this browser, and no others', async () => {
  const { authenticator, email, row } = await withPasskey();
  const [stolen, byPassword] = [harness.browser(), harness.browser()];
  assert.equal(told(await show(stolen, authenticator)), '200');
  await byPassword.signIn(email);
  assert.equal((await byPassword.ask('DELETE', `/api/me/passkeys/${row.id}`)).status, 204);
  assert.equal(told(await stolen.ask('GET', '/api/me')), '401 session_expired');
  assert.equal(told(await byPassword.ask('GET', '/api/me')), '200');
  const second = await withPasskey();
  const own = harness.browser();
  await show(own, second.authenticator);
  assert.equal((await own.ask('DELETE', `/api/me/passkeys/${second.row.id}`)).status, 204);
  assert.equal(own.cookies.size, 0);
  assert.equal(told(await own.ask('GET', '/api/me')), '401 missing_api_key');
});

test('changing the password requires a step-up, ends all other sessions and keeps this one', async () => {
  const { email } = await withPasskey();
  const [browser, other] = [harness.browser(), harness.browser()];
  await browser.signIn(email);
  await other.signIn(email);
  const password = 'lantern over quiet water';
  harness.advance(10 * 60_000);
  assert.equal(told(await browser.ask('PUT', '/api/me/password', { password })), '403 step_up_required');
  await browser.ask('POST', '/api/session/step-up', { password: TEST_PASSWORD });
  const weak = await browser.ask('PUT', '/api/me/password', { password: 'passwordpassword' });
  assert.equal(weak.body.error?.param, 'password');
  const before = browser.token;
  assert.equal(told(await browser.ask('PUT', '/api/me/password', { password })), '200');
  assert.notEqual(browser.token, before);
  assert.equal(told(await browser.ask('GET', '/api/me')), '200');
  assert.equal(told(await other.ask('GET', '/api/me')), '401 session_expired');
  assert.equal(told(await harness.browser().signIn(email)), '401 sign_in_failed');
  assert.equal(told(await harness.browser().signIn(email, password)), '200');
});

test('if passkeys are not supported or disabled, none are offered, and a request states the reason', async () => {
  for (const [options, why] of [
    [{ baseUrl: 'http://127.0.0.1:3563' }, /an https URL with a host name, or at localhost/],
    [{ baseUrl: 'http://floe.example' }, /an https URL with a host name, or at localhost/],
    [{ auth: { passkey: false } }, /auth\.passkey/],
  ] as const) {
    const closed = await startTestSignIn(options);
    const browser = closed.browser();
    assert.equal((await browser.ask('GET', '/api/session')).body.methods?.passkey, false);
    const answer = await browser.ask('POST', OPTIONS);
    assert.equal(told(answer), '404 not_found');
    assert.match(String(answer.body.error?.message), why);
    await closed.close();
  }
  const here = await startTestSignIn({ baseUrl: 'http://localhost:3563' });
  assert.equal((await here.browser().ask('POST', OPTIONS)).body.rpId, 'localhost');
  await here.close();
});
