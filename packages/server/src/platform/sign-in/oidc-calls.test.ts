// What Floe calls for a sign-in by an issuer: the addresses that floe.yaml names, and those that the issuer names in
// turn. Each is judged when it is connected to.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { systemClock } from '../../core/clock.ts';
import { createOutboundGuard, type OutboundAccessSettings } from '../../core/outbound-guard.ts';
import { deriveOidcFlowKey } from '../secrets.ts';
import {
  completeOidcFlow,
  decryptOidcFlow,
  type OidcFlowContext,
  OidcSignInError,
  requireOidcIssuer,
  startOidcFlow,
} from './oidc-flow.ts';
import { OidcIssuerCache } from './oidc-issuer-cache.ts';
import { buildSignInUrls } from './sign-in-urls.ts';
import { type ScriptedIssuer, startScriptedIssuer } from './test/scripted-issuer.ts';

const HOST = 'login.example';
const STRICT: OutboundAccessSettings = {
  allowPrivate: false,
  privateNetworks: [],
  namedHosts: () => new Set(),
};
/** All that an operator can allow. */
const EVERYTHING: OutboundAccessSettings = {
  allowPrivate: true,
  privateNetworks: ['0.0.0.0/0', '::/0'],
  namedHosts: () => new Set(),
};

/** What names mean, in order; the last stays. Whoever is not in it is not found. */
type Names = Readonly<Record<string, readonly string[]>>;

