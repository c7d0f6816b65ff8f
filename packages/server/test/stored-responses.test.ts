// Stored responses through the official client: chains over every provider, branches, deletion, ownership, crashes.
// Tier: ci. Kills processes between the turns of conversations.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';
import type OpenAI from 'openai';
import { APIError } from 'openai';
import { createTestDatabase } from '../src/store/test/postgres-database.ts';
import { startTcpProxy } from '../src/store/test/tcp-proxy.ts';
import { objectsOrEmpty, parseAnswerContent } from './answer-content.ts';
import {
  PROVIDER_DIALECTS,
  STORED_RESPONSES_PROVIDERS,
  type StoredResponsesGateway,
  type StoredResponsesProvider,
  startStoredResponsesGateway,
} from './stored-responses-gateway.ts';
import { sampleReply } from './upstream-samples.ts';

type Ask = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Answer = OpenAI.Responses.Response;

const FIRST = 'What is the tallest mountain?';
const SECOND = 'And the second tallest?';
const TOOL = {
  type: 'function',
  name: 'look_up',
  parameters: { type: 'object', properties: { q: { type: 'string' } } },
  strict: false,
} as const;

let harness: StoredResponsesGateway;
before(async () => {
  harness = await startStoredResponsesGateway();
});
after(() => harness.close());

/** One turn, streamed or whole; a stream's answer is what its last event holds. */
async function turn(client: OpenAI, ask: Ask, isStream = false): Promise<Answer> {
  if (!isStream) return client.responses.create(ask);
  let last: Answer | undefined;
  for await (const event of await client.responses.create({ ...ask, stream: true }))
    if (event.type === 'response.completed') last = event.response;
  return last ?? assert.fail('a stream without its end');
}

const said = (provider: StoredResponsesProvider) => {
  const dialect = PROVIDER_DIALECTS[provider];
  return parseAnswerContent(dialect, sampleReply(dialect, 'text', false).body, false).text;
};

/** What a provider was asked, as text; order of its parts is what counts. */
const askedText = (provider: StoredResponsesProvider) => JSON.stringify(harness.lastRequestBody(provider));

function assertInOrder(text: string, parts: readonly string[]): void {
  let from = 0;
  for (const part of parts) {
    const quoted = JSON.stringify(part).slice(1, -1);
    const at = text.indexOf(quoted, from);
    assert.ok(at >= 0, `${quoted} is missing after ${from} in ${text.slice(0, 2000)}`);
    from = at + quoted.length;
  }
}

async function refusedWith(asked: Promise<unknown>, status: number, code: string): Promise<void> {
  await assert.rejects(asked, (error) => {
    assert.ok(error instanceof APIError, String(error));
    assert.deepEqual([error.status, error.code], [status, code], error.message);
    return true;
  });
}

for (const provider of STORED_RESPONSES_PROVIDERS)
  for (const isStream of [false, true])
    test(`${provider} continues a stored turn, ${isStream ? 'streamed' : 'whole'}`, async () => {
      const client = harness.client();
      const model = `${provider}/m-1`;
      const first = await turn(client, { model, input: FIRST, instructions: 'Be brief.' }, isStream);
      const more = { model, input: SECOND, previous_response_id: first.id };
      const second = await turn(client, more, isStream);
      assert.notEqual(first.id, second.id);
      if (provider === 'keeper')
        assert.equal(harness.lastRequestBody(provider)['previous_response_id'], first.id);
      else {
        assertInOrder(askedText(provider), [FIRST, said(provider), SECOND]);
        // Instructions are of one request only.
        assert.ok(!askedText(provider).includes('Be brief.'));
      }
      const kept = await client.responses.retrieve(second.id);
      const { output_text: _, ...told } = second;
      assert.deepEqual({ ...kept, output_text: undefined }, { ...told, output_text: undefined });
      const items = await client.responses.inputItems.list(second.id, { order: 'asc' });
      assertInOrder(JSON.stringify(items.data), [FIRST, said(provider), SECOND]);
    });

