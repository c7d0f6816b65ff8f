import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { FakeClock } from '@floe/testkit/fake-clock';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { ClientCall } from '../gateway/client-call.ts';
import { type ConsoleRoutes, createConsoleRoutes } from './console-routes.ts';
import { NodeHttpTransport } from './node-http-transport.ts';

const PAGE = '<!doctype html><head><base href="/" /></head>';
const SCRIPT = 'x'.repeat(2000);
const dir = mkdtempSync(join(tmpdir(), 'floe-console-'));
mkdirSync(join(dir, 'assets'));
writeFileSync(join(dir, 'index.html'), PAGE);
writeFileSync(join(dir, 'theme.js'), 'theme');
writeFileSync(join(dir, 'assets/main-a1.js'), SCRIPT);
writeFileSync(join(dir, 'assets/main-a1.js.gz'), gzipSync(SCRIPT));
after(() => rmSync(dir, { recursive: true }));

function createRoutes(from = dir, prefix = ''): ConsoleRoutes {
  return createConsoleRoutes({
    dir: from,
    prefix,
    answerUnbuilt: (client) => client.sendAnswer(200, [], 'not built'),
  });
}

/** Answers as the router would: null for a path that is not the console's. */
async function ask(
  path: string,
  options: { headers?: Record<string, string>; prefix?: string; dir?: string; routes?: ConsoleRoutes } = {},
) {
  const routes = options.routes ?? createRoutes(options.dir, options.prefix);
  if (!routes.matches(path)) return null;
  const server = createServer((req, res) =>
    routes.answer(new ClientCall('exc_1', new NodeHttpTransport(req, res, new FakeClock())), path),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  const answer = await callHttp(`http://127.0.0.1:${address.port}/`, { headers: options.headers ?? {} });
  await new Promise((resolve) => server.close(resolve));
  return answer;
}

async function answered(...asked: Parameters<typeof ask>): Promise<HttpCallResponse> {
  const answer = await ask(...asked);
  assert.ok(answer, asked[0]);
  return answer;
}

test('every console path returns the page, and other paths do not', async () => {
  for (const path of ['/', '/sign-in', '/invite', '/first-run', '/me', '/o/acme', '/o/acme/management/keys'])
    assert.equal((await answered(path)).text, PAGE, path);
  for (const path of [
    '/api',
    '/api/session',
    '/gateway/v1/models',
    '/boards/x',
    '/beat/x',
    '/relay/v1',
    '/healthz',
    '/other',
    '/online',
  ])
    assert.equal(await ask(path), null, path);
});

test('the page forbids inline and foreign content, and is revalidated each time', async () => {
  const { headers } = await answered('/o/acme');
  const policy = headers['content-security-policy'] ?? '';
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
  assert.doesNotMatch(policy, /unsafe|\*|nonce/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(headers['cache-control'], 'no-cache');
  const again = await answered('/o/acme', { headers: { 'if-none-match': headers['etag'] ?? '' } });
  assert.equal(again.status, 304);
  assert.equal(again.text, '');
});

test('if Floe is served below a path, the page states it, and no path escapes it', async () => {
  assert.match((await answered('/', { prefix: '/floe' })).text, /<base href="\/floe\/" \/>/);
  const hostile = await answered('/', { prefix: '/"><script>' });
  assert.doesNotMatch(hostile.text, /<script>/);
});

test('files with a hash in their name are cached forever and compressed as the browser requests', async () => {
  const plain = await answered('/assets/main-a1.js');
  assert.equal(plain.text, SCRIPT);
  assert.match(plain.headers['cache-control'] ?? '', /immutable/);
  const packed = await answered('/assets/main-a1.js', { headers: { 'accept-encoding': 'br, gzip' } });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(packed.bytes).toString(), SCRIPT);
  const refused = await answered('/assets/main-a1.js', { headers: { 'accept-encoding': 'gzip;q=0' } });
  assert.equal(refused.headers['content-encoding'], undefined);
  assert.equal((await answered('/theme.js')).headers['cache-control'], 'no-cache');
});

test('a file of another build is a 404, and nothing outside the build can be requested', async () => {
  assert.equal((await answered('/assets/old-b2.js')).status, 404);
  for (const path of [
    '/assets/../index.html',
    '/assets/%2e%2e/x.js',
    '/assets/',
    '/assets/sub/x.js',
    '/index.html',
  ])
    assert.equal(await ask(path), null, path);
});

test('without a build, the page explains how to create one', async () => {
  assert.equal((await answered('/', { dir: join(dir, 'none') })).text, 'not built');
});

test('a build that is replaced while the server runs neither ends the server nor leaves the old page', async (t) => {
  const other = mkdtempSync(join(tmpdir(), 'floe-console-'));
  t.after(() => rmSync(other, { recursive: true }));
  const build = (name: string) => {
    rmSync(join(other, 'assets'), { recursive: true, force: true });
    mkdirSync(join(other, 'assets'));
    writeFileSync(join(other, 'index.html'), name);
    writeFileSync(join(other, `assets/${name}-1.js`), name);
    writeFileSync(join(other, `assets/${name}-2.js`), name);
  };
  build('old');
  const routes = createRoutes(other);
  assert.equal((await answered('/', { routes })).text, 'old');
  assert.equal((await answered('/assets/old-1.js', { routes })).text, 'old');
  build('new');
  // This file was in the list of files, but was not read before the build was replaced.
  assert.equal((await answered('/assets/old-2.js', { routes })).status, 404);
  assert.equal((await answered('/', { routes })).text, 'new');
  assert.equal((await answered('/assets/new-1.js', { routes })).text, 'new');
  rmSync(other, { recursive: true });
  assert.equal((await answered('/assets/new-2.js', { routes })).status, 404);
  mkdirSync(other);
});
