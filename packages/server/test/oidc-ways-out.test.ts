// Sign-in by an issuer inside a company's network: every call Floe makes for it goes as all its calls go.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { startIssuer, TEST_CLIENT_SECRET, type TestIssuer } from '../src/http/sign-in/test/issuer.ts';
import { type CorporateNetwork, startCorporateNetwork } from './corporate-network.ts';

const HOST = 'login.corp.test';
const BASE = 'https://floe.example';
const CALLBACK = `${BASE}/api/session/oidc/corp/callback`;
/** What Floe itself asks an issuer for; the rest is the browser's. */
const CALLS = ['GET /.well-known/openid-configuration', 'POST /token', 'GET /jwks', 'GET /me'];

let network: CorporateNetwork;
let issuer: TestIssuer;
before(async () => {
  network = await startCorporateNetwork();
  const { cert, key } = network.certificate(HOST);
  issuer = await startIssuer(CALLBACK, { host: HOST, cert, key, ca: network.ca });
  issuer.account = { sub: 'jo', email: 'jo@acme.example', email_verified: true, groups: ['sre'] };
  network.routeHost(HOST, issuer.port);
});
after(async () => {
  await issuer.close();
  network.close();
});

const withIssuer = (outbound: JsonObject) =>
  JSON.stringify({
    server: { base_url: BASE },
    outbound,
    auth: {
      oidc: [
        {
          name: 'corp',
          issuer: issuer.url,
          client_id: 'floe',
          client_secret: TEST_CLIENT_SECRET,
          scopes: ['openid', 'email', 'groups'],
          map: [{ group: 'sre', role: 'admin' }],
        },
      ],
    },
    orgs: [{ id: 'acme' }],
  });

const start = (floe: FloeProcess) => callHttp(`${floe.url}/api/session/oidc/corp/start`);

async function signIn(floe: FloeProcess): Promise<string> {
  const started = await start(floe);
  assert.equal(started.status, 303, started.text);
  const back = await issuer.visit(started.headers['location'] ?? '');
  assert.equal(`${back.origin}${back.pathname}`, CALLBACK);
  const cookie = started.headers['set-cookie']?.split(';')[0] ?? '';
  const ended = await callHttp(`${floe.url}${back.pathname}${back.search}`, { headers: { cookie } });
  assert.equal(ended.status, 303, ended.text);
  return ended.headers['location'] ?? '';
}

const WAYS: readonly (readonly [
  what: string,
  outbound: () => JsonObject,
  env: () => Record<string, string>,
])[] = [
  ['outbound of floe.yaml', () => ({ proxy: network.proxyUrl, ca_file: network.caFile }), () => ({})],
  [
    'the usual variables',
    () => ({}),
    () => ({ HTTPS_PROXY: network.proxyUrl, NODE_EXTRA_CA_CERTS: network.caFile }),
  ],
];

for (const [what, outbound, env] of WAYS)
  test(`with ${what}, an issuer that only the proxy can reach signs people in`, async () => {
    const floe = await startFloeProcess({ yaml: withIssuer(outbound()), env: env() });
    network.tunnels.length = 0;
    issuer.asked.length = 0;
    assert.equal(await signIn(floe), '/');
    assert.deepEqual(
      network.tunnels.splice(0),
      CALLS.map(() => `${HOST}:443`),
    );
    for (const one of CALLS) assert.ok(issuer.asked.includes(one), `${one} of ${issuer.asked.join(', ')}`);
    await floe.stop();
  });

test('an issuer with an untrusted certificate signs no one in', async () => {
  const floe = await startFloeProcess({ yaml: withIssuer({ proxy: network.proxyUrl }) });
  issuer.asked.length = 0;
  const { headers } = await start(floe);
  assert.equal(headers['location'], '/sign-in?error=unavailable&provider=corp');
  await floe.waitForOutput(/unable to verify|self-signed certificate/);
  assert.deepEqual(issuer.asked, []);
  await floe.stop();
});