test('a conversation moves between providers, and each receives all of it', async () => {
  const client = harness.client();
  let previous: Answer | undefined;
  const spoken: string[] = [];
  for (const [at, provider] of [
    'chat',
    'messages',
    'keeper',
    'gemini',
    'stateless',
    'keeper',
    'chat',
  ].entries()) {
    const named = STORED_RESPONSES_PROVIDERS.find((name) => name === provider) ?? assert.fail();
    const question = `Question number ${at}?`;
    const answer: Answer = await turn(
      client,
      { model: `${provider}/m-1`, input: question, ...(previous && { previous_response_id: previous.id }) },
      at % 2 === 0,
    );
    spoken.push(question);
    assertInOrder(askedText(named), spoken);
    assert.equal(answer.previous_response_id, previous?.id ?? null, `${at}: ${provider}`);
    assert.deepEqual((await client.responses.retrieve(answer.id)).previous_response_id, previous?.id ?? null);
    previous = answer;
    // Without the ids of their answers, an assistant's words are plain text or nothing OpenAI's document knows.
    if (PROVIDER_DIALECTS[named] === 'responses')
      for (const item of objectsOrEmpty(harness.lastRequestBody(named)['input']))
        assert.ok(item['role'] !== 'assistant' || typeof item['content'] === 'string', JSON.stringify(item));
    spoken.push(said(named));
  }
});

for (const provider of STORED_RESPONSES_PROVIDERS)
  test(`parallel calls of ${provider} are matched with their results`, async () => {
    const client = harness.client();
    const model = `${provider}/m-1`;
    harness.setScenario('parallel-tools');
    const first = await turn(client, { model, input: FIRST, tools: [TOOL] }, true);
    harness.setScenario('text');
    const calls = first.output.filter((item) => item.type === 'function_call');
    assert.ok(calls.length >= 2);
    const results = calls.map(({ call_id }, at) => ({
      type: 'function_call_output' as const,
      call_id,
      output: `result-${at}`,
    }));
    // To another provider too: what one called, the other reads.
    for (const next of [provider, 'messages', 'chat'] as const) {
      await turn(client, {
        model: `${next}/m-1`,
        previous_response_id: first.id,
        input: results,
        tools: [TOOL],
      });
      const text = askedText(next);
      for (const [at] of calls.entries()) assert.ok(text.includes(`result-${at}`), text);
      if (next !== 'keeper') for (const { name } of calls) assert.ok(text.includes(`"${name}"`), text);
    }
  });

test('two branches of one response are independent', async () => {
  const client = harness.client();
  const model = 'chat/m-1';
  const root = await turn(client, { model, input: FIRST });
  const [left, right] = await Promise.all(
    ['Left?', 'Right?'].map((input) => turn(client, { model, input, previous_response_id: root.id })),
  );
  await turn(client, { model, input: 'More left?', previous_response_id: left?.id ?? '' });
  assertInOrder(askedText('chat'), [FIRST, 'Left?', 'More left?']);
  assert.ok(!askedText('chat').includes('Right?'));
  await turn(client, { model, input: 'More right?', previous_response_id: right?.id ?? '' });
  assert.ok(!askedText('chat').includes('Left?'));
});

test('a deleted response cannot be read or continued, nor can responses that continue it', async () => {
  const client = harness.client();
  const model = 'messages/m-1';
  const first = await turn(client, { model, input: FIRST });
  const second = await turn(client, { model, input: SECOND, previous_response_id: first.id });
  await client.responses.delete(first.id);
  await refusedWith(client.responses.retrieve(first.id), 404, 'not_found');
  await refusedWith(client.responses.delete(first.id), 404, 'not_found');
  const goOn = (id: string) => turn(client, { model, input: 'And then?', previous_response_id: id });
  await refusedWith(goOn(first.id), 400, 'previous_response_not_found');
  await refusedWith(goOn(second.id), 400, 'previous_response_not_found');
  assert.equal((await client.responses.retrieve(second.id)).id, second.id);
});

test('a provider that also stores a response is told to delete it', async () => {
  const client = harness.client();
  const first = await turn(client, { model: 'keeper/m-1', input: FIRST });
  await client.responses.delete(first.id);
  const told = harness.upstream('keeper').requests.at(-1);
  assert.deepEqual([told?.method, told?.path], ['DELETE', `/v1/responses/${first.id}`]);
});

