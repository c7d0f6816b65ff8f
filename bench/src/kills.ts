// The real server under load, killed with SIGKILL at random points and started again on the same data; then what it
// promised is counted: rows lost, rows doubled, money forgotten. A run may be ended and gone on with.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';

const HELP = `node bench/kills.mjs [--requests 1000000] [--seconds 300] [--dir bench/.cache/kills] [--fresh]

Sends requests from 64 connections through a hard budget and limits to a cheap upstream, kills the server with
SIGKILL after a random number of answers (2,000 to 20,000), starts it again on the same data, and goes on until
so many requests were answered or so many seconds have passed. What was answered is noted in --dir, so that the
same command goes on where the last one ended; --fresh begins anew. Each run ends with the counts over all of them,
and exits with 1 when a row that was settled 10 ms before a kill is lost, one is doubled, or money is missing.`;

const CONNECTIONS = 64;
const KILL_AFTER = [2_000, 20_000] as const;
/** What the platform promises: a row settled longer ago than this survives. */
const PROMISED_MS = 10;
const KEY = `eis_kills${'0'.repeat(32)}`;
const COST_NANO_USD = 3_000;
const ANSWER = JSON.stringify({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 17, completion_tokens: 3, total_tokens: 20 },
});
const BODY = JSON.stringify({
  model: 'mock/model',
  max_tokens: 3,
  messages: [{ role: 'user', content: 'Hello' }],
});

interface KillTally {
  sent: number;
  answered: number;
  due: number;
  kills: number;
}

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '300' },
    dir: { type: 'string', default: join(import.meta.dirname, '..', '.cache', 'kills') },
    fresh: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(`${HELP}\n`);
else await run(values.dir, Number(values.requests), performance.now() + Number(values.seconds) * 1000);

async function run(dir: string, requests: number, until: number): Promise<void> {
  if (values.fresh) rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const upstream = await startCheapUpstream();
  const options = { dataDir: join(dir, 'data'), yaml: configFor(upstream.url), startTimeoutMs: 60_000 };
  const tally = readTally(dir);
  while (tally.answered < requests && performance.now() < until) {
    const floe = await startFloeProcess(options);
    await loadAndKill(floe, dir, tally, Math.min(requests - tally.answered, randomBetween(...KILL_AFTER)));
    writeFileSync(join(dir, 'tally.json'), JSON.stringify(tally));
  }
  const floe = await startFloeProcess(options);
  await waitForDrain(floe);
  const spent = await readSpend(floe);
  await floe.stop();
  upstream.close();
  checkTally(dir, tally, spent);
}

/** Answers at once, in one write. */
async function startCheapUpstream() {
  const server = createServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    response.end(ANSWER);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${address.port}`, close };
}

function configFor(upstreamUrl: string): string {
  const mock = { id: 'mock', kind: 'openai-compatible', base_url: `${upstreamUrl}/v1`, api_key: 'x' };
  const prices = { model: { input: 0, output: COST_NANO_USD / 3_000 } };
  const org = {
    id: 'acme',
    name: 'Acme',
    keys: [{ name: 'kills', key: KEY, scopes: ['gateway', 'management', 'read'] }],
    providers: [{ ...mock, models: ['model'], prices }],
    limits: [{ name: 'all', scope: 'org', rpm: 100_000_000, concurrency: 10_000 }],
    budgets: [{ name: 'all', scope: 'org', period: 'total', mode: 'hard', limit_usd: 1_000_000 }],
  };
  return JSON.stringify({ orgs: [org] });
}

function readTally(dir: string): KillTally {
  const path = join(dir, 'tally.json');
  return existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { sent: 0, answered: 0, due: 0, kills: 0 };
}

async function loadAndKill(
  floe: FloeProcess,
  dir: string,
  tally: KillTally,
  killAfter: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const answered: { readonly id: string; readonly at: number }[] = [];
  let killedAt = Number.POSITIVE_INFINITY;
  const standstill = watchEventLoopStalls();
  const client = async () => {
    while (killedAt === Number.POSITIVE_INFINITY) {
      tally.sent += 1;
      const id = await ask(floe.url, agent);
      if (id === null) return;
      answered.push({ id, at: performance.now() });
      if (answered.length >= killAfter && killedAt === Number.POSITIVE_INFINITY) {
        killedAt = performance.now();
        await floe.kill();
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  agent.destroy();
  assert.ok(killedAt < Number.POSITIVE_INFINITY, `the server ended by itself:\n${floe.output()}`);
  // While the machine did not run this process it may not have run the server either.
  const before = killedAt - standstill() - PROMISED_MS;
  const due = answered.filter(({ at }) => at < before);
  appendFileSync(join(dir, 'due.txt'), due.map(({ id }) => `${id}\n`).join(''));
  tally.answered += answered.length;
  tally.due += due.length;
  tally.kills += 1;
}

/** The id of an answered exchange; null when the connection broke, as it does at a kill. */
function ask(url: string, agent: Agent): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/gateway/v1/chat/completions`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        'content-length': BODY.length,
      },
    });
    outgoing.on('error', () => resolve(null));
    outgoing.on('response', (answer) => {
      answer.resume();
      answer.on('error', () => resolve(null));
      answer.on('close', () => {
        if (!answer.complete) resolve(null);
        else if (answer.statusCode === 200) resolve(String(answer.headers['x-request-id']));
        else reject(new Error(`an answer was ${answer.statusCode}`));
      });
    });
    outgoing.end(BODY);
  });
}

