import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { SERVER_PROGRAM, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { runProgramToEnd } from './run-program.ts';
import { buildChatBody, CHAT_COMPLETIONS_PATH } from './running-gateway.ts';

const home = mkdtempSync(join(tmpdir(), 'floe-foreign-'));
after(() => rmSync(home, { recursive: true, force: true }));
const file = join(home, 'floe.yaml');

const keyOf = (org: string) => `eis_${org}${'0'.repeat(32)}`;
const SCOPES = '[gateway, monitoring, management]';

/** Line 5 is the first of what acme says beside its key. */
function write(more = ''): void {
  const org = (id: string) => [
    `  - id: ${id}`,
    `    keys: [{ name: k, key: ${keyOf(id)}, scopes: ${SCOPES} }]`,
  ];
  const [acme, rival] = [org('acme'), org('rival')];
  const rest = ['    providers: [{ id: base, kind: sandbox }]', ...(more === '' ? [] : [`    ${more}`])];
  writeFileSync(file, ['orgs:', ...rival, ...acme.slice(0, 1), ...rest, ...acme.slice(1)].join('\n'));
}

test('a file with the slug of another organization is rejected with its line, at run time and at the start', async () => {
  write();
  const dataDir = join(home, 'data');
  const floe = await startFloeProcess({ env: { FLOE_CONFIG: file }, dataDir });
  const api = async (org: string, method: string, path: string, body?: object) => {
    const answer = await callHttp(`${floe.url}/api/${path}`, {
      method,
      headers: { 'x-api-key': keyOf(org), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const json = answer.text.startsWith('{') ? answer.json() : {};
    return { status: answer.status, text: answer.text, body: isJsonObject(json) ? json : {} };
  };
  const refused = async (org: string) => {
    const { rejected } = (await api(org, 'GET', 'management/config/file')).body;
    return rejected === null ? undefined : JSON.stringify(rejected);
  };
  const board = { slug: 'status', name: 'Theirs', public: true };
  assert.equal((await api('rival', 'POST', 'monitoring/boards', board)).status, 201);
  const theirs = (await api('rival', 'GET', 'monitoring/boards/status')).text;

  write('boards: [{ slug: mine }, { slug: status, name: Ours }]');
  process.kill(floe.pid, 'SIGHUP');
  const told = await eventually(() => refused('acme'));
  assert.match(told, /orgs\[1\]\.boards\[1\]\.slug.*another organization.*"line":6/);
  assert.match((await refused('rival')) ?? '', /1 problem in the configuration of other organizations/);
  await floe.waitForOutput(
    /floe\.yaml:6:\d+: orgs\[1\]\.boards\[1\]\.slug: must be unique in the installation, but another organization already has a board with this slug/,
  );
  assert.equal((await api('rival', 'GET', 'monitoring/boards/status')).text, theirs);
  assert.equal(
    (await api('acme', 'GET', 'monitoring/boards/mine')).status,
    404,
    'nothing of it is taken over',
  );
  const answer = await callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
    headers: { 'x-api-key': keyOf('acme') },
    body: buildChatBody({ model: 'base/echo' }),
  });
  assert.equal(answer.status, 200, 'the running configuration goes on');

  await floe.stop();
  const env = { FLOE_CONFIG: file, FLOE_DATA_DIR: dataDir, FLOE_PORT: '0' };
  const started = await runProgramToEnd(SERVER_PROGRAM, [], env, home);
  assert.equal(started.code, 1, started.stderr);
  assert.match(
    started.stderr,
    /^floe: .*floe\.yaml:6:\d+: orgs\[1\]\.boards\[1\]\.slug: .*Choose another slug/m,
  );
  assert.doesNotMatch(started.stderr, /^\s+at /m);
});

test('when the slug is free, HUP applies the same file', async () => {
  write();
  const floe = await startFloeProcess({ env: { FLOE_CONFIG: file } });
  const headers = { 'content-type': 'application/json', 'x-api-key': keyOf('rival') };
  const boards = `${floe.url}/api/monitoring/boards`;
  const made = await callHttp(boards, { method: 'POST', headers, body: '{"slug":"status"}' });
  assert.equal(made.status, 201);
  write('boards: [{ slug: status, name: Ours }]');
  process.kill(floe.pid, 'SIGHUP');
  await floe.waitForOutput(/configuration was rejected/);
  assert.equal((await callHttp(`${boards}/status`, { method: 'DELETE', headers })).status, 204);
  process.kill(floe.pid, 'SIGHUP');
  await eventually(async () => {
    const { status } = await callHttp(`${boards}/status`, { headers: { 'x-api-key': keyOf('acme') } });
    return status === 200 || undefined;
  });
  // The other way round: the API finds the slug taken.
  const again = await callHttp(boards, { method: 'POST', headers, body: '{"slug":"status"}' });
  assert.equal(again.status, 409);
  await floe.stop();
});