test('a response belongs to its key: another key, another organization and a guessed id find nothing', async () => {
  const first = await turn(harness.client(), { model: 'keeper/m-1', input: FIRST });
  const asked = harness.upstream('keeper').requests.length;
  for (const [key, id] of [
    [harness.keys.other, first.id],
    [harness.keys.stranger, first.id],
    [harness.keys.own, `${first.id}x`],
  ] as const) {
    const client = harness.client(key);
    await refusedWith(client.responses.retrieve(id), 404, 'not_found');
    await refusedWith(client.responses.inputItems.list(id), 404, 'not_found');
    await refusedWith(client.responses.delete(id), 404, 'not_found');
    await refusedWith(client.responses.cancel(id), 404, 'not_found');
    const goOn = turn(client, { model: 'keeper/m-1', input: SECOND, previous_response_id: id });
    await refusedWith(goOn, 400, 'previous_response_not_found');
  }
  assert.equal(harness.upstream('keeper').requests.length, asked, 'the provider was asked for another key');
});

test('store: false stores nothing', async () => {
  const client = harness.client();
  for (const provider of ['chat', 'keeper']) {
    const first = await turn(client, { model: `${provider}/m-1`, input: FIRST, store: false });
    await refusedWith(client.responses.retrieve(first.id), 404, 'not_found');
    if (provider === 'chat') assert.equal(Reflect.get(first, 'store'), false);
  }
});

test("a provider that has the conversation receives the client's bytes", async () => {
  const client = harness.client();
  const first = await turn(client, { model: 'keeper/m-1', input: FIRST });
  const body = `{ "model" : "keeper/m-1",\n "previous_response_id":"${first.id}", "input":"${SECOND}", "x" : 1.50 }`;
  const answer = await fetch(`${harness.url}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${harness.keys.own}`, 'content-type': 'application/json' },
    body,
  });
  assert.equal(answer.status, 200);
  const sent = harness.upstream('keeper').requests.at(-1)?.body.toString('utf8');
  assert.equal(sent, body.replace('keeper/m-1', 'm-1'));
});

for (const provider of STORED_RESPONSES_PROVIDERS)
  for (const origin of STORED_RESPONSES_PROVIDERS)
    test(`every event of ${provider} that contains the response has the previous response id of ${origin}`, async () => {
      const first = await turn(harness.client(), { model: `${origin}/m-1`, input: FIRST });
      const answer = await callHttp(`${harness.url}/responses`, {
        headers: { authorization: `Bearer ${harness.keys.own}` },
        body: { model: `${provider}/m-1`, input: SECOND, previous_response_id: first.id, stream: true },
      });
      const told = answer.frames().flatMap(({ data }) => objectsOrEmpty([JSON.parse(data)['response']]));
      assert.ok(told.length >= 2, answer.text);
      // What a provider knows it says itself: those bytes are not ours.
      const isItsOwn = origin === provider && provider === 'keeper';
      for (const response of told)
        assert.equal(response['previous_response_id'], isItsOwn ? undefined : first.id, answer.text);
    });

test('item references to earlier responses are resolved', async () => {
  const client = harness.client();
  const first = await turn(client, { model: 'chat/m-1', input: FIRST });
  const input = [
    { role: 'user' as const, content: FIRST },
    ...first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' })),
    { role: 'user' as const, content: SECOND },
  ];
  for (const provider of ['messages', 'keeper'] as const) {
    await turn(client, { model: `${provider}/m-1`, input });
    assertInOrder(askedText(provider), [FIRST, said('chat'), SECOND]);
  }
  const unknown = [{ type: 'item_reference' as const, id: 'msg_elsewhere' }, ...input.slice(0, 1)];
  await refusedWith(turn(client, { model: 'chat/m-1', input: unknown }), 400, 'unsupported_parameter');
});

