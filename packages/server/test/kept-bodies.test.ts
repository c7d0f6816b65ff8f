// Bodies in the log of requests, of the org that asks for them: redacted, encrypted, and as safe as their rows.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { createCutResponseFault } from '@floe/testkit/connection-faults';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply, createSseReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty } from './answer-content.ts';
import { readMonotonicMs, startServerPulse } from './pulse.ts';
import { buildGatewayConfig, CHAT_COMPLETIONS_PATH, GATEWAY_KEYS } from './running-gateway.ts';

const OTHER_KEY = `eis_other${'0'.repeat(32)}`;
const ASKED = 'My address is ana@example.com, and the word is Gletscherspalte';
const PROMISED_MS = 10;

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const WHOLE = createJsonReply({
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Call +1 415 555 2671' }, finish_reason: 'stop' },
  ],
  usage,
});
/** No event of it holds the address; the answer does. Blank lines are permitted before the first event. */
const STREAM = createSseReply([
  '\r\n\n',
  ...['Write to b', 'o@exam', 'ple.com soon'].map((content) => ({
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  })),
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
  'data: [DONE]\n\n',
]);

test('bodies are stored for the organization that enables it, without sensitive values, and for no other', async (t) => {
  const upstream = await startFakeUpstream({
    respond: ({ body }) => (body.includes('"stream":true') ? STREAM : WHOLE),
  });
  t.after(() => upstream.close());
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-bodies-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const options = { dataDir, yaml: JSON.stringify(twoOrgs(upstream.url)) };
  const pulse = startServerPulse();
  let floe = await startFloeProcess({ ...options, env: pulse.env });
  t.after(() => floe.stop());

  const [whole, streamed, others] = await Promise.all([
    ask(floe, GATEWAY_KEYS.full, {}),
    ask(floe, GATEWAY_KEYS.full, { stream: true }),
    ask(floe, OTHER_KEY, {}),
  ]);
  const refused = await ask(floe, GATEWAY_KEYS.full, { model: 'nobody/model' });
  await upstream.setFaults(createCutResponseFault({ by: 'fin', framing: 'chunked', afterFrame: 2 }));
  const partial = await ask(floe, GATEWAY_KEYS.full, { stream: true });
  await upstream.setFaults();

  assert.equal(
    textOf(await bodiesOf(floe, whole), 'request'),
    'My address is [redacted:email], and the word is Gletscherspalte',
  );
  assert.match(JSON.stringify(await bodiesOf(floe, whole)), /Call \[redacted:phone\]/);
  const stream = await bodiesOf(floe, streamed);
  assert.match(JSON.stringify(stream['answer']), /Write to \[redacted:email\] soon/);
  assert.match(JSON.stringify(await bodiesOf(floe, refused)), /model_not_found/);
  assert.match(JSON.stringify((await bodiesOf(floe, partial))['answer']), /Write to b/);
  await eventually(async () => ((await rowStatus(floe, others, OTHER_KEY)) === 200 ? true : undefined));
  assert.equal((await viewed(floe, others, OTHER_KEY)).status, 404);

  // Killed under load: what was answered 10 ms before is there, and nothing of it can be read on the disk.
  const answered: { readonly id: string; readonly at: number }[] = [];
  let isKilled = false;
  const client = async () => {
    while (!isKilled) {
      const id = await ask(floe, GATEWAY_KEYS.full, {}).catch(() => null);
      if (id !== null) answered.push({ id, at: readMonotonicMs() });
      if (answered.length < 100 || isKilled) continue;
      isKilled = true;
      await floe.kill();
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  const lived = pulse.livedSince();
  const due = answered.filter(({ at }) => lived(at) > PROMISED_MS);
  assert.ok(due.length > 50);
  for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' }))
    if (/jsonl$|floe\.db/.test(name))
      assert.ok(!readFileSync(join(dataDir, name)).includes('Gletscherspalte'), name);
  floe = await startFloeProcess(options);
  for (const { id } of due) assert.match(textOf(await bodiesOf(floe, id), 'request'), /Gletscherspalte/);
  t.diagnostic(`${due.length} answers more than 10 ms before a kill -9: all their bodies are there`);
});

function twoOrgs(upstreamUrl: string): JsonObject {
  const { orgs } = buildGatewayConfig(upstreamUrl);
  const [org] = Array.isArray(orgs) ? orgs : [];
  const acme = objectOrEmpty(org);
  const keys = [{ name: 'other', key: OTHER_KEY, scopes: ['gateway', 'management'] }];
  return {
    orgs: [
      { ...acme, bodies: { keep: true } },
      { ...acme, id: 'other', keys },
    ],
  };
}

/** The id of the exchange. */
async function ask(floe: FloeProcess, key: string, more: JsonObject): Promise<string> {
  const answer = await callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'fake/model', messages: [{ role: 'user', content: ASKED }], ...more },
  });
  return answer.headers['x-request-id'] ?? '';
}

function viewed(floe: FloeProcess, id: string, key: string) {
  return callHttp(`${floe.url}/api/analytics/requests/${id}/bodies`, { headers: { 'x-api-key': key } });
}

async function rowStatus(floe: FloeProcess, id: string, key: string): Promise<number> {
  return (await callHttp(`${floe.url}/api/analytics/requests/${id}`, { headers: { 'x-api-key': key } }))
    .status;
}

function bodiesOf(floe: FloeProcess, id: string): Promise<JsonObject> {
  return eventually(async () => {
    const { status, text } = await viewed(floe, id, GATEWAY_KEYS.full);
    const body: unknown = JSON.parse(text);
    return status === 200 && isJsonObject(body) ? body : undefined;
  });
}

/** What the first message of a kept body says. */
function textOf(bodies: JsonObject, side: 'request' | 'answer'): string {
  const body = objectOrEmpty(JSON.parse(String(objectOrEmpty(bodies[side])['text'])));
  const [message] = Array.isArray(body['messages']) ? body['messages'] : [];
  return String(objectOrEmpty(message)['content']);
}
