// One fleet: tokens are exact whatever an exchange ends as, one probe at a time, a revoked key is dead.
// Tier: ci. Two processes under load, on PostgreSQL and Redis.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { createCutResponseFault, createStalledResponseFault } from '@floe/testkit/connection-faults';
import { eventually } from '@floe/testkit/eventually';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { loadProjectRecording } from '@floe/testkit/recordings';
import { objectOrEmpty, objectsOrEmpty } from './answer-content.ts';
import {
  ANSWER_TOKENS,
  FLEET_CLIENTS,
  FLEET_PROCESSES,
  type GatewayFleet,
  getFirstStatus,
  IS_FULL_FLEET_RUN,
  startGatewayFleet,
} from './gateway-fleet.ts';
import { CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

/** Of each way an exchange may end; a minute holds all of them. */
const EACH = IS_FULL_FLEET_RUN ? 100 : 8;
const REVOKED_WITHIN_MS = 2_000;

interface Harness extends GatewayFleet {
  readonly flapping: FakeUpstream;
  /** Asks a process by its number. */
  ask(member: number, body: JsonObject, key?: string, signal?: AbortController): Promise<HttpCallResponse>;
}

async function startHarness(t: TestContext): Promise<Harness> {
  const upstream = async () => {
    const recordings = [
      loadProjectRecording('openai', 'text'),
      loadProjectRecording('openai', 'text-stream'),
    ];
    const one = await startFakeUpstream({ recordings });
    t.after(() => one.close());
    return one;
  };
  const [healthy, failing, cutting, stalling, flapping] = [
    await upstream(),
    await upstream(),
    await upstream(),
    await upstream(),
    await upstream(),
  ];
  await failing.setFaults(findInjectedFault('unavailable'));
  await cutting.setFaults(createCutResponseFault({ by: 'fin', framing: 'chunked', afterFrame: 3 }));
  await stalling.setFaults(createStalledResponseFault({ afterFrame: 3 }));
  const provider = (id: string, { url }: FakeUpstream, breaker: JsonObject = { enabled: false }) => ({
    id,
    kind: 'openai-compatible',
    base_url: `${url}/v1`,
    api_key: 'upstream-secret',
    models: ['model'],
    breaker,
  });
  const fleet = await startGatewayFleet(t, {
    providers: [
      provider('healthy', healthy),
      provider('failing', failing),
      provider('cutting', cutting),
      provider('stalling', stalling),
      provider('flapping', flapping, { consecutive_failures: 2, open_ms: 1500 }),
    ],
    routes: [
      { model: 'smart', targets: ['flapping/model', 'healthy/model'], retries: 0 },
      { model: '*', retries: 0 },
    ],
    cache: { enabled: true, ttl_seconds: 3600, scope: 'key' },
    limits: [{ name: 'tokens', scope: 'org', tpm: 100_000_000 }],
  });
  return {
    ...fleet,
    flapping,
    ask(member, body, key = GATEWAY_KEYS.full, signal) {
      const { url } = fleet.floes[member % FLEET_PROCESSES] ?? assert.fail();
      const leave = () => signal?.abort();
      return callHttp(url + CHAT_COMPLETIONS_PATH, {
        headers: { authorization: `Bearer ${key}` },
        body,
        ...(signal && { signal: signal.signal, onChunk: leave }),
      });
    },
  };
}

const question = (model: string, text: string, more: JsonObject = {}): JsonObject => ({
  model,
  messages: [{ role: 'user', content: text }],
  ...more,
});

test('several processes', async (t) => {
  const harness = await startHarness(t);
  await t.test(
    'count the tokens of streams, broken ones, rejections, cache hits and disconnected clients exactly',
    (t) => countsExactly(t, harness),
  );
  await t.test('send one probe at a time to an unavailable target, and use it again', (t) =>
    probesOnce(t, harness),
  );
  await t.test('reject a revoked key in every process', (t) => revokes(t, harness));
  // Last: one of them does not come back.
  await t.test('probe again soon after the probing process was killed', (t) => probesAfterDeath(t, harness));
});

async function countsExactly(t: TestContext, harness: Harness): Promise<void> {
  const { ask } = harness;
  assert.equal((await ask(0, question('healthy/model', 'the same'))).headers['x-floe-cache'], 'miss');
  const endings: readonly ((n: number) => Promise<unknown>)[] = [
    (n) => ask(n, question('healthy/model', `whole ${n}`)),
    (n) => ask(n, question('healthy/model', `stream ${n}`, { stream: true })),
    (n) => ask(n, question('healthy/model', 'the same', { stream: n % 2 === 0 })),
    (n) => ask(n, question('failing/model', `fails ${n}`)),
    (n) => ask(n, question('cutting/model', `cut ${n}`, { stream: true })),
    (n) =>
      ask(
        n,
        question('stalling/model', `left ${n}`, { stream: true }),
        GATEWAY_KEYS.full,
        new AbortController(),
      ),
  ];
  let sent = 0;
  const total = EACH * endings.length;
  const client = async () => {
    while (sent < total) {
      const n = sent++;
      // Who leaves on purpose hears nothing.
      await endings[n % endings.length]?.(Math.floor(n / endings.length)).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: FLEET_CLIENTS }, client));
  const rows = await eventually(async () => {
    const page = (await harness.members[1]?.callApi('/api/analytics/requests?limit=500'))?.json();
    const all = await allRows(harness, page);
    return all.length === total + 1 ? all : undefined;
  });
  const states = Map.groupBy(rows, ({ state }) => String(state));
  const countOf = (state: string) => states.get(state)?.length ?? 0;
  for (const state of ['aborted', 'failed', 'partial']) assert.equal(countOf(state), EACH, state);
  // The cache keeps silent when its Redis takes 50 ms; then the provider is asked, and counted.
  const hits = countOf('cached');
  assert.equal(hits + countOf('complete'), 3 * EACH + 1);
  assert.ok(hits > 0);
  for (const row of states.get('complete') ?? []) assert.equal(tokensOf(row), ANSWER_TOKENS);
  for (const row of states.get('failed') ?? []) assert.equal(tokensOf(row), 0);
  for (const row of states.get('aborted') ?? []) assert.ok(tokensOf(row) > 0, 'its provider was at work');
  const due = rows.reduce((sum, row) => sum + (row['state'] === 'cached' ? 0 : tokensOf(row)), 0);
  const used = await eventually(async () => {
    const { tpm_used } = await getFirstStatus(harness, 'limits');
    return tpm_used === due ? tpm_used : undefined;
  });
  t.diagnostic(
    `${FLEET_PROCESSES} processes, ${FLEET_CLIENTS} clients: ${total + 1} requests, ${hits} hits, ${used} tokens of ${due}`,
  );
}

