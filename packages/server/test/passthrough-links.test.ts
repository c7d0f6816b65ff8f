// Links in the answers of native APIs: official SDKs follow them with the caller's key, which is a platform key.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import {
  PASSTHROUGH_A_PATH,
  PASSTHROUGH_B_PATH,
  type PassthroughGateway,
  startPassthroughGateway,
} from './passthrough-gateway.ts';

const RESULT =
  '{"custom_id":"1","result":{"type":"succeeded","message":{"usage":{"input_tokens":9,"output_tokens":4}}}}\n';

let harness: PassthroughGateway;
/** What a provider's public address would be, where only a proxy of it is configured. */
let elsewhere: FakeUpstream;
before(async () => {
  harness = await startPassthroughGateway();
  elsewhere = await startFakeUpstream({
    respond: () => createJsonReply({ error: 'nobody may come here' }, 500),
  });
});
after(async () => {
  await elsewhere.close();
  await harness.close();
});

function batch(id: string, resultsUrl: string) {
  return { id, type: 'message_batch', processing_status: 'ended', results_url: resultsUrl };
}

const requests = [
  {
    custom_id: '1',
    params: { model: 'm-1', max_tokens: 5, messages: [{ role: 'user' as const, content: 'Hi' }] },
  },
];

/** The results of each batch stand behind a link, once at the configured address and once at another one. */
function serveBatches({ method, path }: ReceivedRequest): UpstreamReply {
  const links = [harness.upstream('b-one').url, elsewhere.url];
  const batches = links.map((url, at) => batch(`b_${at}`, `${url}/v1/messages/batches/b_${at}/results`));
  if (/\/results$/.test(path)) return { headers: { 'content-type': 'application/x-jsonl' }, body: RESULT };
  if (method === 'POST') return createJsonReply(batches[made++ % 2] ?? {});
  const one = batches.find(({ id }) => path.endsWith(`/${id}`));
  return one
    ? createJsonReply(one)
    : createJsonReply({ data: batches, has_more: false, first_id: 'b_0', last_id: 'b_1' });
}
let made = 0;

test('the official SDK reads the results of a batch through Floe, for any URL at the provider', async () => {
  harness.setReply('b-one', serveBatches);
  const client = harness.anthropic();
  for (const _ of [0, 1]) {
    const { id } = await client.messages.batches.create({ requests });
    const seen: string[] = [];
    for await (const entry of await client.messages.batches.results(id)) seen.push(entry.custom_id);
    assert.deepEqual(seen, ['1'], id);
  }
  for await (const entry of client.messages.batches.list())
    assert.ok(
      entry.results_url?.startsWith(`${harness.url}${PASSTHROUGH_B_PATH}/v1/messages/batches/${entry.id}`),
      String(entry.results_url),
    );
  assert.equal(elsewhere.requests.length, 0, 'nobody follows a link to the provider itself');
  for (const request of harness.upstream('b-one').requests)
    assert.ok(!JSON.stringify([request.path, request.headers]).includes('eis_'), request.path);
});

test('links in a list are replaced in the resources of every page of the provider', async () => {
  const urls = [0, 1, 2].map((at) => `${elsewhere.url}/v1/messages/batches/p_${at}/results`);
  const batches = urls.map((url, at) => batch(`p_${at}`, url));
  let created = 1;
  harness.setReply('b-one', ({ method, path }) => {
    if (method === 'POST') return createJsonReply(batches[created++] ?? {});
    const [one] = path.includes('after_id=p_1')
      ? [batches[2]]
      : path.includes('after_id=p_0')
        ? [batches[1]]
        : [batches[0]];
    return createJsonReply({ data: [one], has_more: one !== batches[2] });
  });
  for (const _ of [0, 1]) await harness.anthropic().messages.batches.create({ requests });
  const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/messages/batches?limit=2`);
  const { data } = answer.json() as unknown as { data: { id: string; results_url: string }[] };
  const prefix = `${harness.url}${PASSTHROUGH_B_PATH}/v1/messages/batches`;
  assert.deepEqual(
    data.map(({ results_url }) => results_url),
    ['p_1', 'p_2'].map((id) => `${prefix}/${id}/results`),
  );
});

test('results that an SDK reads by their link are counted', async () => {
  harness.setReply('b-one', serveBatches);
  const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/messages/batches/b_0`);
  const { results_url } = answer.json() as unknown as { results_url: string };
  const results = await harness.call(results_url.slice(harness.url.length));
  assert.equal(results.text, RESULT);
});

test("no resource contains the provider's URL, in any notation", async () => {
  const { url } = harness.upstream('a-one');
  const links = [
    `${url}/v1/files/f_1/content?x=1&y=a%20b`,
    `${url}/somewhere/else`,
    url,
    `${url.replace('http', 'HTTP')}/v1/files/f_1`,
    `${elsewhere.url}/openai/v1/files/f_1/content`,
  ];
  const escaped = JSON.stringify({ id: 'f_1', links, next: { url: links[0] } }).replaceAll('/', '\\/');
  for (const body of [JSON.stringify({ id: 'f_1', links, more: { self: links[0] } }, null, 2), escaped]) {
    harness.setReply('a-one', { headers: { 'content-type': 'application/json' }, body });
    for (const [method, path] of [
      ['POST', '/files'],
      ['GET', '/files/f_1'],
      ['GET', '/batches/f_1'],
      ['DELETE', '/files/f_1'],
    ] as const) {
      const answer = await harness.call(`${PASSTHROUGH_A_PATH}${path}`, {
        method,
        ...(method === 'POST' && { body: {} }),
      });
      assert.equal(answer.status, 200, answer.text);
      const said = answer.text.replaceAll('\\/', '/').toLowerCase();
      assert.ok(!said.includes(url), `${method} ${path}: ${said}`);
      if (path.startsWith('/files')) assert.ok(!said.includes(elsewhere.url), `${method} ${path}: ${said}`);
      assert.ok(isJsonObject(answer.json()));
    }
  }
});

test('links in the text of a model or a person are unchanged', async () => {
  const { url } = harness.upstream('a-one');
  const text = `see ${url}/v1/files/f_1`;
  const whole = {
    id: 'c-1',
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content: `${url}/v1/files/f_1` }, finish_reason: 'stop' },
    ],
    note: text,
  };
  const body = JSON.stringify(whole);
  harness.setReply('a-one', { headers: { 'content-type': 'application/json' }, body });
  const chat = await harness.call(`${PASSTHROUGH_A_PATH}/chat/completions`, {
    body: { model: 'm-1', messages: [{ role: 'user', content: 'hi' }] },
  });
  assert.equal(chat.text, body);
  const content = await harness.call(`${PASSTHROUGH_A_PATH}/files/f_1/content`);
  assert.equal(content.text, body, 'the content of a file');
  const { id } = await harness.openai().containers.create({ name: 'c' });
  const contained = await harness.call(`${PASSTHROUGH_A_PATH}/containers/${id}/files/f_1/content`);
  assert.equal(contained.text, body, 'the content of a file in a container');
});
