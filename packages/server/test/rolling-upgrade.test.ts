// Two processes behind nginx are upgraded across a migration, and rolled back, under load: nothing is lost.
// Tier: ci. Needs nginx; `npm run test:browser` installs it where apt can.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '@floe/contract/json';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, SERVER_PROGRAM, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { createTestDatabase, runAsAdministrator } from '../src/store/test/postgres-database.ts';
import { startTestRedis } from '../src/store/test/redis-server.ts';
import { findFreePort, NGINX_MISSING, startNginx } from './nginx-balancer.ts';
import { runProgramToEnd } from './run-program.ts';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const NEXT_RELEASE = join(import.meta.dirname, 'next-release', 'server.mjs');
const CLIENTS = 10;
const PAUSE_MS = 20;
/** How long both releases serve requests together in each step. */
const MIXED_MS = process.env['FLOE_TEST_FULL'] === undefined ? 2_500 : 10_000;
const BEAT_KEY = `eis_beat${'0'.repeat(40)}`;
const JOBS = ['job-1', 'job-2', 'job-3'];

const chunk = (content: string, finish: string | null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: finish }],
});
const STREAM = createSseReply([
  chunk('one', null),
  chunk('two', null),
  chunk('', 'stop'),
  'data: [DONE]\n\n',
]);

/** What two processes need, in a directory that is removed after the test. */
interface Installation {
  readonly home: string;
  readonly yaml: string;
  readonly databaseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  /** Starts the process with this number, of the current release or with a program of another one. */
  start(index: number, program?: string): Promise<FloeProcess>;
  readonly ports: readonly number[];
}

