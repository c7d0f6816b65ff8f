import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { FaultCode } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { followEvents } from '../src/http/test/follow-events.ts';
import { buildChatBody, CHAT_COMPLETIONS_PATH } from './running-gateway.ts';

const home = mkdtempSync(join(tmpdir(), 'floe-reload-'));
const file = join(home, 'floe.yaml');

const key = (name: string) => ({
  name,
  key: `eis_${name}${'0'.repeat(32)}`,
  scopes: ['gateway', 'management'],
});
const sandbox = (id: string) => ({ id, kind: 'sandbox' });

function config(keys: readonly string[], providers: readonly string[]): JsonObject {
  return { orgs: [{ id: 'acme', name: 'Acme', keys: keys.map(key), providers: providers.map(sandbox) }] };
}

let floe: FloeProcess;
before(async () => {
  writeFileSync(file, JSON.stringify(config(['stays'], ['first'])));
  floe = await startFloeProcess({ env: { FLOE_CONFIG: file } });
});
after(async () => {
  await floe.stop();
  rmSync(home, { recursive: true, force: true });
});

type Outcome = 'answered' | FaultCode;

async function outcome(name: string, provider: string): Promise<Outcome> {
  const answer = await callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
    headers: { 'x-api-key': key(name).key },
    body: buildChatBody({ model: `${provider}/echo` }),
  });
  if (answer.status === 200) return 'answered';
  const body = answer.json();
  assert.ok(isJsonObject(body) && isJsonObject(body.error));
  const code = body.error.code;
  if (isOutcome(code)) return code;
  throw new Error(answer.text);
}

function isOutcome(code: unknown): code is FaultCode {
  return ['invalid_api_key', 'key_revoked', 'model_not_found', 'auth_unavailable'].includes(String(code));
}

const becomes = (name: string, provider: string, wanted: Outcome) =>
  eventually(async () => {
    assert.equal(await outcome(name, provider), wanted, `${name} on ${provider}`);
    return true;
  });

test('a changed file adds a key and a provider; after their removal, the key is revoked and the provider unknown', async () => {
  assert.equal(await outcome('stays', 'first'), 'answered');
  assert.equal(await outcome('added', 'first'), 'invalid_api_key');
  writeFileSync(file, JSON.stringify(config(['stays', 'added'], ['first', 'second'])));
  await becomes('added', 'second', 'answered');
  assert.equal(await outcome('stays', 'first'), 'answered');

  writeFileSync(file, JSON.stringify(config(['stays'], ['first'])));
  await becomes('added', 'first', 'key_revoked');
  assert.equal(await outcome('stays', 'second'), 'model_not_found');
  assert.equal(await outcome('stays', 'first'), 'answered');
});

test('a file that is replaced by a rename is detected, and HUP does not wait for further changes', async () => {
  writeFileSync(`${file}.new`, JSON.stringify(config(['stays', 'renamed'], ['first'])));
  renameSync(`${file}.new`, file);
  await becomes('renamed', 'first', 'answered');
  writeFileSync(file, JSON.stringify(config(['stays'], ['first', 'hup'])));
  process.kill(floe.pid, 'SIGHUP');
  await becomes('stays', 'hup', 'answered');
  assert.equal(await outcome('renamed', 'first'), 'key_revoked');
});

test('an invalid file changes nothing, and the log has its line and reason', async () => {
  writeFileSync(file, 'orgs:\n  - id: acme\n    name: Acme\n    kees: []\n');
  const [said] = await floe.waitForOutput(/\{[^\n]*configuration was rejected[^\n]*\}/);
  assert.match(said, /floe\.yaml:4:5: .*kees/);
  assert.equal(await outcome('stays', 'first'), 'answered');
  // Neither does one that is empty or gone: taken at its word, it would take every key away.
  writeFileSync(file, '');
  process.kill(floe.pid, 'SIGHUP');
  await floe.waitForOutput(/missing or empty/);
  assert.equal(await outcome('stays', 'first'), 'answered');
  rmSync(file);
  process.kill(floe.pid, 'SIGHUP');
  assert.equal(await outcome('stays', 'first'), 'answered');
  writeFileSync(file, JSON.stringify(config(['stays', 'repaired'], ['first'])));
  await becomes('repaired', 'first', 'answered');
});

