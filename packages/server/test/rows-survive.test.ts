// Tier: ci. Processes are killed under load.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { readMonotonicMs, type ServerPulse, startServerPulse } from './pulse.ts';
import { buildChatBody, buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const ROUNDS = process.env['FLOE_TEST_FULL'] ? 30 : 4;
const CLIENTS = 16;
/** What the platform promises: a row settled longer ago than this survives kill -9. */
const PROMISED_MS = 10;

const dataDir = mkdtempSync(join(tmpdir(), 'floe-rows-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

interface Answered {
  readonly id: string;
  /**
   * The server lived for so long after the client had its last byte, and settled it earlier still: without the time in
   * which the machine did not run it.
   */
  readonly msLived: number;
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const WHOLE = createJsonReply({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage,
});
const STREAM = createSseReply([
  { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  'data: [DONE]\n\n',
]);

test('kill -9 under load: every row finalized 10 ms before exists once, and no other row', async (t) => {
  const upstream = await startFakeUpstream({
    respond: ({ body }) => (body.includes('"stream":true') ? STREAM : WHOLE),
  });
  const options = { dataDir, yaml: JSON.stringify(buildGatewayConfig(upstream.url)) };
  const answered: Answered[] = [];
  const sent = { count: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const pulse = startServerPulse();
    const floe = await startFloeProcess({ ...options, env: pulse.env });
    answered.push(...(await loadUntilKilled(floe, pulse, sent)));
  }
  const floe = await startFloeProcess(options);
  await eventually(async () => ((await backlog(floe)) === 0 ? true : undefined));
  const rows = await storedIds(floe);
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  await upstream.close();

  const stored = new Set(rows);
  const due = answered.filter(({ msLived }) => msLived > PROMISED_MS);
  const lost = due.filter(({ id }) => !stored.has(id));
  t.diagnostic(
    `kill -9, ${ROUNDS} rounds: ${sent.count} requests sent, ${answered.length} answered, ${due.length} of them more than ${PROMISED_MS} ms before a kill; ${rows.length} rows, ${lost.length} lost, ${rows.length - stored.size} doubled`,
  );
  assert.ok(due.length > ROUNDS * 20, 'there was load');
  assert.deepEqual(lost, [], 'no row that was promised is lost');
  assert.equal(stored.size, rows.length, 'no row is there twice');
  assert.ok(rows.length <= sent.count, 'no row is invented');
  const unanswered = rows.filter((id) => !answered.some((answer) => answer.id === id));
  assert.ok(unanswered.length <= ROUNDS * CLIENTS, 'rows without an answer are those under way at a kill');
});

/** Sixteen clients ask one request after the other until the server is killed, at a random point. */
async function loadUntilKilled(
  floe: FloeProcess,
  pulse: ServerPulse,
  sent: { count: number },
): Promise<Answered[]> {
  const answered: { readonly id: string; readonly at: number }[] = [];
  let isKilled = false;
  const killAfter = 60 + Math.floor(Math.random() * 400);
  const client = async (number: number) => {
    for (let n = number; !isKilled; n++) {
      sent.count += 1;
      try {
        const answer = await callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
          headers: { 'x-api-key': GATEWAY_KEYS.full },
          body: buildChatBody({ stream: n % 2 === 0 }),
        });
        const at = readMonotonicMs();
        if (answer.isComplete && answer.status === 200)
          answered.push({ id: answer.headers['x-request-id'] ?? '', at });
      } catch {
        // Killed before it answered.
        return;
      }
      if (answered.length >= killAfter && !isKilled) {
        isKilled = true;
        await floe.kill();
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  const lived = pulse.livedSince();
  return answered.map(({ id, at }) => ({ id, msLived: lived(at) }));
}

async function backlog(floe: FloeProcess): Promise<number> {
  const metrics = await callHttp(`${floe.url}/metrics`);
  return Number(/^floe_spool_pending_rows (\d+)/m.exec(metrics.text)?.[1] ?? Number.NaN);
}

/** Ids of all rows, page after page, as anybody sees them. */
async function storedIds(floe: FloeProcess): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/analytics/requests?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = (await callHttp(floe.url + path, { headers: { 'x-api-key': GATEWAY_KEYS.full } })).json();
    assert.ok(isJsonObject(page) && Array.isArray(page.data));
    for (const row of page.data) ids.push(isJsonObject(row) ? String(row.id) : '');
    if (typeof page.next_cursor !== 'string') return ids;
    cursor = page.next_cursor;
  }
}
