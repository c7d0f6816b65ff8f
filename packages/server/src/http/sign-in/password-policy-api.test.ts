import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PASSWORD_LENGTH_LIMITS } from '@floe/contract/api/session';
import { isJsonObject, type Json } from '@floe/contract/json';
import type { ApiTestResponse } from '../test/running-api.ts';
import { startTestSignIn, TEST_PASSWORD, type TestBrowser, type TestSignIn } from './test/test-sign-in.ts';

let harness: TestSignIn;
let people = 0;
before(async () => {
  // Each browser has an address of its own, so that no guess slows another.
  harness = await startTestSignIn({ trustedProxies: ['127.0.0.1'] });
});
after(() => harness.close());

interface Setting {
  /** Sets the password of an account with this address; its browser. */
  set(
    email: string,
    password: string,
  ): Promise<{ readonly answer: ApiTestResponse; readonly browser: TestBrowser }>;
}

async function invite(email: string, role: string): Promise<string> {
  const admin = `inviter${people}@acme.example`;
  await harness.addPerson(admin, { acme: 'owner' });
  const browser = harness.browser();
  await browser.signIn(admin);
  const { body } = await browser.ask('POST', '/api/management/invitations', { email, role });
  return String(body['link']).split('#t=')[1] ?? '';
}

/** Operations of the API that take a password which somebody chooses. */
const SETS: Readonly<Record<string, Setting>> = {
  'session.setup': {
    async set(email, password) {
      const browser = harness.browser();
      const token = await harness.ownerLink();
      const body = { token, email, name: 'Mara', password };
      return { answer: await browser.ask('POST', '/api/session/setup', body), browser };
    },
  },
  'session.invitation': {
    async set(email, password) {
      const browser = harness.browser();
      const body = { token: await invite(email, 'admin'), name: 'Mara', password };
      return { answer: await browser.ask('POST', '/api/session/invitation', body), browser };
    },
  },
  'me.password': {
    async set(email, password) {
      await harness.addPerson(email, { acme: 'admin' });
      const browser = harness.browser();
      await browser.signIn(email);
      return { answer: await browser.ask('PUT', '/api/me/password', { password }), browser };
    },
  },
};

/** Operations that only compare a password. An invitation does so for an account that exists. */
const COMPARES = ['session.password', 'session.step_up'];

/** What the policy refuses, whoever sets it and wherever. */
const REFUSED: Readonly<Record<string, (email: string) => string>> = {
  'one character': () => 'z',
  'two characters': () => 'zj',
  'one character less than the least': () => 'quiet harbour lantern'.slice(0, PASSWORD_LENGTH_LIMITS.min - 1),
  'many bytes, few characters': () => '🔑🔑🔑',
  'one character more than the most': () =>
    'quiet harbour lantern '.repeat(10).slice(0, PASSWORD_LENGTH_LIMITS.max + 1),
  'a word that guessers try': () => 'Password123456',
  'a row of the keyboard': () => 'qwertyuiopasdf',
  'one character again and again': () => 'aaaaaaaaaaaaaaaa',
  'the own address': (email) => email,
};

/** Names of operations whose body has a field that is named after a password, wherever in it. */
async function operationsWithPasswords(): Promise<string[]> {
  const { text } = await harness.api.call('GET', '/api/openapi.json');
  const document: Json = JSON.parse(text);
  assert.ok(isJsonObject(document) && isJsonObject(document['paths']));
  const found = new Set<string>();
  const walk = (schema: Json | undefined, name: string, seen: readonly string[]): void => {
    if (Array.isArray(schema)) for (const one of schema) walk(one, name, seen);
    if (!isJsonObject(schema)) return;
    const reference = schema['$ref'];
    if (typeof reference === 'string' && !seen.includes(reference)) {
      const place = reference.slice(2).split('/');
      const target = place.reduce<Json | undefined>(
        (at, key) => (isJsonObject(at) ? at[key] : undefined),
        document,
      );
      walk(target, name, [...seen, reference]);
    }
    if (isJsonObject(schema['properties']))
      for (const field of Object.keys(schema['properties']))
        if (/password|passphrase/i.test(field)) found.add(name);
    for (const value of Object.values(schema)) walk(value, name, seen);
  };
  for (const methods of Object.values(document['paths']))
    for (const operation of Object.values(isJsonObject(methods) ? methods : {}))
      if (isJsonObject(operation)) walk(operation['requestBody'], String(operation['operationId']), []);
  return [...found].sort();
}

test('for every operation with a password, it is known whether it sets or compares the password', async () => {
  assert.deepEqual(await operationsWithPasswords(), [...Object.keys(SETS), ...COMPARES].sort());
});

for (const [name, { set }] of Object.entries(SETS)) {
  test(`${name} sets no password that the policy rejects`, async () => {
    for (const [what, password] of Object.entries(REFUSED)) {
      people += 1;
      const email = `chooser.person${people}@acme.example`;
      const { answer, browser } = await set(email, password(email));
      assert.deepEqual([answer.status, answer.body.error?.param], [400, 'password'], what);
      const signedIn = await harness.browser().signIn(email, password(email));
      assert.notEqual(signedIn.status, 200, what);
      if (name !== 'me.password')
        assert.equal((await browser.ask('GET', '/api/me')).status, 401, `${what}: nobody is signed in`);
    }
  });

  test(`${name} sets a password that the policy allows, and it signs in`, async () => {
    for (const password of [TEST_PASSWORD, 'ein langer Weg zum Fluß', '7c1f9a3e5b2d']) {
      people += 1;
      const email = `chooser.person${people}@acme.example`;
      const { answer } = await set(email, password);
      assert.equal(answer.status, 200, answer.text);
      assert.equal((await harness.browser().signIn(email, password)).status, 200);
    }
  });
}