function resolving(names: Names) {
  const asked = new Map<string, number>();
  return (
    host: string,
    _options: unknown,
    done: (error: Error | null, found: { address: string; family: number }[]) => void,
  ) => {
    const answers = names[host] ?? [];
    const turn = asked.get(host) ?? 0;
    asked.set(host, turn + 1);
    const address = answers[Math.min(turn, answers.length - 1)];
    if (address === undefined) return done(new Error(`ENOTFOUND ${host}`), []);
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
}

function partsFor(issuer: string, rules: OutboundAccessSettings, names: Names = {}): OidcFlowContext {
  const auth = FloeConfigSchema.parse({
    auth: { oidc: [{ name: 'corp', issuer, client_id: 'floe' }] },
  }).auth;
  const guard = createOutboundGuard(() => rules, resolving(names));
  return {
    auth: () => auth,
    clock: systemClock,
    issuers: new OidcIssuerCache({ guard, via: () => undefined }, systemClock),
    site: () => buildSignInUrls('https://floe.example'),
    flowEncryptionKey: deriveOidcFlowKey(Buffer.alloc(32, 6)),
  };
}

/** The whole way, as far as it goes. */
async function signIn(context: OidcFlowContext, issuer?: ScriptedIssuer) {
  const { location, encryptedFlow } = await startOidcFlow(context, 'corp', {
    returnTo: undefined,
    stepUp: false,
  });
  const state = new URL(location).searchParams.get('state') ?? '';
  const kept = decryptOidcFlow(context, 'corp', { query: { state }, encryptedFlow });
  if (issuer) issuer.nonce = kept.nonce;
  return completeOidcFlow(context, requireOidcIssuer(context, 'corp'), kept, { code: 'c', state });
}

async function refusal(trying: Promise<unknown>): Promise<{ reason: string; why: string }> {
  const error = await trying.then(
    () => assert.fail('the sign-in went through'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof OidcSignInError, String(error));
  const texts: string[] = [];
  for (let one: unknown = error; one instanceof Error; one = one.cause) texts.push(one.message);
  return { reason: error.reason, why: texts.join('; ') };
}

async function scripted(t: TestContext) {
  const issuer = await startScriptedIssuer(HOST);
  t.after(() => issuer.close());
  const url = `http://${HOST}:${issuer.port}`;
  // The file names it, so it may be on loopback; nothing else may.
  const rules: OutboundAccessSettings = { ...STRICT, namedHosts: () => new Set([`${HOST}:${issuer.port}`]) };
  return { issuer, url, rules };
}

const METADATA = [
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '100.100.100.200',
  '168.63.129.16',
  'metadata.google.internal',
  'METADATA.google.internal.',
  'rebound.example',
];
const PRIVATE = [
  '127.0.0.1',
  '127.1',
  '0x7f000001',
  '017700000001',
  '2130706433',
  '0',
  '[::1]',
  '[::]',
  '[::ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  'localhost',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '[fd12::1]',
  'inside.example',
];
const NAMES: Names = {
  [HOST]: ['127.0.0.1'],
  localhost: ['127.0.0.1'],
  'inside.example': ['10.0.0.7'],
  'rebound.example': ['169.254.169.254'],
};

test('an issuer at a metadata address is never called, in any notation and whatever is allowed', async () => {
  for (const scheme of ['http', 'https'])
    for (const host of METADATA) {
      const { reason, why } = await refusal(signIn(partsFor(`${scheme}://${host}`, EVERYTHING, NAMES)));
      assert.equal(reason, 'unavailable', host);
      assert.match(why, /metadata/, host);
    }
});

test('with several organizations, an issuer in a private network is called only if the file names it', async (t) => {
  const { issuer, url, rules } = await scripted(t);
  for (const host of PRIVATE) {
    const at = `http://${host}:${issuer.port}`;
    const { reason, why } = await refusal(signIn(partsFor(at, STRICT, NAMES)));
    assert.equal(reason, 'unavailable', host);
    assert.match(why, /not a public address\. .* add it to security\.private_networks/, host);
  }
  assert.deepEqual(issuer.requestedPaths, []);
  const person = await signIn(partsFor(url, rules, NAMES), issuer);
  assert.equal(person.subject, 'jo');
  assert.deepEqual(issuer.requestedPaths, ['/.well-known/openid-configuration', '/token', '/jwks', '/me']);
});

for (const [endpoint, path] of [
  ['token_endpoint', '/token'],
  ['jwks_uri', '/jwks'],
  ['userinfo_endpoint', '/me'],
] as const)
  test(`an issuer's ${endpoint} cannot lead to an address that Floe must not call`, async (t) => {
    const { issuer, url, rules } = await scripted(t);
    const trap = await startScriptedIssuer('trap.example');
    t.after(() => trap.close());
    for (const host of [...PRIVATE, ...METADATA]) {
      issuer.metadata = { [endpoint]: `http://${host}:${trap.port}${path}` };
      const { reason, why } = await refusal(signIn(partsFor(url, rules, NAMES), issuer));
      assert.equal(reason, 'unavailable', host);
      assert.match(why, /security\.private_networks|metadata/, host);
    }
    assert.deepEqual(trap.requestedPaths, []);
  });

test('a host name is checked at each call', async (t) => {
  const { issuer, url, rules } = await scripted(t);
  for (const calls of [1, 2, 3]) {
    issuer.requestedPaths.length = 0;
    const answers = [...Array.from({ length: calls }, () => '127.0.0.1'), '169.254.169.254'];
    const { why } = await refusal(signIn(partsFor(url, rules, { [HOST]: answers }), issuer));
    assert.match(why, /metadata/);
    assert.equal(issuer.requestedPaths.length, calls);
  }
});

test('redirects of an issuer are not followed, and its responses are limited in size', async (t) => {
  const { issuer, url, rules } = await scripted(t);
  const parts = () => partsFor(url, { ...rules, allowPrivate: true }, NAMES);
  for (const path of ['/.well-known/openid-configuration', '/token', '/jwks', '/me'])
    for (const status of [301, 302, 307, 308]) {
      issuer.requestedPaths.length = 0;
      issuer.overrides.set(path, (response) =>
        response.writeHead(status, { location: `http://${HOST}:${issuer.port}/elsewhere` }).end(),
      );
      await refusal(signIn(parts(), issuer));
      assert.ok(!issuer.requestedPaths.includes('/elsewhere'), `${status} of ${path}`);
      issuer.overrides.clear();
    }
  for (const path of ['/.well-known/openid-configuration', '/token', '/jwks', '/me']) {
    issuer.overrides.set(path, (response) => {
      response.setHeader('content-type', 'application/json');
      const more = (): void => {
        while (!response.destroyed && response.write('[['.repeat(32_768)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { reason } = await refusal(signIn(parts(), issuer));
    assert.equal(reason, 'unavailable', path);
    issuer.overrides.clear();
  }
});

test('an ID token with another signature is rejected, although the issuer sent it', async (t) => {
  const { issuer, url, rules } = await scripted(t);
  issuer.isForged = true;
  const { reason } = await refusal(signIn(partsFor(url, rules, NAMES), issuer));
  assert.equal(reason, 'failed');
  issuer.isForged = false;
  assert.equal((await signIn(partsFor(url, rules, NAMES), issuer)).subject, 'jo');
});

test('a verification counts only for the address that it came with', async (t) => {
  const { issuer, url, rules } = await scripted(t);
  const profileOf = async (idToken: JsonObject, userInfo: JsonObject) => {
    issuer.claims = idToken;
    issuer.overrides.set('/me', (response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ sub: 'jo', ...userInfo }));
    });
    const { email, isVerified } = await signIn(partsFor(url, rules, NAMES), issuer);
    return [email, isVerified];
  };
  const [boss, jo] = ['boss@acme.example', 'jo@acme.example'];
  const verified = { email: jo, email_verified: true };
  assert.deepEqual(await profileOf({ email: boss }, verified), [boss, false]);
  assert.deepEqual(await profileOf({ email: jo }, verified), [jo, true]);
  assert.deepEqual(await profileOf({}, verified), [jo, true]);
  assert.deepEqual(await profileOf(verified, { email: boss, email_verified: false }), [jo, true]);
  assert.deepEqual(await profileOf({ email_verified: true }, { email: boss }), [boss, false]);
});
