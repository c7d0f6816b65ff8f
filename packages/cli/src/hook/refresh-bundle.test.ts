import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RelaySchema } from '@floe/contract/config/relay';
import { getBundleCacheDirectory, readCachedBundle, storeCachedBundle } from './bundle-cache.ts';
import type { HookSettings } from './hook-settings.ts';
import { refreshBundle } from './refresh-bundle.ts';
import { verifyCachedBundle } from './verify-cached-bundle.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const public_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');

function createBundle() {
  const payload = JSON.stringify({
    format: 1,
    org: 'acme',
    version: '1',
    issued_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    identity: { key: 'k', team: null, owner: null },
    relay: RelaySchema.parse({}),
  });
  return { payload, signature: sign(null, Buffer.from(payload), privateKey).toString('base64'), public_key };
}

test('rules that cannot be verified are downloaded again, although the server has no newer ones', async (t) => {
  const cache = mkdtempSync(join(tmpdir(), 'floe-hook-refresh-'));
  t.after(() => rmSync(cache, { recursive: true, force: true }));
  const server = createServer((request, response) => {
    const isKnown = request.headers['if-none-match'] === '"1"';
    response.writeHead(isKnown ? 304 : 200, { etag: '"1"', connection: 'close' });
    response.end(isKnown ? undefined : JSON.stringify(createBundle()));
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  const settings: HookSettings = {
    baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    key: 'eis_refresh',
    publicKey: null,
    onError: 'open',
    refreshMs: 60_000,
    deadlines: {},
    problem: null,
  };
  const directory = getBundleCacheDirectory({ cache }, settings);
  const isUsable = () => {
    const cached = readCachedBundle(directory, settings);
    return cached !== null && verifyCachedBundle(cached, Date.now()) !== null;
  };
  const bundle = createBundle();
  storeCachedBundle(directory, { bundle, etag: '"1"', pinnedKey: public_key });
  assert.equal(await refreshBundle({ cache }, settings), 'the rules are unchanged');
  const damaged = { ...bundle, payload: bundle.payload.replace('acme', 'acne') };
  storeCachedBundle(directory, { bundle: damaged, etag: '"1"', pinnedKey: public_key });
  assert.equal(isUsable(), false);
  await refreshBundle({ cache }, settings);
  assert.equal(isUsable(), true);
});
