import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { createUpstreamHttpTransport } from '../upstream-http-transport.ts';
import { resolveGoogleTokenSources } from './google-token-sources.ts';
import { fetchGoogleToken } from './google-tokens.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const clock = new FakeClock();

/** Fetches a token for a service account with this private key; `assertion` reads what was sent for it. */
async function setUp(t: TestContext, privateKey: string, keyId?: string) {
  const upstream = await startFakeUpstream({ respond: () => createJsonReply({ access_token: 't' }) });
  const transport = createUpstreamHttpTransport();
  const folder = mkdtempSync(join(tmpdir(), 'floe-google-'));
  t.after(async () => {
    await transport.close();
    await upstream.close();
    rmSync(folder, { recursive: true });
  });
  const url = `${upstream.url}/token`;
  const account = {
    client_email: 'é@b.test',
    private_key: privateKey,
    private_key_id: keyId,
    token_uri: url,
  };
  const file = join(folder, 'account.json');
  writeFileSync(file, JSON.stringify({ type: 'service_account', ...account }));
  const identity = resolveGoogleTokenSources({ file, metadata: false }, () => undefined);
  const fetch = () =>
    fetchGoogleToken(identity, { transport, clock, orgId: undefined, via: () => undefined });
  const assertion = () =>
    new URLSearchParams(upstream.requests.at(-1)?.body.toString('utf8')).get('assertion') ?? '';
  return { url, fetch, assertion, requests: upstream.requests };
}

const pem = (key: KeyObject, type: 'pkcs1' | 'pkcs8') => key.export({ type, format: 'pem' }).toString();

for (const type of ['pkcs1', 'pkcs8'] as const)
  test(`an assertion signed with a key in ${type} verifies, without padding (RFC 7515, 7519)`, async (t) => {
    const { url, fetch, assertion } = await setUp(t, pem(rsa.privateKey, type), 'k-1');
    await fetch();
    const [head = '', claims = '', signature = '', ...rest] = assertion().split('.');
    assert.deepEqual(rest, []);
    assert.match(assertion(), /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
    const text = (part: string) => Buffer.from(part, 'base64url').toString('utf8');
    assert.equal(text(head), '{"alg":"RS256","typ":"JWT","kid":"k-1"}');
    const iat = Math.floor(clock.now() / 1000);
    const scope = 'https://www.googleapis.com/auth/cloud-platform';
    assert.equal(text(claims), JSON.stringify({ iss: 'é@b.test', scope, aud: url, iat, exp: iat + 3600 }));
    const verifies = (signed: string) =>
      verify('RSA-SHA256', Buffer.from(signed), rsa.publicKey, Buffer.from(signature, 'base64url'));
    assert.ok(verifies(`${head}.${claims}`));
    assert.ok(!verifies(`${head}.${claims}x`));
  });

test('a key other than RSA is rejected before anything is sent', async (t) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { fetch, requests } = await setUp(t, pem(privateKey, 'pkcs8'));
  await assert.rejects(fetch(), { code: 'upstream_auth_failed', message: /is not valid/ });
  assert.deepEqual(requests, []);
});
