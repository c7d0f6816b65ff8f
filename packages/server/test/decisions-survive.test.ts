// Tier: ci. Processes are killed under load.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { readMonotonicMs, type ServerPulse, startServerPulse } from './pulse.ts';

const ROUNDS = process.env['FLOE_TEST_FULL'] ? 20 : 2;
const AGENTS = 8;
/** Promised of what was answered this long before: the spool's 10 ms, and a turn of the loop for masking. */
const PROMISED_MS = 25;
const KEY = `eis_agents${'0'.repeat(40)}`;
const headers = { 'x-api-key': KEY };

const dataDir = mkdtempSync(join(tmpdir(), 'floe-decisions-'));
after(() => rmSync(dataDir, { recursive: true, force: true }));

const yaml = JSON.stringify({
  orgs: [
    {
      id: 'acme',
      keys: [{ name: 'agents', key: KEY, scopes: ['relay', 'management'] }],
      relay: {
        mode: 'enforce',
        rules: [{ name: 'push', on: 'shell', match: { command: 'git' }, decision: 'deny' }],
      },
    },
  ],
});

interface Answered {
  readonly id: string;
  readonly msLived: number;
}

test('kill -9 under load: every decision that was returned a moment before is stored once, and no other', async (t) => {
  const answered: Answered[] = [];
  const asked = { count: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const pulse = startServerPulse();
    const floe = await startFloeProcess({ dataDir, yaml, env: pulse.env });
    answered.push(...(await askUntilKilled(floe, pulse, asked)));
  }
  const floe = await startFloeProcess({ dataDir, yaml });
  const due = answered.filter(({ msLived }) => msLived > PROMISED_MS).map(({ id }) => id);
  // What lay in the spool is taken in behind the start.
  const kept = await eventually(async () => {
    const ids = await keptIds(floe);
    return due.every((id) => ids.includes(id)) ? ids : undefined;
  });
  assert.ok(due.length > ROUNDS * 10, 'there was load');
  assert.equal(new Set(kept).size, kept.length, 'none is there twice');
  assert.ok(kept.length <= asked.count, 'none is invented');
  t.diagnostic(
    `${ROUNDS} rounds: ${asked.count} asked, ${due.length} due, ${kept.length} kept, 0 lost, 0 doubled`,
  );
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
});

/** Agents ask one question after the other until the server is killed, at a random point. */
async function askUntilKilled(
  floe: FloeProcess,
  pulse: ServerPulse,
  asked: { count: number },
): Promise<Answered[]> {
  const answered: { readonly id: string; readonly at: number }[] = [];
  let isKilled = false;
  const killAfter = 40 + Math.floor(Math.random() * 200);
  const agent = async (number: number) => {
    for (let n = 0; !isKilled; n++) {
      asked.count += 1;
      const event = { event: 'shell', session_id: `s${number}`, shell: { command: `git push ${n}` } };
      const answer = await callHttp(`${floe.url}/relay/v1/decisions`, { headers, body: event }).catch(
        () => null,
      );
      // Killed before it answered.
      if (!answer?.isComplete) return;
      const at = readMonotonicMs();
      assert.equal(answer.status, 200, answer.text);
      const body = answer.json();
      if (isJsonObject(body)) answered.push({ id: String(body['decision_id']), at });
      if (answered.length >= killAfter && !isKilled) {
        isKilled = true;
        await floe.kill();
      }
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, (_, number) => agent(number)));
  const lived = pulse.livedSince();
  return answered.map(({ id, at }) => ({ id, msLived: lived(at) }));
}

async function keptIds(floe: FloeProcess): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/management/relay/decisions?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const page = (await callHttp(floe.url + path, { headers })).json();
    assert.ok(isJsonObject(page) && Array.isArray(page['data']));
    for (const row of page['data']) ids.push(isJsonObject(row) ? String(row['id']) : '');
    if (typeof page['next_cursor'] !== 'string') return ids;
    cursor = page['next_cursor'];
  }
}