test('event streams report a rejected file and its correction, with line and reason', async (t) => {
  const headers = { 'x-api-key': key('stays').key };
  const told = async () => {
    const answer = (await callHttp(`${floe.url}/api/management/config/file`, { headers })).json();
    assert.ok(isJsonObject(answer));
    return answer['rejected'];
  };
  // Each follows from now on: what the tests before did may be told late.
  const following = async (action: string) => {
    const stream = await followEvents(t, `${floe.url}/api/events?topics=config`, headers);
    await stream.position();
    return () => stream.until(({ event, data }) => event === 'config' && JSON.parse(data).action === action);
  };
  const whole = readFileSync(file, 'utf8');
  const refusalHeard = await following('config.rejected');
  writeFileSync(file, 'orgs:\n  - id: acme\n    kees: []\n');
  await refusalHeard();
  const refused = await told();
  assert.ok(isJsonObject(refused) && Array.isArray(refused['problems']));
  const [problem] = refused['problems'];
  assert.ok(isJsonObject(problem));
  assert.deepEqual([problem['line'], problem['where']], [3, 'orgs[0]']);
  const repairHeard = await following('config.accepted');
  writeFileSync(file, whole);
  await repairHeard();
  assert.equal(await told(), null);
});

test('a problem with one organization in a rejected file is reported to this one, and others receive only the number', async () => {
  const of = (id: string, name: string, more: object = {}) => ({ id, keys: [key(name)], ...more });
  writeFileSync(file, JSON.stringify({ orgs: [of('acme', 'stays'), of('rival', 'theirs')] }));
  await becomes('theirs', 'first', 'model_not_found');
  const secret = { name: 'secret-budget', scope: 'org', period: 'month', limit_usd: -1 };
  writeFileSync(
    file,
    JSON.stringify({ orgs: [of('acme', 'stays'), of('rival', 'theirs', { budgets: [secret] })] }),
  );
  const read = async (path: string, name: string) =>
    (await callHttp(floe.url + path, { headers: { 'x-api-key': key(name).key } })).text;
  const ofFile = '/api/management/config/file';
  await eventually(async () => {
    assert.match(await read(ofFile, 'theirs'), /orgs\[1\]\.budgets\[0\]\.limit_usd/);
    return true;
  });
  for (const path of [ofFile, '/api/management/config', '/api/overview']) {
    const told = await read(path, 'stays');
    assert.match(told, /1 problem in the configuration of other organizations/, path);
    assert.doesNotMatch(told, /limit_usd|orgs\[1\]/, path);
  }
  assert.match(await read('/api/overview', 'theirs'), /limit_usd/);
  writeFileSync(file, JSON.stringify(config(['stays'], ['first'])));
  await becomes('stays', 'first', 'answered');
});

test('fast edits, including invalid ones, result in the last state', async () => {
  for (let n = 0; n < 40; n++) {
    writeFileSync(
      file,
      n % 3 === 1 ? '{' : JSON.stringify(config(['stays', `quick${n}`], ['first', `p${n}`])),
    );
    if (n % 4 === 0) process.kill(floe.pid, 'SIGHUP');
    assert.equal(await outcome('stays', 'first'), 'answered', `edit ${n}`);
  }
  writeFileSync(file, JSON.stringify(config(['stays', 'last'], ['first', 'final'])));
  await becomes('last', 'final', 'answered');
  await becomes('stays', 'p39', 'model_not_found');
  for (let n = 0; n < 40; n++) assert.notEqual(await outcome(`quick${n}`, 'first'), 'answered');
});

test('a file without organizations revokes their keys', async () => {
  writeFileSync(file, '# nothing is configured here\nretention: {}\n');
  await becomes('stays', 'first', 'key_revoked');
  const me = await callHttp(`${floe.url}/api/me`, { headers: { 'x-api-key': key('stays').key } });
  assert.equal(me.status, 401);
  writeFileSync(file, JSON.stringify(config(['stays'], ['first'])));
  await becomes('stays', 'first', 'answered');
});