/** The rows of all pages, the first of which is here. */
async function allRows(harness: Harness, first: unknown): Promise<readonly JsonObject[]> {
  const rows: JsonObject[] = [];
  for (let page = first; isJsonObject(page); ) {
    rows.push(...objectsOrEmpty(page['data']));
    const cursor = page['next_cursor'];
    if (typeof cursor !== 'string') break;
    page = (
      await harness.members[1]?.callApi(
        `/api/analytics/requests?limit=500&cursor=${encodeURIComponent(cursor)}`,
      )
    )?.json();
  }
  return rows;
}

function tokensOf(row: JsonObject): number {
  const usage = objectOrEmpty(row['usage']);
  return Number(usage['input_tokens'] ?? 0) + Number(usage['output_tokens'] ?? 0);
}

async function probesOnce(t: TestContext, { ask, flapping, floes }: Harness): Promise<void> {
  const smart = (n: number, text: string) => ask(n, question('smart', text));
  await flapping.setFaults(findInjectedFault('unavailable'));
  for (let member = 0; member < FLEET_PROCESSES; member++)
    for (let n = 0; n < 2; n++) assert.equal((await smart(member, `opens ${member} ${n}`)).status, 200);
  await Promise.all(floes.map((floe) => floe.waitForOutput(/breaker opened/)));
  // Back, but slow: whoever probes now waits at the gate.
  await flapping.setFaults(findInjectedFault('slow-first-token'));
  const before = flapping.requests.length;
  const waves: Promise<HttpCallResponse>[] = [];
  let wave = 0;
  const send = () => {
    wave += 1;
    for (let n = 0; n < FLEET_CLIENTS; n++) waves.push(smart(n, `wave ${wave} ${n}`));
  };
  await eventually(async () => {
    send();
    await Promise.race(waves.slice(-FLEET_CLIENTS));
    return flapping.requests.length > before ? true : undefined;
  });
  for (let more = 0; more < 2; more++) {
    send();
    // All but the probe are served from the other target meanwhile.
    await atLeast(waves.slice(-FLEET_CLIENTS), FLEET_CLIENTS - 1);
  }
  assert.equal(flapping.requests.length - before, 1, 'one probe for all processes');
  await flapping.setFaults();
  flapping.gate.release();
  const answers = await Promise.all(waves);
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  const from = answers.filter(({ headers }) => headers['x-floe-provider'] === 'flapping').length;
  assert.equal(from, 1, 'the client of the probe has its answer');
  t.diagnostic(
    `${answers.length} requests at ${FLEET_PROCESSES} processes with the target half open: 1 probe`,
  );
  const back = new Set<number>();
  await eventually(async () => {
    for (let member = 0; member < FLEET_PROCESSES; member++) {
      const answer = await smart(member, `back ${member} ${Math.random()}`);
      if (answer.headers['x-floe-provider'] === 'flapping') back.add(member);
    }
    return back.size === FLEET_PROCESSES ? true : undefined;
  });
}

