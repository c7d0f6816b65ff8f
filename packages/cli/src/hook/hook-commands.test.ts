import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { suite, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { listAgentHookDefinitions } from './agent-hook-definitions.ts';
import { countRequiredAndInstalledHooks, replaceFloeHooks } from './hook-configuration.ts';
import { readHookSettings } from './hook-settings.ts';

const PROGRAM = join(import.meta.dirname, '..', 'main.ts');
const HOOK = join(import.meta.dirname, '..', '..', 'bin', 'floe-hook.mjs');
const PAYLOAD = JSON.stringify({
  hook_event_name: 'PreToolUse',
  session_id: 's',
  cwd: '/',
  tool_name: 'Bash',
  tool_input: { command: 'git push -f' },
  tool_use_id: 't1',
});

interface Cleanup {
  after(fn: () => unknown): void;
}

function newHome(t: Cleanup): string {
  const home = mkdtempSync(join(tmpdir(), 'floe-hook-home-'));
  t.after(() => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
  return home;
}

function put(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

async function run(
  args: readonly string[],
  home: string,
  more: { env?: Record<string, string>; input?: string } = {},
) {
  const child = spawn(process.execPath, [...args], {
    cwd: home,
    env: { ...MINIMAL_ENVIRONMENT, HOME: home, ...more.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  child.stdin.on('error', () => undefined).end(more.input ?? '');
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, stdout, stderr };
}

/** A Floe with one rule set, which denies everything it is asked. */
async function denyingFloe(t: Cleanup) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const payload = JSON.stringify({
    format: 1,
    org: 'acme',
    version: 'v7',
    issued_at: new Date(Date.now() - 1000).toISOString(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    identity: { key: 'k', team: null, owner: null },
    relay: { mode: 'enforce', rules: [], offline: 'decide' },
  });
  const bundle = {
    payload,
    signature: sign(null, Buffer.from(payload), privateKey).toString('base64'),
    public_key: publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64'),
    key_id: 'k',
  };
  const server = await startFakeUpstream({
    respond: ({ path }) =>
      path === '/relay/v1/bundle'
        ? createJsonReply(bundle)
        : createJsonReply({
            decision: 'deny',
            user_message: 'No.',
            agent_message: 'Not this way.',
            approval: null,
          }),
  });
  t.after(() => server.close());
  return server;
}

suite('the settings of agents', () => {
  for (const agent of listAgentHookDefinitions({}, '/project')) {
    const foreign: JsonObject = {
      theme: 'dark',
      hooks: {
        ...Object.fromEntries(Object.keys(agent.hooks).map((name) => [name, [theirs(agent.layout)]])),
        SomethingElse: [theirs(agent.layout)],
      },
    };

    test(`${agent.agent}: installed twice is installed once, and uninstalled is as before`, () => {
      const command = `"/opt/node" "/opt/floe/bin/floe-hook.mjs" ${agent.agent}`;
      const once = replaceFloeHooks(foreign, agent, command);
      assert.deepEqual(replaceFloeHooks(once, agent, command), once);
      const wanted = Object.keys(agent.hooks).length;
      assert.deepEqual(countRequiredAndInstalledHooks(once, agent), { found: wanted, wanted });
      assert.deepEqual(countRequiredAndInstalledHooks(foreign, agent), { found: 0, wanted });
      const { version: _root, ...without } = replaceFloeHooks(once, agent, null);
      assert.deepEqual(without, foreign);
      assert.deepEqual(
        replaceFloeHooks(replaceFloeHooks({}, agent, command), agent, null),
        agent.rootMembers,
      );
      const moved = replaceFloeHooks(once, agent, `floe-hook ${agent.agent}`);
      assert.ok(!JSON.stringify(moved).includes('/opt/floe'), 'an older place of the hook is replaced');
    });
  }
});

function theirs(shape: 'grouped' | 'flat'): JsonObject {
  const entry = { type: 'command', command: 'their-floe-hooks check' };
  return shape === 'flat' ? entry : { matcher: 'Bash', hooks: [entry] };
}

test('install stores a new key or base URL in settings that exist, and changes nothing else', async (t) => {
  const home = newHome(t);
  const floe = await denyingFloe(t);
  const path = join(home, '.config', 'floe', 'relay.json');
  put(path, JSON.stringify({ base_url: floe.url, key: 'eis_old', on_error: 'closed' }), 0o644);
  const install = (env: Record<string, string>) =>
    run([PROGRAM, 'hook', 'install', 'claude-code', '--yes'], home, { env });

  const done = await install({ FLOE_RELAY_KEY: 'eis_test' });
  assert.match(done.stdout, /connection stored[\s\S]*rules v7, valid until/);
  const expected = { base_url: floe.url, key: 'eis_test', on_error: 'closed' };
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), expected);
  assert.equal(statSync(path).mode & 0o777, 0o600);

  const moved = await install({ FLOE_RELAY_KEY: 'eis_test', FLOE_BASE_URL: 'http://127.0.0.1:9' });
  assert.match(moved.stdout, /connection stored/);
  assert.equal(JSON.parse(readFileSync(path, 'utf8')).base_url, 'http://127.0.0.1:9');
  await install({ FLOE_RELAY_KEY: 'eis_test', FLOE_BASE_URL: floe.url });

  // A project can set FLOE_BASE_URL. Without the key in the same environment, the stored key must not be sent there.
  const without = await install({ FLOE_BASE_URL: 'http://127.0.0.1:9' });
  assert.doesNotMatch(without.stdout, /connection stored/);
  assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), expected);

  const writable = JSON.stringify({ base_url: 'http://127.0.0.1:9', key: 'eis_old' });
  put(path, writable, 0o666);
  chmodSync(path, 0o666);
  const unsafe = await install({ FLOE_RELAY_KEY: 'eis_test' });
  assert.match(unsafe.stdout, /other users have access to it/);
  assert.equal(readFileSync(path, 'utf8'), writable, 'another user can have written the base URL');
  chmodSync(path, 0o600);

  put(path, 'not json');
  const broken = await install({ FLOE_RELAY_KEY: 'eis_new' });
  assert.match(broken.stdout, /must contain a JSON object/);
  assert.equal(readFileSync(path, 'utf8'), 'not json');
});

test('install shows the change, keeps the connection for this user alone, and the installed command answers', async (t) => {
  const home = newHome(t);
  const floe = await denyingFloe(t);
  const settings = join(home, '.claude', 'settings.json');
  put(settings, '{\n    "model": "opus"\n}\n', 0o640);
  const env = { FLOE_RELAY_KEY: 'eis_test', FLOE_BASE_URL: floe.url };

  const dry = await run([PROGRAM, 'hook', 'install', 'claude-code', '--dry-run'], home, { env });
  assert.equal(dry.code, 0);
  assert.match(dry.stdout, /^\+ .*"PreToolUse"/m);
  assert.equal(readFileSync(settings, 'utf8'), '{\n    "model": "opus"\n}\n');
  const asked = await run([PROGRAM, 'hook', 'install', 'claude-code'], home, { env });
  assert.equal(asked.code, 2, 'without a terminal nobody can agree');
  assert.match(asked.stderr, /--yes/);

  const done = await run([PROGRAM, 'hook', 'install', 'claude-code', '--yes'], home, { env });
  assert.equal(done.code, 0, done.stderr);
  assert.match(done.stdout, /rules v7, valid until/);
  assert.equal(statSync(settings).mode & 0o777, 0o640);
  assert.equal(statSync(join(home, '.config', 'floe', 'relay.json')).mode & 0o777, 0o600);
  const written: JsonObject = JSON.parse(readFileSync(settings, 'utf8'));
  assert.equal(written['model'], 'opus');
  const status = await run([PROGRAM, 'hook', 'status'], home);
  assert.match(status.stdout, /claude-code user: 3 of 3 hooks/);

  const answered = await run([HOOK, 'claude-code'], home, { input: PAYLOAD });
  assert.deepEqual(JSON.parse(answered.stdout), {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: 'Not this way.',
    },
    systemMessage: 'No.',
  });
  assert.equal(answered.code, 0);
  const sent: JsonObject = JSON.parse(
    floe.requests.findLast(({ path }) => path.startsWith('/relay/v1/decisions'))?.body.toString() ?? '{}',
  );
  assert.equal(sent['id'], 'PreToolUse:s:t1');
  assert.equal(sent['home_dir'], home);

  assert.equal((await run([PROGRAM, 'hook', 'uninstall', 'claude-code', '--yes'], home)).code, 0);
  assert.deepEqual(JSON.parse(readFileSync(settings, 'utf8')), { model: 'opus' });
});

