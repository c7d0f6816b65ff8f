// Tier: ci. Starts many processes of the hook.
import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { after, before, suite, test } from 'node:test';
import { RelaySchema } from '@floe/contract/config/relay';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { HookReply } from '@floe/relay/hooks/hook-adapter';
import { HOOK_ADAPTERS } from '@floe/relay/hooks/hook-adapters';
import { getBundleCacheDirectory, storeCachedBundle, tryClaimBundleRefresh } from './bundle-cache.ts';
import { handleAgentHook } from './handle-agent-hook.ts';
import type { HookSettings } from './hook-settings.ts';
import { markServerResponsive, UNRESPONSIVE_SERVER_TTL_MS } from './unresponsive-server.ts';

const GOLDEN = join(import.meta.dirname, '..', '..', '..', 'relay', 'src', 'hooks', 'golden');
const DEADLINE_MS = 150;
/** For servers that answer: no busy machine takes as long. */
const PATIENT = { default: 60_000 };

interface Golden {
  readonly agent: string;
  readonly name: string;
  readonly payload: JsonObject;
  readonly events: readonly string[];
  readonly gates: boolean;
  readonly replies: JsonObject;
}

const GOLDENS: readonly Golden[] = readdirSync(GOLDEN, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .map((name) => {
    const file: JsonObject = JSON.parse(readFileSync(join(GOLDEN, name), 'utf8'));
    const { payload, call, replies } = file;
    assert.ok(isJsonObject(payload) && isJsonObject(call) && isJsonObject(replies));
    const events = Array.isArray(call['events']) ? call['events'] : [];
    return {
      agent: name.split(/[\\/]/)[0] ?? '',
      name: name.replace('.json', ''),
      payload,
      events: events.map((event) => (isJsonObject(event) ? String(event['event']) : '')),
      gates: file['gates'] === true,
      replies,
    };
  });

const ok = (body: string, length = Buffer.byteLength(body)) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;

/** What a server may do instead of deciding. */
const FAULTS: Readonly<Record<string, (socket: Socket) => void>> = {
  'is slower than the deadline': () => undefined,
  'answers 500': (socket) => socket.end('HTTP/1.1 500 Oops\r\ncontent-length: 2\r\n\r\n{}'),
  'answers 401': (socket) => socket.end('HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n'),
  'is not valid HTTP': (socket) => socket.end(Buffer.from([0, 1, 2, 255, 13, 10, 13, 10])),
  'answers with no JSON': (socket) => socket.end(ok('<html>')),
  'answers with nothing': (socket) => socket.end(ok('')),
  'answers with no decision': (socket) => socket.end(ok('{"decision":"perhaps","data":[]}')),
  'closes at once': (socket) => socket.end(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'breaks off in its answer': (socket) => socket.end(ok('{"decision":"allow"', 200)),
  'breaks off in a chunk': (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"decision":"allow"}'),
  'begins a head that never ends': (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}`),
};

/** A server for every fault; what one that works answers. */
class Server {
  readonly #listener = createServer((socket) => this.#play(socket));
  readonly #sockets = new Set<Socket>();
  play: (socket: Socket) => void = () => undefined;
  url = '';
  connections = 0;

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#listener.listen(0, '127.0.0.1', resolve));
    const address = this.#listener.address();
    assert.ok(address !== null && typeof address === 'object');
    this.url = `http://127.0.0.1:${address.port}`;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#listener.close();
  }

  #play(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket));
    socket.once('data', (first) => {
      this.play(socket);
      socket.emit('data', first);
    });
  }
}

/** What the rules known here say about having no decision. */
interface Mode {
  readonly name: string;
  readonly relay: object | null;
  readonly stops: boolean;
  readonly onError?: 'open' | 'closed';
  readonly expired?: boolean;
  readonly forged?: boolean;
}

const KINDS = ['shell', 'tool', 'prompt', 'file_read', 'file_write'];
const rule = (more: object) => ({ name: 'r', on: KINDS, when: 'false', decision: 'deny', ...more });
const closed = { mode: 'enforce', offline: 'on_error', rules: [rule({ on_error: 'closed' })] };

