import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ApiTestResponse } from '../test/running-api.ts';
import { startTestSignIn, TEST_PASSWORD, type TestBrowser, type TestSignIn } from './test/test-sign-in.ts';

let harness: TestSignIn;
let people = 0;
before(async () => {
  harness = await startTestSignIn();
});
after(() => harness.close());

const told = ({ status, body }: ApiTestResponse) => `${status} ${body?.error?.code ?? ''}`.trim();

async function person() {
  people += 1;
  const email = `target${people}@acme.example`;
  await harness.addPerson(email, { acme: 'admin' });
  return email;
}

/** A browser whose requests seem to come from an address of its own. */
let addresses = 0;
function from(): Readonly<Record<string, string>> {
  addresses += 1;
  return { 'x-forwarded-for': `203.0.113.${addresses}` };
}

const HOSTILE: readonly Readonly<Record<string, string>>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://floe.example' },
  { 'sec-fetch-site': '', origin: 'https://floe.example' },
  { origin: 'https://evil.example' },
  { origin: 'http://floe.example' },
  { origin: 'https://floe.example:444' },
  { origin: 'https://floe.example.evil.example' },
  { origin: 'null' },
  {},
];

const FRIENDLY: readonly Readonly<Record<string, string>>[] = [
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'none' },
  { origin: 'https://floe.example' },
  { origin: 'https://floe.example:8443' },
];

test('a change with a cookie is accepted only from a page of this installation', async () => {
  const browser = harness.browser();
  await browser.signIn(await person());
  const cookie = `__Host-floe_session=${browser.token}`;
  const ask = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
    harness.api.call(method, path, { headers: { cookie, ...headers } });
  const changing = [
    ['POST', '/api/management/cache/purge'],
    ['DELETE', '/api/management/keys/key_none'],
    ['PATCH', '/api/management/keys/key_none'],
    ['PUT', '/api/management/limits/none'],
    ['POST', '/api/session/org'],
    ['POST', '/api/session/step-up'],
    ['POST', '/api/session/password'],
    ['PUT', '/api/me/password'],
    ['DELETE', '/api/session'],
  ] as const;
  for (const headers of HOSTILE) {
    for (const [method, path] of changing)
      assert.equal(
        told(await ask(method, path, headers)),
        '403 cross_site_request',
        `${method} ${path} ${JSON.stringify(headers)}`,
      );
    // Reading changes nothing, and nobody else's page can read the answer.
    assert.equal(told(await ask('GET', '/api/me', headers)), '200');
    assert.equal(told(await ask('GET', '/api/session', headers)), '200');
  }
  for (const headers of FRIENDLY)
    assert.equal(told(await ask('POST', '/api/management/cache/purge', headers)), '204');
  const { key } = await harness.api.addKey('acme');
  const withKey = { 'x-api-key': key, 'sec-fetch-site': 'cross-site' };
  assert.equal(told(await ask('POST', '/api/management/cache/purge', withKey)), '204', 'a key is no cookie');
});

test('the body of a session request must be JSON that a form cannot send', async () => {
  const browser = harness.browser();
  const email = await person();
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
    const answer = await harness.api.call('POST', '/api/session/password', {
      raw: JSON.stringify({ email, password: TEST_PASSWORD }),
      headers: { 'content-type': type, 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(told(answer), '415 unsupported_media_type');
  }
  assert.equal(told(await browser.ask('GET', '/api/session/password')), '405 method_not_allowed');
});

test('guesses for one account are slowed after five attempts from any address, but never blocked forever', async () => {
  const proxied = await startTestSignIn({ trustedProxies: ['127.0.0.1'] });
  await proxied.addPerson('mara@acme.example', { acme: 'owner' });
  const guess = (password = 'a wrong one indeed') =>
    proxied.browser().signIn('Mara@acme.example', password, from());
  for (let n = 0; n < 5; n++) assert.equal(told(await guess()), '401 sign_in_failed');
  const hashes = proxied.hashes();
  const refused = await guess(TEST_PASSWORD);
  assert.equal(told(refused), '429 too_many_attempts');
  assert.equal(refused.headers['retry-after'], '1');
  assert.equal(proxied.hashes(), hashes, 'what is refused costs no hash');
  let waited = 0;
  for (let n = 0; n < 30; n++) {
    const wait = Number((await guess()).headers['retry-after-ms'] ?? 0);
    assert.ok(wait <= 5 * 60_000, `${wait} ms`);
    waited = Math.max(waited, wait);
    proxied.advance(wait);
    assert.equal(told(await guess()), '401 sign_in_failed');
  }
  assert.equal(waited, 5 * 60_000);
  proxied.advance(5 * 60_000);
  assert.equal(told(await guess(TEST_PASSWORD)), '200');
  assert.equal(told(await guess()), '401 sign_in_failed', 'the count began anew');
  assert.equal(told(await guess(TEST_PASSWORD)), '200');
  assert.ok((await proxied.audited('sign_in.throttle')).length > 0);
  await proxied.close();
});

test('a hundred simultaneous guesses are counted individually', async () => {
  const email = await person();
  const own = await startTestSignIn();
  await own.addPerson(email, { acme: 'admin' });
  const before = own.hashes();
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => own.browser().signIn(email, `guess number ${n} of many`)),
  );
  const codes = answers.map(told);
  assert.equal(codes.filter((code) => code === '401 sign_in_failed').length, 5);
  assert.equal(codes.filter((code) => code === '429 too_many_attempts').length, 95);
  assert.equal(own.hashes() - before, 5);
  await own.close();
});