test('the command that the documents give for a clone is there and knows the agents', async (t) => {
  const root = join(import.meta.dirname, '..', '..', '..', '..');
  const page = readFileSync(join(root, 'docs/reference/relay-hooks.md'), 'utf8');
  const programs = page.match(/packages\/[\w./-]+\.mjs/g) ?? [];
  assert.equal(programs.length, 1);
  for (const program of new Set(programs)) {
    const { code, stderr } = await run([join(root, program), 'hook', 'install'], newHome(t));
    assert.equal(code, 2);
    assert.match(stderr, /usage: floe hook install <.*claude-code.*>/);
  }
});

test('settings that are no plain JSON are left alone', async (t) => {
  const home = newHome(t);
  const settings = join(home, '.claude', 'settings.json');
  put(settings, '{ // mine\n}\n');
  const { code, stderr } = await run([PROGRAM, 'hook', 'install', 'claude-code', '--yes'], home);
  assert.equal(code, 2);
  assert.match(stderr, /was not changed/);
  assert.equal(readFileSync(settings, 'utf8'), '{ // mine\n}\n');
  assert.ok(!existsSync(join(home, '.config')));
  for (const text of ['{"hooks": ["mine"]}', '{"hooks": {"PreToolUse": {"command": "mine"}}}'])
    for (const action of ['install', 'uninstall']) {
      put(settings, text);
      const { code, stderr } = await run([PROGRAM, 'hook', action, 'claude-code', '--yes'], home);
      assert.equal(code, 2);
      assert.match(stderr, /was not changed because "hooks(?:\.PreToolUse)?" is not an? (?:object|list)/);
      assert.equal(readFileSync(settings, 'utf8'), text);
    }
});