async function prepare(t: TestContext): Promise<Installation> {
  const upstream = await startFakeUpstream({
    respond: ({ method }) => (method === 'GET' ? { body: '{"data":[]}' } : STREAM),
  });
  t.after(() => upstream.close());
  const home = mkdtempSync(join(tmpdir(), 'floe-upgrade-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const databaseUrl = await createTestDatabase(t);
  const env = {
    FLOE_DATABASE_URL: databaseUrl,
    FLOE_REDIS_URL: await startTestRedis(),
    FLOE_SECRET_KEY: 'upgrade'.repeat(10),
    FLOE_SHUTDOWN_DELAY_MS: '1000',
  };
  const ports = [await findFreePort(), await findFreePort()];
  const yaml = JSON.stringify(configOf(upstream.url));
  const start = (index: number, program = SERVER_PROGRAM) =>
    startFloeProcess({ program, yaml, env, port: ports[index] ?? 0, dataDir: join(home, String(index)) });
  return { home, yaml, databaseUrl, env, start, ports };
}

function configOf(upstreamUrl: string) {
  const { orgs } = buildGatewayConfig(upstreamUrl);
  const [org] = Array.isArray(orgs) ? orgs : [];
  assert.ok(isJsonObject(org) && Array.isArray(org['keys']));
  const keys = [...org['keys'], { name: 'beat', key: BEAT_KEY, scopes: ['beat'] }];
  const monitors = JOBS.map((id) => ({ id, expected_interval_minutes: 60 }));
  return { orgs: [{ ...org, keys, monitors }] };
}

/** Clients that send requests, streams and beats without a pause between releases. */
class Traffic {
  readonly failures: string[] = [];
  readonly beats: string[] = [];
  readonly ids: string[] = [];
  sent = 0;
  streams = 0;
  #isOver = false;
  readonly #clients: Promise<void>;

  constructor(origin: string) {
    const requests = Array.from({ length: CLIENTS }, () => this.#repeat(() => this.#request(origin)));
    const jobs = JOBS.map((id) => this.#repeat(() => this.#beat(origin, id)));
    this.#clients = Promise.all([...requests, ...jobs]).then(() => undefined);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  async #repeat(call: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await call();
      await delay(PAUSE_MS);
    }
  }

  async #request(origin: string): Promise<void> {
    this.sent += 1;
    const isStream = this.sent % 4 === 0;
    if (isStream) this.streams += 1;
    const answer = await call(origin + CHAT_COMPLETIONS_PATH, {
      headers: { authorization: `Bearer ${GATEWAY_KEYS.full}` },
      body: buildChatBody(isStream ? { stream: true } : { model: 'sandbox/echo' }),
    });
    const isWhole = answer.isComplete && (!isStream || answer.text.endsWith('data: [DONE]\n\n'));
    if (answer.status !== 200 || !isWhole)
      this.failures.push(`request: ${answer.status} ${answer.text.slice(0, 200)}`);
    else this.ids.push(answer.id);
  }

  async #beat(origin: string, id: string): Promise<void> {
    const answer = await call(`${origin}/api/monitoring/heartbeat`, {
      method: 'POST',
      headers: { 'x-api-key': BEAT_KEY },
      body: { monitor_id: id },
    });
    const body: unknown = answer.status === 200 && answer.isComplete ? JSON.parse(answer.text) : null;
    if (isJsonObject(body)) this.beats.push(String(body['beat_id']));
    else this.failures.push(`beat: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
}

async function call(url: string, options: Parameters<typeof callHttp>[1]) {
  try {
    const { status, text, isComplete, headers } = await callHttp(url, options);
    return { status, text, isComplete, id: String(headers['x-request-id']) };
  } catch (error) {
    return { status: 0, text: String(error), isComplete: false, id: '' };
  }
}

async function idsIn(url: string, query: string): Promise<readonly string[]> {
  const rows = await runAsAdministrator(query, url);
  return rows.map(({ id }) => String(id)).toSorted();
}

test('two processes are upgraded across a migration and rolled back under load: no request, row or beat is lost', {
  skip: NGINX_MISSING,
}, async (t) => {
  const { home, databaseUrl, env, start, ports } = await prepare(t);
  const floes: FloeProcess[] = [await start(0), await start(1)];
  t.after(() => Promise.all(floes.map((floe) => floe.kill())));
  const traffic = new Traffic(await startNginx(t, ports));
  t.after(() => traffic.stop());
  await delay(MIXED_MS);
  const migrate = await runProgramToEnd(NEXT_RELEASE, ['migrate'], { ...env, FLOE_DATA_DIR: home }, home);
  assert.match(migrate.stdout, /^Applied:\n {2}\d+ a-column-in-every-table$/m, migrate.stderr);
  // Both processes of the current release work with the migrated database.
  await delay(MIXED_MS);
  for (const program of [NEXT_RELEASE, SERVER_PROGRAM])
    for (const index of [0, 1]) {
      await floes[index]?.stop();
      floes[index] = await start(index, program);
      await delay(MIXED_MS);
    }
  await traffic.stop();
  const output = floes.map((floe) => floe.output()).join('');
  assert.match(output, /newer, compatible version/);
  for (const kind of ['limits', 'budgets', 'policies', 'relay_rules'])
    assert.match(output, new RegExp(`"rule":"acme/${kind}/next_release".*stored rule is not enforced`));
  for (const floe of floes) assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  const { sent, streams, ids, beats, failures } = traffic;
  t.diagnostic(
    `${sent} requests, ${streams} of them streams, and ${beats.length} beats; ${failures.length} failed`,
  );
  assert.deepEqual(failures, []);
  const rows = await idsIn(databaseUrl, `select id from exchanges where state = 'complete'`);
  assert.deepEqual(rows, ids.toSorted(), 'one row per request');
  const checks = await idsIn(databaseUrl, `select id from checks where status = 'ok'`);
  assert.deepEqual(checks, beats.toSorted(), 'one check per acknowledged beat');
  assert.deepEqual(await idsIn(databaseUrl, 'select id from replicas'), []);
  assert.ok(sent > 500 && beats.length > 100);
});