const MODES: readonly Mode[] = [
  { name: 'rules fail open', relay: { ...closed, rules: [rule({ on_error: 'open' })] }, stops: false },
  { name: 'rules fail closed', relay: closed, stops: true },
  { name: 'rules fail closed and only observe', relay: { ...closed, mode: 'observe' }, stops: false },
  { name: 'rules that fail closed are over', relay: closed, expired: true, stops: true },
  {
    name: 'rules that fail open are forged',
    relay: { ...closed, rules: [] },
    forged: true,
    onError: 'closed',
    stops: true,
  },
  { name: 'no rules, settings fail closed', relay: null, onError: 'closed', stops: true },
  { name: 'no rules, settings fail open', relay: null, stops: false },
  {
    name: 'rules decide here and deny',
    relay: { mode: 'enforce', rules: [rule({ when: 'true' })] },
    stops: true,
  },
  {
    name: 'rules decide here and deny, although this release cannot compile one of them',
    relay: {
      mode: 'enforce',
      rules: [rule({ name: 'newer', when: 'nothing.known' }), rule({ when: 'true' })],
    },
    stops: true,
  },
  {
    name: 'rules decide here and have nothing against it',
    relay: { ...closed, offline: 'decide' },
    stops: false,
  },
  {
    name: 'rules that would deny here are over',
    relay: { mode: 'enforce', rules: [rule({ when: 'true' })] },
    expired: true,
    stops: false,
  },
];

const home = mkdtempSync(join(tmpdir(), 'floe-hook-faults-'));
const places = { managed: join(home, 'none'), user: join(home, 'none'), cache: home };
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519').privateKey;
const server = new Server();

function settingsOf(mode: Mode, baseUrl: string, at: number): HookSettings {
  const settings: HookSettings = {
    baseUrl,
    key: `eis_${at}`,
    publicKey: null,
    onError: mode.onError ?? 'open',
    refreshMs: 60_000,
    deadlines: { default: DEADLINE_MS },
    problem: null,
  };
  if (mode.relay !== null) {
    const pinnedKey = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
    const bundle = signed(mode, mode.forged ? other : privateKey, pinnedKey);
    storeCachedBundle(getBundleCacheDirectory(places, settings), { bundle, etag: null, pinnedKey });
  }
  return settings;
}

function signed({ relay, expired }: Mode, key: KeyObject, public_key: string) {
  const issued = Date.now() - (expired ? 48 : 1) * 3_600_000;
  const payload = JSON.stringify({
    format: 1,
    org: 'acme',
    version: '1',
    issued_at: new Date(issued).toISOString(),
    expires_at: new Date(issued + 24 * 3_600_000).toISOString(),
    identity: { key: 'k', team: null, owner: null },
    relay: RelaySchema.parse(relay),
  });
  return { payload, signature: sign(null, Buffer.from(payload), key).toString('base64'), public_key };
}

async function ask({ agent }: Golden, payload: string | Buffer, settings: HookSettings) {
  const adapter = HOOK_ADAPTERS.get(agent);
  assert.ok(adapter);
  return (await handleAgentHook(adapter, Readable.from([Buffer.from(payload)]), places, settings)).reply;
}

/** Whether an agent stops at such a reply, by what the protocols of agents say and not by the adapters. */
function stops({ stdout, exitCode }: HookReply): boolean {
  if (exitCode === 2) return true;
  const text = JSON.stringify(stdout ?? {});
  return /"(?:permissionDecision|permission|behavior)":"deny"|"decision":"(?:block|deny)"|"continue":false|"cancel":true/.test(
    text,
  );
}

before(() => server.listen());
after(() => {
  server.close();
  rmSync(home, { recursive: true, force: true });
});

suite('without a decision of the server', () => {
  for (const [at, mode] of MODES.entries())
    test(`${mode.name}: every hook of every agent ${mode.stops ? 'stops' : 'goes on'}, whatever the server does`, async () => {
      const working = settingsOf(mode, server.url, at);
      const cases = GOLDENS.filter(({ events }) => events.length > 0);
      for (const [fault, play] of Object.entries(FAULTS)) {
        server.play = play;
        markServerResponsive(places, working);
        // Slow servers and rules that decide here take their time: one golden file of each agent and event will do.
        const some = fault === 'answers 500' ? cases : firstOfEach(cases);
        const replies = await Promise.all(
          some.map((golden) => ask(golden, JSON.stringify(golden.payload), working)),
        );
        for (const [index, golden] of some.entries()) {
          const reply = replies[index];
          assert.ok(reply);
          const wanted = mode.stops && golden.gates;
          assert.equal(
            stops(reply),
            wanted,
            `${golden.name}, a server that ${fault}: ${JSON.stringify(reply)}`,
          );
          assert.ok(!JSON.stringify(reply).includes(' at '), 'no stack trace');
        }
      }
      const away = settingsOf(mode, 'http://127.0.0.1:9', at);
      for (const golden of firstOfEach(cases))
        assert.equal(
          stops(await ask(golden, JSON.stringify(golden.payload), away)),
          mode.stops && golden.gates,
          golden.name,
        );
    });
});

