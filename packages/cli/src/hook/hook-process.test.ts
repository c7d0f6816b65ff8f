// The hook as agents start it: a process with pipes. What counts is that it ends, with its whole answer printed.
// Tier: ci. Starts some hundred processes of the hook.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { RelaySchema } from '@floe/contract/config/relay';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { HOOK_ADAPTERS } from '@floe/relay/hooks/hook-adapters';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';
import { getBundleCacheDirectory, storeCachedBundle } from './bundle-cache.ts';
import type { HookSettings } from './hook-settings.ts';
import { markServerResponsive } from './unresponsive-server.ts';

const HOOK = join(import.meta.dirname, '..', '..', 'bin', 'floe-hook.mjs');
const GOLDEN = join(import.meta.dirname, '..', '..', '..', 'relay', 'src', 'hooks', 'golden');
const REPETITIONS = process.env['FLOE_TEST_FULL'] ? 40 : 3;
/** Far above what a busy machine needs; only a process that never ends gets there. */
const HUNG_MS = 60_000;
const USER_MESSAGE = 'Ask the release team.';

const answer = (decision: string) => {
  const body = JSON.stringify({
    decision,
    user_message: USER_MESSAGE,
    agent_message: USER_MESSAGE,
    approval: null,
  });
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

/** What the server does with a question. Every rule known here denies, so every case has to end in a denial. */
const SERVERS: Readonly<Record<string, (socket: Socket) => void>> = {
  answers: (socket) => socket.end(answer('deny')),
  'answers byte by byte': (socket) => {
    const bytes = answer('deny');
    const write = (at: number): void => {
      if (at < bytes.length) socket.write(bytes.charAt(at), () => setImmediate(write, at + 1));
    };
    write(0);
  },
  'accepts and never answers': () => undefined,
  'dies in its answer': (socket) =>
    socket.write(answer('allow').slice(0, -9), () => socket.resetAndDestroy()),
};

const home = mkdtempSync(join(tmpdir(), 'floe-hook-process-'));
const places = { cache: join(home, '.cache', 'floe', 'relay') };
const sockets = new Set<Socket>();
let play: (socket: Socket) => void = () => undefined;
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  socket.once('data', () => play(socket));
});
let url = '';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  url = `http://127.0.0.1:${address.port}`;
});
after(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
});

const SETTINGS: HookSettings = {
  baseUrl: null,
  key: 'eis_process',
  publicKey: null,
  onError: 'open',
  refreshMs: 60_000,
  deadlines: {},
  problem: null,
};

/** Settings and rules of a user whose last bundle denies every shell command. */
function connect(baseUrl: string) {
  mkdirSync(join(home, '.config', 'floe'), { recursive: true });
  const file = { base_url: baseUrl, key: SETTINGS.key, deadline_ms: 400 };
  writeFileSync(join(home, '.config', 'floe', 'relay.json'), JSON.stringify(file), { mode: 0o600 });
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const relay = RelaySchema.parse({
    mode: 'enforce',
    rules: [{ name: 'none', on: 'shell', match: { command: '*' }, decision: 'deny', message: USER_MESSAGE }],
  });
  const payload = JSON.stringify({
    format: 1,
    org: 'acme',
    version: '1',
    issued_at: new Date(Date.now() - 1000).toISOString(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    identity: { key: 'k', team: null, owner: null },
    relay,
  });
  const pinnedKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  const signature = sign(null, Buffer.from(payload), privateKey).toString('base64');
  const bundle = { payload, signature, public_key: pinnedKey };
  storeCachedBundle(getBundleCacheDirectory(places, SETTINGS), { bundle, etag: null, pinnedKey });
}

/** A payload of the agent that is about to run a shell command, and the adapter's answer to a denial. */
function shellCall(agent: string): {
  readonly payload: JsonObject;
  readonly isStopped: (ended: Ended) => void;
} {
  for (const name of readdirSync(join(GOLDEN, agent), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.json')) continue;
    const file: JsonObject = JSON.parse(readFileSync(join(GOLDEN, agent, name), 'utf8'));
    const { payload, call, gates } = file;
    assert.ok(isJsonObject(payload) && isJsonObject(call));
    const [event] = Array.isArray(call['events']) ? call['events'] : [];
    if (!gates || !isJsonObject(event) || event['event'] !== 'shell') continue;
    const adapter = HOOK_ADAPTERS.get(agent);
    assert.ok(adapter);
    const message = `${USER_MESSAGE}`;
    const isStopped = ({ code, stdout, stderr }: Ended) => {
      const denied = adapter.reply(adapter.read(payload), {
        decision: 'deny',
        userMessage: message,
        agentMessage: message,
      });
      assert.equal(code, denied.exitCode, `exit code of ${agent}: ${stderr}`);
      if (denied.stdout === null) assert.match(stderr, /Ask the release team\./);
      else {
        assert.ok(stdout.endsWith('}\n'), 'the answer is complete');
        const shape = (text: string) =>
          text.replaceAll(/\(rule \\?"none\\?"\)/g, '').replaceAll(/ (?=")/g, '');
        assert.deepEqual(JSON.parse(shape(stdout)), denied.stdout);
      }
    };
    return { payload, isStopped };
  }
  throw new Error(`no golden file of ${agent} has a shell command`);
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(agent: string, payload: JsonObject, leavesInputOpen: boolean): Promise<Ended> {
  const child = spawn(process.execPath, [HOOK, agent], {
    cwd: home,
    env: { ...MINIMAL_ENVIRONMENT, HOME: home },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const hung = setTimeout(() => child.kill('SIGKILL'), HUNG_MS);
  child.stdin.on('error', () => undefined).write(JSON.stringify(payload));
  if (!leavesInputOpen) child.stdin.end();
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(hung);
  child.stdin.destroy();
  return { code, stdout, stderr };
}

suite('the process of a hook ends with its whole answer', () => {
  for (const [does, how] of [...Object.entries(SERVERS), ['is down', null] as const])
    test(`every agent, with a server that ${does}`, async () => {
      connect(how === null ? 'http://127.0.0.1:9' : url);
      play = how ?? (() => undefined);
      const calls = [...HOOK_ADAPTERS.keys()].map((agent) => ({ agent, ...shellCall(agent) }));
      for (let repetition = 0; repetition < REPETITIONS; repetition += 1)
        for (let at = 0; at < calls.length; at += 2) {
          const pair = calls.slice(at, at + 2);
          markServerResponsive(places, SETTINGS);
          const ended = await Promise.all(
            pair.map(({ agent, payload }) => run(agent, payload, repetition % 2 === 1)),
          );
          for (const [n, { isStopped }] of pair.entries()) {
            const one = ended[n];
            assert.ok(one);
            isStopped(one);
          }
        }
    });
});
