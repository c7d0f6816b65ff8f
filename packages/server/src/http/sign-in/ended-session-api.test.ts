import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { startTestSignIn, type TestBrowser, type TestSignIn } from './test/test-sign-in.ts';

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