/** The longest time since now in which a timer of one millisecond could not run. */
function watchEventLoopStalls(): () => number {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last - 1);
    last = performance.now();
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

async function waitForDrain(floe: FloeProcess): Promise<void> {
  for (let looks = 0; looks < 600; looks++) {
    const metrics = await (await fetch(`${floe.url}/metrics`)).text();
    if (/^floe_spool_pending_rows 0$/m.test(metrics)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the spool was not taken within a minute');
}

async function readSpend(floe: FloeProcess): Promise<number> {
  const answer = await fetch(`${floe.url}/gateway/v1/key`, { headers: { authorization: `Bearer ${KEY}` } });
  return Number(/"spent_nano_usd":(\d+)/.exec(await answer.text())?.[1]);
}

/** Holds what is stored against what was promised. */
function checkTally(dir: string, { sent, answered, due, kills }: KillTally, spent: number): void {
  const database = new DatabaseSync(join(dir, 'data', 'floe.db'), { readOnly: true });
  const number = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
  const stored = new Set<string>();
  for (const { id } of database.prepare('select id from exchanges').iterate()) stored.add(String(id));
  const rows = number('select count(*) from exchanges');
  const counted = number(`select sum(requests) from rollup_hours where facet = 'all'`);
  const cost = number('select sum(cost_nano_usd) from exchanges');
  database.close();
  const promised = readFileSync(join(dir, 'due.txt'), 'utf8').split('\n').filter(Boolean);
  const lost = promised.filter((id) => !stored.has(id)).length;
  const charged = (spent - cost) / COST_NANO_USD;
  process.stdout.write(
    `${kills} kills, ${sent} requests sent, ${answered} answered, ${due} of them more than ${PROMISED_MS} ms before a kill; ${rows} rows, ${lost} lost, ${rows - stored.size} doubled, ${counted} counted in the rollups; ${spent / 1e9} USD spent, ${cost / 1e9} on rows, ${charged} reservations charged to requests that a kill cut off\n`,
  );
  assert.equal(lost, 0, 'no row that was promised is lost');
  assert.equal(counted, rows, 'the rollups count each row once');
  assert.ok(rows <= sent, 'no row is invented');
  assert.ok(spent >= due * COST_NANO_USD, 'nothing that was promised is forgotten');
  // Not only what was under way: of a request that was answered in the last milliseconds, the charge may be durable and the row lost.
  assert.ok(charged >= 0 && charged <= sent - rows, 'each request without a row is charged at most once');
}

function randomBetween(from: number, to: number): number {
  return from + Math.floor(Math.random() * (to - from));
}