test('settings that are a symbolic link stay one', async (t) => {
  const home = newHome(t);
  const [settings, target] = [join(home, '.claude', 'settings.json'), join(home, 'dotfiles', 'claude.json')];
  put(target, '{"model": "m"}\n');
  mkdirSync(dirname(settings), { recursive: true });
  symlinkSync(target, settings);
  const { code } = await run([PROGRAM, 'hook', 'install', 'claude-code', '--yes'], home);
  assert.equal(code, 0);
  assert.ok(lstatSync(settings).isSymbolicLink());
  assert.match(readFileSync(target, 'utf8'), /floe-hook/);
});

test('the process prints one JSON value or nothing, and never a stack trace, whatever it is given', async (t) => {
  const home = newHome(t);
  const env = {
    FLOE_RELAY_KEY: 'eis_test',
    FLOE_BASE_URL: 'http://127.0.0.1:9',
    FLOE_RELAY_ON_ERROR: 'closed',
  };
  const denied = await run([HOOK, 'claude-code'], home, { env, input: PAYLOAD });
  assert.equal(denied.code, 0);
  const said: JsonObject = JSON.parse(denied.stdout);
  assert.ok(isJsonObject(said['hookSpecificOutput']));
  assert.equal(said['hookSpecificOutput']['permissionDecision'], 'deny');
  const garbage = await run([HOOK, 'cursor'], home, { env, input: '\u0000{' });
  assert.deepEqual([garbage.code, garbage.stdout], [2, '']);
  const unknown = await run([HOOK, 'nobody'], home, { env, input: PAYLOAD });
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  for (const { stderr } of [denied, garbage, unknown]) assert.doesNotMatch(stderr, /^\s+at /m);
});

test('without a home directory, the hook reads no settings from the project, and fails as configured', async (t) => {
  const home = newHome(t);
  put(join(home, '.config', 'floe', 'relay.json'), '{"key": "eis_project", "on_error": "open"}');
  const env = { HOME: '', FLOE_RELAY_KEY: 'eis_test', FLOE_BASE_URL: 'http://127.0.0.1:9' };
  const closed = { env: { ...env, FLOE_RELAY_ON_ERROR: 'closed' }, input: PAYLOAD };
  const unset = await run([HOOK, 'claude-code'], home, closed);
  assert.match(unset.stdout, /"permissionDecision":"deny"/);
  const module =
    'import os from "node:os"; import { syncBuiltinESMExports } from "node:module";' +
    'os.homedir = () => { throw new Error("no account"); }; syncBuiltinESMExports();';
  const preload = `data:text/javascript,${encodeURIComponent(module)}`;
  const absent = await run(['--import', preload, HOOK, 'claude-code'], home, closed);
  assert.match(absent.stdout, /"permissionDecision":"deny"/);
  const directory = process.env['HOME'];
  process.env['HOME'] = 'relative';
  t.after(() => {
    if (directory === undefined) delete process.env['HOME'];
    else process.env['HOME'] = directory;
  });
  for (const { agent, files } of listAgentHookDefinitions({}, '/project'))
    assert.ok(files.user === undefined || isAbsolute(files.user), agent);
});

test('a key that others may read is not used, and the environment cannot send it elsewhere', (t) => {
  const home = newHome(t);
  const places = { managed: join(home, 'managed.json'), user: join(home, 'relay.json'), cache: home };
  put(places.user, '{"base_url":"https://floe.example","key":"eis_file"}', 0o644);
  const open = readHookSettings(places, { FLOE_BASE_URL: 'http://rogue.example' });
  assert.equal(open.key, null);
  assert.match(open.problem ?? '', /chmod 600/);
  chmodSync(places.user, 0o600);
  const kept = readHookSettings(places, {
    FLOE_BASE_URL: 'http://rogue.example',
    FLOE_RELAY_KEY: 'eis_rogue',
  });
  assert.deepEqual([kept.baseUrl, kept.key, kept.problem], ['https://floe.example', 'eis_file', null]);
  put(places.managed, '{"base_url":"https://managed.example","on_error":"closed"}', 0o644);
  const managed = readHookSettings(places, {});
  assert.deepEqual(
    [managed.baseUrl, managed.key, managed.onError],
    ['https://managed.example', 'eis_file', 'closed'],
  );
});