/** The lease of a probe is short and renewed: far shorter than `eventually` waits. */
async function probesAfterDeath(t: TestContext, { ask, flapping, floes }: Harness): Promise<void> {
  const smart = (n: number, text: string) => ask(n, question('smart', text));
  await flapping.setFaults(findInjectedFault('unavailable'));
  const opened = floes.map((floe) => floe.output().split('breaker opened').length);
  for (let member = 0; member < FLEET_PROCESSES; member++)
    await eventually(async () => {
      await smart(member, `opens again ${member} ${Math.random()}`);
      const count = floes[member]?.output().split('breaker opened').length ?? 0;
      return count > (opened[member] ?? 0) ? true : undefined;
    });
  await flapping.setFaults(findInjectedFault('slow-first-token'));
  const before = flapping.requests.length;
  const asked = (member: number, count: number) =>
    eventually(async () => {
      // Whoever is the probe hears nothing: it waits at the gate.
      smart(member, `dies ${Math.random()}`).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return flapping.requests.length >= before + count ? true : undefined;
    });
  await asked(0, 1);
  await floes[0]?.kill();
  const since = performance.now();
  await asked(1, 2);
  t.diagnostic(
    `another process probed ${Math.round(performance.now() - since)} ms after the first was killed`,
  );
  await flapping.setFaults();
  flapping.gate.release();
  await eventually(async () => {
    const answer = await smart(1, `well again ${Math.random()}`);
    return answer.headers['x-floe-provider'] === 'flapping' ? true : undefined;
  });
}

/** Resolves when so many of them have. */
function atLeast(all: readonly Promise<unknown>[], count: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let done = 0;
  const one = () => {
    done += 1;
    if (done >= count) resolve();
  };
  for (const each of all) each.then(one, reject);
  return promise;
}

async function revokes(t: TestContext, { floes, ask }: Harness): Promise<void> {
  const manage = (member: number, path: string, method: string, body?: JsonObject) =>
    callHttp(`${floes[member]?.url}/api/management/keys${path}`, {
      method,
      headers: { authorization: `Bearer ${GATEWAY_KEYS.full}` },
      ...(body && { body }),
    });
  const created = (await manage(0, '', 'POST', { name: 'short', scopes: ['gateway'] })).json();
  assert.ok(isJsonObject(created));
  const key = String(created['key']);
  const probe = (member: number) => ask(member, question('healthy/model', 'the same'), key);
  for (let member = 0; member < FLEET_PROCESSES; member++)
    await eventually(async () => ((await probe(member)).status === 200 ? true : undefined));
  assert.equal((await manage(1, `/${created['id']}`, 'DELETE')).status, 204);
  const since = performance.now();
  const refused = async (member: number) => {
    await eventually(async () => ((await probe(member)).status === 401 ? true : undefined));
    return performance.now() - since;
  };
  const waits = await Promise.all(floes.map((_, member) => refused(member)));
  const longest = Math.round(Math.max(...waits));
  t.diagnostic(`a revoked key was refused by all ${FLEET_PROCESSES} processes after ${longest} ms`);
  // The promise, measured where nothing else runs; elsewhere that it comes is enough.
  if (IS_FULL_FLEET_RUN) assert.ok(longest <= REVOKED_WITHIN_MS, `${longest} ms`);
}