test('an address that tries many accounts is slowed, despite a successful sign-in, and other addresses are not', async () => {
  const proxied = await startTestSignIn({ trustedProxies: ['127.0.0.1'] });
  await proxied.addPerson('own@acme.example', { acme: 'viewer' });
  const here = from();
  const spray = (n: number) =>
    proxied.browser().signIn(`victim${n}@acme.example`, 'one guess for each', here);
  let n = 0;
  for (; n < 20; n++) {
    assert.equal(told(await spray(n)), '401 sign_in_failed');
    if (n < 19)
      assert.equal(told(await proxied.browser().signIn('own@acme.example', TEST_PASSWORD, here)), '200');
  }
  assert.equal(told(await spray(n)), '429 too_many_attempts');
  assert.equal(
    told(await proxied.browser().signIn('own@acme.example', TEST_PASSWORD, here)),
    '429 too_many_attempts',
  );
  assert.equal(told(await proxied.browser().signIn('own@acme.example', TEST_PASSWORD, from())), '200');
  proxied.advance(61 * 60_000);
  assert.equal(told(await proxied.browser().signIn('own@acme.example', TEST_PASSWORD, here)), '200');
  await proxied.close();
});

test('forwarded addresses are accepted from trusted proxies only', async () => {
  const direct = await startTestSignIn();
  await direct.addPerson('mara@acme.example', { acme: 'owner' });
  const codes: string[] = [];
  for (let n = 0; n < 22; n++)
    codes.push(told(await direct.browser().signIn(`nobody${n}@acme.example`, 'some guess or other', from())));
  assert.equal(codes.at(-1), '429 too_many_attempts');
  await direct.close();
});

test('a missing account has the same hash cost and message, and its address is not stored', async () => {
  const email = await person();
  await harness.api.database.transaction((writer) =>
    writer.updateTable('users').set({ password_hash: null }).where('email', '=', email).execute(),
  );
  const known = await person();
  const answers: unknown[] = [];
  for (const tried of ['never-there@acme.example', email, known]) {
    const before = harness.hashes();
    const answer = await harness.browser().signIn(tried, 'not the password');
    assert.equal(harness.hashes() - before, 1);
    const { error } = answer.body;
    answers.push([answer.status, error]);
  }
  assert.deepEqual(answers[0], answers[1]);
  assert.deepEqual(answers[0], answers[2]);
  const audit = JSON.stringify(await harness.api.database.read.selectFrom('audit').selectAll().execute());
  assert.ok(!audit.includes('never-there'));
});

test('successful and failed sign-ins are in the audit log, without a password or a cookie', async () => {
  const email = await person();
  const browser = harness.browser();
  await browser.signIn(email, 'not my password');
  await browser.signIn(email);
  await browser.ask('DELETE', '/api/session');
  const text = JSON.stringify(await harness.api.database.read.selectFrom('audit').selectAll().execute());
  for (const action of ['sign_in.fail', 'sessions.create', 'sessions.delete'])
    assert.ok((await harness.audited(action)).length > 0, action);
  assert.ok(
    !text.includes(TEST_PASSWORD) &&
      !text.includes('not my password') &&
      !text.includes(browser.token || 'none'),
  );
});

test('two different session cookies are invalid, because someone else set one of them', async () => {
  const browser: TestBrowser = harness.browser();
  await browser.signIn(await person());
  const good = `__Host-floe_session=${browser.token}`;
  const ask = (cookie: string) => harness.api.call('GET', '/api/me', { headers: { cookie } });
  assert.equal(told(await ask(`${good}; __Host-floe_session=${'B'.repeat(43)}`)), '401 missing_api_key');
  assert.equal(told(await ask(`other=1; ${good}; floe_session=planted`)), '200');
});

test('if passwords are disabled, no one can use one, and the owner link needs none', async () => {
  const off = await startTestSignIn({ auth: { password: false } });
  await off.addPerson('mara@acme.example', { acme: 'owner' });
  const before = off.hashes();
  const answer = await off.browser().signIn('mara@acme.example');
  assert.equal(told(answer), '404 not_found');
  assert.match(String(answer.body.error?.message), /auth\.password/);
  const token = await off.ownerLink();
  const body = { token, email: 'jo@acme.example', name: 'Jo' };
  assert.equal(told(await off.browser().ask('POST', '/api/session/setup', body)), '200');
  assert.equal(off.hashes(), before);
  await off.close();
  const token2 = await harness.ownerLink();
  const without = await harness.browser().ask('POST', '/api/session/setup', { ...body, token: token2 });
  assert.deepEqual([without.status, without.body.error?.param], [400, 'password']);
});