test('a server that let a deadline pass is not asked again for a while, and the rules known here decide', async () => {
  const denies = { name: '', relay: { mode: 'enforce', rules: [rule({ when: 'true' })] }, stops: true };
  // Long enough to connect on a busy machine.
  const settings = { ...settingsOf(denies, server.url, 102), deadlines: { default: 1_000 } };
  const [golden] = GOLDENS.filter(({ agent, gates }) => agent === 'claude-code' && gates);
  assert.ok(golden);
  server.play = FAULTS['is slower than the deadline'] ?? (() => undefined);
  const before = server.connections;
  const marker = join(getBundleCacheDirectory(places, settings), 'unresponsive');
  for (let event = 0; event < 5; event += 1) {
    assert.ok(stops(await ask(golden, JSON.stringify(golden.payload), settings)));
    // However long an event takes, the next one is soon after it.
    utimesSync(marker, Date.now() / 1000, Date.now() / 1000);
  }
  assert.equal(server.connections - before, 1, 'only the first event waits for it');
  const longAgo = (Date.now() - UNRESPONSIVE_SERVER_TTL_MS) / 1000;
  utimesSync(marker, longAgo, longAgo);
  assert.ok(stops(await ask(golden, JSON.stringify(golden.payload), settings)));
  assert.equal(server.connections - before, 2, 'later it is asked again');
  const moved = { ...settings, baseUrl: `${server.url}/elsewhere` };
  await ask(golden, JSON.stringify(golden.payload), moved);
  assert.equal(server.connections - before, 3, 'another address is asked at once');
});

test('rules are downloaded again after the clock was set back', () => {
  const directory = join(home, 'clock');
  const now = Date.now();
  assert.equal(tryClaimBundleRefresh(directory, 60_000, now + 86_400_000), true);
  utimesSync(join(directory, 'asked'), now / 1000 + 86_400, now / 1000 + 86_400);
  assert.equal(tryClaimBundleRefresh(directory, 60_000, now), true);
  assert.equal(tryClaimBundleRefresh(directory, 60_000, now + 1_000), false);
});

test('rules for repositories and home directories also decide without the server', async () => {
  const project = join(home, 'project');
  mkdirSync(join(project, '.git'), { recursive: true });
  writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(
    join(project, '.git', 'config'),
    '[remote "origin"]\n  url = https://github.com/acme/app.git\n',
  );
  const inHome = join(homedir(), '.aws', 'credentials');
  const read = (path: string) => ({
    hook_event_name: 'PreToolUse',
    session_id: 's',
    cwd: project,
    tool_name: 'Read',
    tool_input: { file_path: path },
  });
  const of = (more: object) => ({ name: '', relay: { mode: 'enforce', rules: [rule(more)] }, stops: true });
  const here = { on: 'file_read', when: undefined, match: { path: 'notes' } };
  const [golden] = GOLDENS.filter(({ agent }) => agent === 'claude-code');
  assert.ok(golden);
  for (const [at, mode, path, isStopped] of [
    [120, of({ ...here, who: { repositories: 'github.com/acme/*', branches: 'main' } }), 'notes', true],
    [121, of({ ...here, who: { repositories: 'github.com/other/*' } }), 'notes', false],
    [122, of({ ...here, match: { path: '~/.aws/credentials' } }), inHome, true],
  ] as const) {
    const settings = settingsOf(mode, 'http://127.0.0.1:9', at);
    assert.equal(stops(await ask(golden, JSON.stringify(read(path)), settings)), isStopped, String(at));
  }
});

test('a server that moves to another address keeps its rules on the machine', async () => {
  const denies = { name: '', relay: { mode: 'enforce', rules: [rule({ when: 'true' })] }, stops: true };
  const settings = settingsOf(denies, server.url, 103);
  const moved = { ...settings, baseUrl: 'http://127.0.0.1:9' };
  for (const golden of firstOfEach(GOLDENS.filter(({ events }) => events.length > 0)))
    assert.equal(stops(await ask(golden, JSON.stringify(golden.payload), moved)), golden.gates, golden.name);
});

