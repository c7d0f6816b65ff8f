import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { CLI_PROGRAM, runProgramToEnd } from './run-program.ts';

const KEY = `eis_boards${'0'.repeat(40)}`;
const HOSTILE = '"><script>alert(1)</script>';
const config = {
  orgs: [
    {
      id: 'acme',
      timezone: 'Europe/Riga',
      keys: [{ name: 'all', key: KEY, scopes: ['monitoring', 'management'] }],
      monitors: [
        { id: 'nightly', name: HOSTILE, description: 'internal-notes', expected_interval_minutes: 60 },
        { id: 'hourly', name: 'Hourly', expected_interval_minutes: 60 },
      ],
      boards: [
        {
          slug: 'open',
          name: 'Open board',
          public: true,
          groups: [{ name: 'Jobs', monitors: ['nightly', 'hourly'] }],
        },
        { slug: 'closed', groups: [{ name: 'Jobs', monitors: ['nightly'] }] },
      ],
    },
  ],
};

let floe: FloeProcess;
before(async () => {
  floe = await startFloeProcess({ yaml: JSON.stringify(config) });
});
after(() => floe.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  callHttp(`${floe.url}${path}`, { headers });
const api = (method: string, path: string, body?: object) =>
  callHttp(`${floe.url}${path}`, {
    method,
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

test('a public board has a page, data and badges for everyone, with a policy that allows no script', async () => {
  const metadata = { secret: 'in-the-metadata' };
  const beat = await api('POST', '/api/monitoring/heartbeat', { monitor_id: 'nightly', metadata });
  assert.equal(beat.status, 200);
  const page = await get('/boards/open');
  assert.equal(page.status, 200);
  assert.match(page.text, /<h1>Open board<\/h1>/);
  assert.ok(!page.text.includes(HOSTILE));
  assert.match(page.text, /&quot;&gt;&lt;script&gt;/);
  assert.match(page.headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'self';/);
  assert.equal(page.headers['x-content-type-options'], 'nosniff');
  const [, stylesheet = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? [];
  const css = await get(stylesheet);
  assert.deepEqual([css.status, css.headers['content-type']], [200, 'text/css; charset=utf-8']);
  assert.match(css.headers['cache-control'] ?? '', /immutable/);
  const data = await get('/boards/open.json');
  const body = data.json();
  assert.ok(isJsonObject(body));
  assert.deepEqual([body['slug'], body['timezone']], ['open', 'Europe/Riga']);
  assert.equal(data.headers['access-control-allow-origin'], '*');
  for (const answer of [page, data])
    for (const inner of ['internal-notes', 'in-the-metadata', '/beat/'])
      assert.ok(!answer.text.includes(inner));
  for (const path of ['/boards/open/badge.svg', '/boards/open/nightly/badge.svg']) {
    const badge = await get(path);
    assert.deepEqual([badge.status, badge.headers['content-type']], [200, 'image/svg+xml; charset=utf-8']);
    assert.ok(!badge.text.includes('<script'));
  }
});

test('an unchanged page is not sent again, and is compressed with gzip if possible', async () => {
  const first = await get('/boards/open');
  const again = await get('/boards/open', { 'if-none-match': first.headers['etag'] ?? '' });
  assert.deepEqual([again.status, again.text], [304, '']);
  const packed = await get('/boards/open', { 'accept-encoding': 'br, gzip' });
  assert.equal(packed.headers['content-encoding'], 'gzip');
  const refused = await get('/boards/open', { 'accept-encoding': 'gzip;q=0' });
  assert.equal(refused.headers['content-encoding'], undefined);
  const head = await callHttp(`${floe.url}/boards/open`, { method: 'HEAD' });
  assert.deepEqual([head.status, head.text], [200, '']);
  assert.equal((await callHttp(`${floe.url}/boards/open`, { method: 'POST', body: '{}' })).status, 405);
});

test('a private board and an unknown one are the same to an unauthenticated visitor', async () => {
  const shape = async (slug: string, tail = '') => {
    const { status, headers, text } = await get(`/boards/${slug}${tail}`);
    return [status, headers['content-type'], text.replace(/"request_id":"[^"]*"/, '')];
  };
  for (const tail of ['', '.json', '/badge.svg', '/nightly/badge.svg', '/']) {
    assert.equal((await shape('closed', tail))[0], 404, tail);
    assert.deepEqual(await shape('closed', tail), await shape('nobody', tail), tail);
  }
  for (const odd of [
    '..%2fopen',
    'OPEN',
    'a'.repeat(500),
    'open/nobody/badge.svg',
    'open%00',
    'assets/x.css',
  ])
    assert.equal((await get(`/boards/${odd}`)).status, 404, odd);
});

test('a board in the file is read-only in the API, and a board of the API can be published and unpublished', async () => {
  const refused = await api('PATCH', '/api/monitoring/boards/open', { public: false });
  assert.deepEqual([refused.status, refused.text.includes('managed_by_file')], [409, true]);
  const made = await api('PUT', '/api/monitoring/boards/console', { public: true, groups: [] });
  const body = made.json();
  assert.ok(isJsonObject(body));
  assert.equal(body['url'], `${floe.url}/boards/console`);
  assert.equal((await get('/boards/console')).status, 200);
  await api('DELETE', '/api/monitoring/boards/console');
  const monitor = (await api('GET', '/api/monitoring/monitors/nightly')).json();
  assert.ok(isJsonObject(monitor) && isJsonObject(monitor['source']));
  assert.deepEqual([monitor['source']['kind'], monitor['source']['file']], ['file', 'floe.yaml']);
  const url = String(monitor['beat_url']);
  assert.equal((await callHttp(url)).text, 'OK');
  await api('POST', '/api/monitoring/monitors/nightly/rotate');
  assert.equal((await callHttp(url)).status, 404);
});

test('metrics contain the status of each monitor', async () => {
  const { text } = await get('/metrics');
  assert.match(text, /^floe_monitor_up\{org="acme",monitor="nightly"\} 1$/m);
});

test('a private board is visible to signed-in members, and a 404 to everyone else', async () => {
  const env = { FLOE_DATA_DIR: floe.dataDir, FLOE_PORT: new URL(floe.url).port };
  const { stdout } = await runProgramToEnd(CLI_PROGRAM, ['owner-link', 'acme'], env, floe.dataDir);
  const [, token] = /#token=([\w-]{43})/.exec(stdout) ?? [];
  const person = { token, email: 'mara@acme.example', name: 'Mara', password: 'quiet harbour lantern' };
  const made = await callHttp(`${floe.url}/api/session/setup`, {
    headers: { origin: floe.url },
    body: person,
  });
  assert.equal(made.status, 200, made.text);
  const cookie = made.headers['set-cookie']?.split(';')[0] ?? '';
  for (const path of ['/boards/closed', '/boards/closed.json', '/boards/closed/badge.svg']) {
    const own = await get(path, { cookie });
    assert.equal(own.status, 200, path);
    assert.equal(own.headers['cache-control'], 'private, no-cache');
    assert.equal(own.headers['vary'], 'accept-encoding, cookie');
    assert.equal(own.headers['access-control-allow-origin'], undefined);
    const { etag = '' } = own.headers;
    assert.equal((await get(path, { cookie, 'if-none-match': etag })).status, 304);
    for (const other of ['', `${cookie.split('=')[0]}=${'A'.repeat(43)}`])
      assert.equal((await get(path, { cookie: other, 'if-none-match': etag })).status, 404, path);
  }
  assert.equal((await get('/boards/open', { cookie })).headers['cache-control'], 'public, max-age=5');
  await api('POST', '/api/monitoring/boards', { slug: 'later', name: 'Later' });
  assert.equal((await get('/boards/later', { cookie })).status, 200);
  await callHttp(`${floe.url}/api/session`, { method: 'DELETE', headers: { origin: floe.url, cookie } });
  assert.equal((await get('/boards/closed', { cookie })).status, 404);
});