test('a server that started without a file loads floe.yaml when it appears in the working directory', async (t) => {
  const started = await startFloeProcess();
  t.after(() => started.stop());
  const headers = { 'x-api-key': await started.waitForKey() };
  const readStatus = async () => {
    const status = (await callHttp(`${started.url}/api/management/config/file`, { headers })).json();
    assert.ok(isJsonObject(status));
    return status;
  };
  assert.equal((await readStatus())['file'], null);
  writeFileSync(started.configFile, 'orgs:\n  - id: default\n    kees: []\n');
  await started.waitForOutput(/floe\.yaml:3:5: [^\n]*kees/);
  const refused = await readStatus();
  assert.deepEqual([refused['file'], isJsonObject(refused['rejected'])], ['floe.yaml', true]);
  writeFileSync(
    started.configFile,
    JSON.stringify({ orgs: [{ id: 'default', providers: [sandbox('late')] }] }),
  );
  await eventually(async () => {
    const answer = await callHttp(started.url + CHAT_COMPLETIONS_PATH, {
      headers,
      body: buildChatBody({ model: 'late/echo' }),
    });
    assert.equal(answer.status, 200);
    return true;
  });
  const { file: loadedFile, rejected } = await readStatus();
  assert.deepEqual([loadedFile, rejected], ['floe.yaml', null]);
});

test('a changed secret file applies after HUP, and the log contains no secret', async () => {
  const [before, after] = ['before', 'after'].map((name) => key(name).key);
  const secret = join(home, 'platform-key');
  writeFileSync(secret, `${before}\n`);
  const keys = [{ ...key('filed'), key: `$${'{file:platform-key}'}` }];
  writeFileSync(
    file,
    JSON.stringify({ orgs: [{ id: 'acme', name: 'Acme', keys, providers: [sandbox('first')] }] }),
  );
  await becomes('before', 'first', 'answered');
  writeFileSync(secret, `${after}\n`);
  process.kill(floe.pid, 'SIGHUP');
  await becomes('after', 'first', 'answered');
  assert.notEqual(await outcome('before', 'first'), 'answered');
  rmSync(secret);
  process.kill(floe.pid, 'SIGHUP');
  const [said] = await floe.waitForOutput(/\{[^\n]*platform-key[^\n]*configuration was rejected[^\n]*\}/);
  assert.match(said, /floe\.yaml:1:\d+: orgs\[0\]\.keys\[0\]\.key: the file platform-key does not exist/);
  assert.doesNotMatch(said, /eis_/);
  assert.equal(await outcome('after', 'first'), 'answered');
});

test('a changed metrics token applies immediately, on listeners with and without a token before', async (t) => {
  const path = join(home, 'metrics.yaml');
  const write = (token: string) =>
    writeFileSync(
      path,
      JSON.stringify({
        server: { listeners: [{ host: '0.0.0.0', port: 0, surfaces: ['metrics', 'console', 'management'] }] },
        telemetry: { metrics_token: token },
      }),
    );
  write('');
  const one = await startFloeProcess({ env: { FLOE_CONFIG: path } });
  t.after(() => one.stop());
  const [line] = await one.waitForOutput(/^.*"server is listening".*$/m);
  const [shared] = JSON.parse(line).listeners.map(({ url }: { url: string }) => url);
  const statuses = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const answers = [one.url, shared].map((url) => callHttp(`${url}/metrics`, { headers }));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  const become = (token: string, wanted: readonly number[]) =>
    eventually(async () => {
      assert.deepEqual(await statuses(token), wanted, `token ${token}`);
      return true;
    });
  await become('first', [200, 401]);
  write('first');
  await become('wrong', [401, 401]);
  await become('first', [200, 200]);
  write('second');
  await become('first', [401, 401]);
  await become('second', [200, 200]);
  write('');
  await become('second', [200, 401]);
});