test('a payload that is complete is answered, although the agent leaves its end of the pipe open', async () => {
  server.play = (socket) => socket.end(ok('{"decision":"deny","user_message":"No.","agent_message":"No."}'));
  const settings = {
    ...settingsOf({ name: '', relay: null, stops: false }, server.url, 104),
    deadlines: PATIENT,
  };
  const golden = GOLDENS.find(({ agent, gates }) => agent === 'claude-code' && gates);
  const adapter = HOOK_ADAPTERS.get('claude-code');
  assert.ok(golden && adapter);
  const payload = Buffer.from(`${JSON.stringify({ ...golden.payload, padding: '}'.repeat(200_000) })}\n`);
  const input = new PassThrough();
  for (let at = 0; at < payload.length; at += 65_536) input.write(payload.subarray(at, at + 65_536));
  assert.ok(stops((await handleAgentHook(adapter, input, places, settings)).reply));
});

function firstOfEach(cases: readonly Golden[]): readonly Golden[] {
  const seen = new Map(
    cases.map((golden) => [`${golden.agent} ${golden.events[0]} ${golden.gates}`, golden]),
  );
  return [...seen.values()];
}

test('what the server decides is answered as the golden files say, and each event has an id of its own', async () => {
  const settings = {
    ...settingsOf({ name: '', relay: null, stops: false }, server.url, 99),
    deadlines: PATIENT,
  };
  const spoken = { user_message: 'No force pushes.', agent_message: 'Open a pull request.', approval: null };
  const DECISIONS: Readonly<Record<string, object>> = {
    deny: { decision: 'deny', ...spoken },
    allow: { decision: 'allow', user_message: null, agent_message: null, approval: null },
    abstain: { decision: 'abstain', user_message: null, agent_message: null, approval: null },
  };
  for (const [name, decision] of Object.entries(DECISIONS)) {
    for (const golden of GOLDENS.filter(({ events }) => events.length > 0)) {
      const body = golden.events.length === 1 ? decision : { data: golden.events.map(() => decision) };
      server.play = (socket) => socket.end(ok(JSON.stringify(body)));
      const { stdout, stderr, exitCode } = await ask(golden, JSON.stringify(golden.payload), settings);
      const reply = { ...(stdout && { stdout }), ...(stderr && { stderr }), exitCode };
      assert.deepEqual(reply, golden.replies[name], `${golden.name}: ${name}`);
    }
  }
});

test('a payload that cannot be read stops only where rules fail closed', async () => {
  const payloads = ['', 'null', '[]', '{"hook_event_name":', '\u0000', Buffer.alloc(12 << 20, 0x20)];
  // Without the name of the event, it is unknown whether an action waits. Copilot CLI does not name the event.
  const nameless = '{"tool_name":"Bash","tool_input":{"command":"rm -r x"}}';
  for (const mode of MODES.filter(({ relay, expired }) => (relay === closed && !expired) || relay === null)) {
    const settings = settingsOf(mode, server.url, 100);
    for (const golden of firstOfEach(GOLDENS))
      for (const payload of golden.agent === 'copilot-cli' ? payloads : [...payloads, nameless]) {
        const reply = await ask(golden, payload, settings);
        assert.equal(reply.exitCode, mode.stops ? 2 : 0, `${golden.agent}: ${mode.name}`);
        assert.equal(stops(reply), mode.stops);
        if (mode.stops) assert.equal(reply.stdout, null);
      }
    if (mode.relay !== null) rmSync(getBundleCacheDirectory(places, settings), { recursive: true });
  }
});

/** Asks about a patch with so many files. The server answers each request with as many decisions as it has events. */
async function askAboutPatch(files: string, mode: Mode, decide: (events: string) => string) {
  server.play = (socket) => {
    let received = '';
    const read = (chunk: Buffer) => {
      received += chunk.toString();
      const [head = '', body = ''] = received.split('\r\n\r\n', 2);
      if (body.length < Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)) return;
      const { events } = JSON.parse(body);
      const decision = decide(body);
      socket.end(ok(JSON.stringify({ data: events.map(() => ({ decision, approval: null })) })));
    };
    socket.on('data', read);
  };
  const before = server.connections;
  const settings = { ...settingsOf(mode, server.url, 105), deadlines: PATIENT };
  const golden = GOLDENS.find(({ agent, gates }) => agent === 'codex' && gates);
  assert.ok(golden);
  const payload = { ...golden.payload, tool_name: 'apply_patch', tool_input: { command: files } };
  const isStopped = stops(await ask(golden, JSON.stringify(payload), settings));
  return { isStopped, requests: server.connections - before };
}