test('input items have pages in both directions', async () => {
  const client = harness.client();
  const input = Array.from({ length: 5 }, (_, at) => ({ role: 'user' as const, content: `Item ${at}` }));
  const { id } = await turn(client, { model: 'chat/m-1', input });
  for (const order of ['asc', 'desc'] as const) {
    const seen: string[] = [];
    for await (const item of client.responses.inputItems.list(id, { order, limit: 2 })) {
      assert.ok('id' in item && item.type === 'message');
      seen.push(JSON.stringify(item.content).replace(/.*(Item \d).*/, '$1'));
    }
    const all = input.map(({ content }) => content);
    assert.deepEqual(seen, order === 'asc' ? all : all.reverse());
  }
  for (const query of ['limit=0', 'limit=x', 'order=up', 'after=nobody'])
    assert.equal((await get(`/responses/${id}/input_items?${query}`)).status, 400, query);
});

test('a stored response can be read as a stream', async () => {
  const client = harness.client();
  harness.setScenario('parallel-tools');
  const first = await turn(client, { model: 'messages/m-1', input: FIRST, tools: [TOOL] });
  harness.setScenario('text');
  const replay = client.responses.stream({ response_id: first.id, starting_after: -1 });
  const again = await replay.finalResponse();
  assert.deepEqual(
    again.output.map((item) => item.id),
    first.output.map((item) => item.id),
  );
});

test('only background responses can be canceled', async () => {
  const client = harness.client();
  const first = await turn(client, { model: 'chat/m-1', input: FIRST });
  await refusedWith(client.responses.cancel(first.id), 400, 'invalid_request');
});

test('a background response is polled at the provider that generates it', async () => {
  const client = harness.client();
  const ask = { model: 'keeper/m-1', input: FIRST, background: true };
  const done = await turn(client, ask);
  assert.equal(done.status, 'queued');
  assert.equal((await client.responses.retrieve(done.id)).status, 'in_progress');
  assert.equal((await client.responses.retrieve(done.id)).status, 'completed');
  const asked = harness.upstream('keeper').requests.length;
  assert.equal((await client.responses.retrieve(done.id)).status, 'completed');
  assert.equal(harness.upstream('keeper').requests.length, asked, 'what is done is not asked after again');
  await refusedWith(harness.client(harness.keys.other).responses.retrieve(done.id), 404, 'not_found');
  // Nobody goes on from what is not said yet.
  const begun = await turn(client, ask);
  const more = { model: 'messages/m-1', input: SECOND, previous_response_id: begun.id };
  const before = harness.upstream('messages').requests.length;
  await refusedWith(turn(client, more), 400, 'invalid_request');
  assert.equal(harness.upstream('messages').requests.length, before);
  await turn(client, more);
  assertInOrder(askedText('messages'), [FIRST, 'Made in the background.', SECOND]);
  const unwanted = await turn(client, ask);
  assert.equal((await client.responses.cancel(unwanted.id)).status, 'cancelled');
  assert.equal((await client.responses.retrieve(unwanted.id)).status, 'cancelled');
  assert.equal(harness.upstream('keeper').requests.at(-1)?.path, `/v1/responses/${unwanted.id}/cancel`);
});

test('a background response whose stream was cut off can be retrieved', async () => {
  const begin = async () => {
    const told = await callHttp(`${harness.url}/responses`, {
      headers: { authorization: `Bearer ${harness.keys.own}` },
      body: { model: 'keeper/m-1', input: FIRST, background: true, stream: true },
    });
    assert.match(told.text, /upstream_stream_broken/);
    return /resp_bg\d+/.exec(told.text)?.[0] ?? assert.fail(told.text);
  };
  const { responses } = harness.client();
  const id = await begin();
  assert.equal((await responses.retrieve(id)).status, 'in_progress');
  assert.equal((await responses.retrieve(id)).status, 'completed');
  assert.equal((await responses.cancel(await begin())).status, 'cancelled');
});

test('background and conversations are rejected if no provider supports them', async () => {
  const client = harness.client();
  const ask = { model: 'messages/m-1', input: FIRST };
  await refusedWith(turn(client, { ...ask, background: true }), 400, 'unsupported_parameter');
  await refusedWith(turn(client, { ...ask, conversation: 'conv_1' }), 400, 'unsupported_parameter');
});

test('a WebSocket request is told immediately to use POST', async () => {
  for (const path of ['/responses', '/chat/completions', '/nothing']) {
    const { request } = await import('node:http');
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${harness.keys.own}`,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'x3JJHMbDL1EzLkh9GBhXDw==',
      };
      request(harness.url + path, { headers }, (res) => {
        let text = '';
        res.on('data', (chunk: Buffer) => {
          text += chunk;
        });
        res.on('end', () => resolve({ status: res.statusCode, text }));
      })
        .on('upgrade', () => reject(new Error('upgraded')))
        .on('error', reject)
        .end();
    });
    assert.equal(answer.status, 426);
    assert.equal(JSON.parse(answer.text).error.code, 'websocket_unsupported');
  }
});

function get(path: string): Promise<Response> {
  return fetch(harness.url + path, { headers: { authorization: `Bearer ${harness.keys.own}` } });
}

test('an organization can share its responses, or store none', async () => {
  const ask = { model: 'chat/m-1', input: FIRST };
  const shared = await turn(harness.client(harness.keys.sharer), ask);
  assert.equal((await harness.client(harness.keys.partner).responses.retrieve(shared.id)).id, shared.id);
  await refusedWith(harness.client(harness.keys.own).responses.retrieve(shared.id), 404, 'not_found');
  const client = harness.client(harness.keys.forgetful);
  const first = await turn(client, ask);
  assert.equal(Reflect.get(first, 'store'), false);
  await refusedWith(client.responses.retrieve(first.id), 404, 'not_found');
  const goOn = { ...ask, previous_response_id: first.id };
  await refusedWith(turn(client, goOn), 400, 'unsupported_parameter');
});

describe('on disk', () => {
  test('a response whose end was received is found after a crash, and its stored form is unreadable', async (t) => {
    const other = await startStoredResponsesGateway();
    t.after(() => other.close());
    const secret = 'the-quarterly-figures-are-bad';
    const client = other.client();
    const ask = { model: 'chat/m-1', input: secret };
    const seen = [await turn(client, ask), await turn(client, ask, true)];
    await other.crash();
    for (const { id } of seen) {
      assert.equal((await other.client().responses.retrieve(id)).id, id);
      await turn(other.client(), { model: 'messages/m-1', input: SECOND, previous_response_id: id });
      assert.ok(JSON.stringify(other.lastRequestBody('messages')).includes(secret));
    }
    for (const file of ['floe.db', 'floe.db-wal']) {
      const bytes = readFileSync(join(other.floe.dataDir, file));
      assert.ok(!bytes.includes(secret), `${file} holds the question in plain text`);
    }
  });

  test('PostgreSQL stores conversations too', async (t) => {
    const way = await startTcpProxy(await createTestDatabase(t));
    t.after(() => way.close());
    const env = { FLOE_DATABASE_URL: way.url, FLOE_SECRET_KEY: 'k'.repeat(40) };
    const other = await startStoredResponsesGateway(env);
    t.after(() => other.close());
    const client = other.client();
    const first = await turn(client, { model: 'chat/m-1', input: FIRST }, true);
    const second = await turn(client, { model: 'gemini/m-1', input: SECOND, previous_response_id: first.id });
    await turn(client, { model: 'messages/m-1', input: 'Third?', previous_response_id: second.id });
    assertInOrder(JSON.stringify(other.lastRequestBody('messages')), [
      FIRST,
      said('chat'),
      SECOND,
      said('gemini'),
      'Third?',
    ]);
    await refusedWith(other.client(other.keys.other).responses.retrieve(first.id), 404, 'not_found');
    await client.responses.delete(first.id);
    await refusedWith(client.responses.retrieve(first.id), 404, 'not_found');

    // While the store is away answers still end, and what refers to a stored turn is told to come again.
    way.cut();
    const lost = await turn(client, { model: 'chat/m-1', input: FIRST }, true);
    assert.equal(lost.status, 'completed');
    const away = turn(client, { model: 'chat/m-1', input: SECOND, previous_response_id: second.id });
    await assert.rejects(away, (error) => error instanceof APIError && error.status === 503);
    way.restore();
    await eventually(async () => {
      const next = await turn(client, { model: 'chat/m-1', input: FIRST });
      return client.responses.retrieve(next.id);
    });
  });
});