const NO_RULES: Mode = { name: '', relay: null, stops: false };
const patchOf = (count: number, line = '') =>
  Array.from({ length: count }, (_, at) => `*** Add File: f${at}.\n${line}`).join('\n');

test('a call with more events than a request may contain takes several requests', async () => {
  const denyFile = (name: string) => (body: string) => (body.includes(name) ? 'deny' : 'abstain');
  const many = patchOf(250);
  assert.deepEqual(await askAboutPatch(many, NO_RULES, () => 'abstain'), { isStopped: false, requests: 3 });
  assert.deepEqual(await askAboutPatch(many, NO_RULES, denyFile('f249.')), { isStopped: true, requests: 3 });
  assert.deepEqual(await askAboutPatch(many, NO_RULES, denyFile('f101.')), { isStopped: true, requests: 2 });
  const large = patchOf(4, '+'.repeat(400_000));
  assert.deepEqual(await askAboutPatch(large, NO_RULES, denyFile('f3.')), { isStopped: true, requests: 2 });
});

test('a call with more events than can be evaluated is denied where rules apply', async () => {
  const enforced: Mode = { name: '', relay: { ...closed, rules: [rule({})] }, stops: true };
  const observed: Mode = { name: '', relay: { ...closed, mode: 'observe' }, stops: false };
  const onlyBuiltIn: Mode = { name: '', relay: { ...closed, rules: [] }, stops: true };
  const noneEnforced: Mode = {
    name: '',
    relay: { ...closed, self_tamper: 'off', rules: [rule({ mode: 'observe' })] },
    stops: false,
  };
  const names = Array.from({ length: 10 }, (_, at) => `--- f${at}\n+++ f${at}\n`);
  const longDiff = names.join('') + '+'.repeat(900_000);
  for (const [mode, isStopped] of [
    [NO_RULES, true],
    [onlyBuiltIn, true],
    [noneEnforced, false],
    [enforced, true],
    [observed, false],
  ] as const)
    for (const patch of [patchOf(1_001), longDiff])
      assert.deepEqual(await askAboutPatch(patch, mode, () => 'abstain'), { isStopped, requests: 0 });
});

test('a tool call with deeper or more arguments than can be evaluated is denied where rules apply', async () => {
  const golden = GOLDENS.find(({ agent, gates }) => agent === 'codex' && gates);
  assert.ok(golden);
  const isStopped = async (input: string, mode: Mode) => {
    const payload = { ...golden.payload, tool_name: 'mcp__db__delete_all', tool_input: {} };
    const text = JSON.stringify(payload).replace('"tool_input":{}', `"tool_input":${input}`);
    return stops(await ask(golden, text, { ...settingsOf(mode, server.url, 106), deadlines: PATIENT }));
  };
  // As the server does.
  server.play = (socket) => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n');
  const open = [rule({ on_error: 'open' })];
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const wide = `{${Array.from({ length: 10_001 }, (_, at) => `"a${at}":1`).join()}}`;
  for (const input of [deep(101), deep(100_000), wide]) {
    assert.equal(await isStopped(input, { name: '', relay: { ...closed, rules: open }, stops: true }), true);
    assert.equal(await isStopped(input, NO_RULES), true);
    const observed = { ...closed, mode: 'observe', rules: open };
    assert.equal(await isStopped(input, { name: '', relay: observed, stops: false }), false);
  }
});

test('events that are no gates, and hooks nobody knows, go on whatever the server does', async () => {
  server.play = (socket) => socket.end('HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n');
  const settings = settingsOf({ name: '', relay: closed, stops: true }, server.url, 101);
  for (const golden of GOLDENS.filter(({ events }) => events.length === 0))
    assert.ok(!stops(await ask(golden, JSON.stringify(golden.payload), settings)), golden.name);
  const name = 'NeverHeardOf';
  const payload = JSON.stringify({ hook_event_name: name, agent_action_name: name, hookName: name });
  for (const golden of firstOfEach(GOLDENS))
    assert.ok(!stops(await ask(golden, payload, settings)), golden.agent);
});
