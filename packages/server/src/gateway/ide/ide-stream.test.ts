import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { findInjectedFault } from '@floe/testkit/fault-table';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { chatReply } from '../test/chat-replies.ts';
import { type FakeClockGateway, startFakeClockGateway } from '../test/fake-clock-gateway.ts';

const ASK = { model: 'a/m', input: [{ role: 'user', content: 'hello' }] };

interface Setting {
  readonly a?: (isStream: boolean) => UpstreamReply;
  readonly dialects?: readonly string[];
  readonly org?: JsonObject;
  readonly targets?: readonly string[];
  readonly headersMs?: number;
}

async function start(
  t: TestContext,
  { a, dialects, org, targets, headersMs }: Setting,
): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: { a: a ?? (() => ({})), b: (isStream) => chatReply('from b', isStream) },
    providers: {
      a: {
        ...(dialects && { dialects }),
        ...(headersMs && { timeouts: { connect_ms: 900_000, headers_ms: headersMs } }),
      },
    },
    routes: [
      { model: 'a/m', targets: targets ?? ['a/m'], retries: 0 },
      { model: 'smart', targets: ['b/m'] },
    ],
    ...(org && { org }),
  });
  t.after(() => gateway.close());
  return gateway;
}

interface Reading {
  readonly answer: Promise<HttpCallResponse>;
  /** What has come so far. */
  readonly text: () => string;
}

function read(gateway: FakeClockGateway, body: JsonObject): Reading {
  let seen = '';
  const onPiece = (piece: Buffer) => {
    seen += piece.toString('utf8');
  };
  return { answer: gateway.send('ide', { ...body, stream: true }, { onChunk: onPiece }), text: () => seen };
}

/** Lets everything happen that needs no time to pass. */
async function until(gateway: FakeClockGateway, condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns += 1) {
    assert.ok(turns < 5_000, 'it never came');
    await gateway.clock.advanceAsync(0);
  }
}

const ROLE =
  /^data: \{"id":"chatcmpl-[^"]+","object":"chat\.completion\.chunk","created":\d+,"model":"a\/m","choices":\[\{"index":0,"delta":\{"role":"assistant"/;
const event = (type: string, more: object) => ({ type, ...more });
const created = event('response.created', {
  response: { id: 'resp_1', model: 'm', status: 'in_progress', output: [] },
});

describe('an IDE stream receives data regularly', () => {
  test("the role chunk is sent when the provider's response starts, before its first content", async (t) => {
    const gateway = await start(t, {
      dialects: ['responses'],
      a: () => ({
        ...createSseReply([
          created,
          event('response.output_text.delta', {
            item_id: 'msg_1',
            output_index: 0,
            content_index: 0,
            delta: 'late',
          }),
          event('response.completed', { response: { id: 'resp_1', status: 'completed', output: [] } }),
        ]),
        chunking: 'frames',
        framing: 'chunked',
        isPaced: true,
      }),
    });
    const { answer, text } = read(gateway, { ...ASK, future_member: 1 });
    const { gate } = gateway.upstream('a');
    gate.release();
    await until(gateway, () => text() !== '');
    assert.match(text(), ROLE);
    assert.doesNotMatch(text(), /late/);
    gate.release(9);
    const whole = await gateway.settled(answer, 0);
    assert.equal(whole.text.match(/"role":"assistant"/g)?.length, 1);
    assert.match(whole.text, /"content":"late"/);
    assert.equal(whole.headers['x-floe-dropped'], 'future_member');
    assert.match(whole.text, /data: \[DONE\]\n\n$/);
  });

  test('a silent provider is covered by the role chunk and a comment at least every 15 seconds, and failover is possible', async (t) => {
    const gateway = await start(t, { targets: ['a/m', 'b/m'], headersMs: 50_000 });
    await gateway.upstream('a').setFaults(findInjectedFault('accept-and-silence'));
    const { answer, text } = read(gateway, ASK);
    await gateway.settled(gateway.upstream('a').waitForRequests(1), 0);
    await gateway.advance(8_000);
    await until(gateway, () => text().includes(': keepalive'));
    assert.match(text(), ROLE);
    await gateway.advance(43_000);
    const whole = await gateway.settled(answer, 0);
    assert.ok((whole.text.match(/^: keepalive$/gm)?.length ?? 0) >= 3, whole.text);
    assert.equal(whole.text.match(/"role":"assistant"/g)?.length, 1);
    assert.match(whole.text, /from /);
    assert.equal(new Set(whole.text.match(/"created":\d+/g)).size, 1);
    assert.match(whole.text, /data: \[DONE\]\n\n$/);
    assert.deepEqual(
      [gateway.rows[0]?.state, gateway.rows[0]?.provider, gateway.rows[0]?.route_mode],
      ['complete', 'b', 'ide'],
    );
  });

  test('a pause in the middle of a response is covered too', async (t) => {
    const gateway = await start(t, {
      a: () => ({
        ...chatReply('in two halves', true),
        chunking: 'frames',
        framing: 'chunked',
        isPaced: true,
      }),
    });
    const { answer, text } = read(gateway, ASK);
    const { gate } = gateway.upstream('a');
    gate.release(2);
    await until(gateway, () => text().includes('"content":"'));
    await gateway.advance(60_000);
    await until(gateway, () => (text().match(/^: keepalive$/gm)?.length ?? 0) >= 4);
    gate.release(99);
    const whole = await gateway.settled(answer, 0);
    assert.match(whole.text, /"finish_reason":"stop"[\s\S]*data: \[DONE\]\n\n$/);
  });

  test('a failure after the role chunk is sent in the stream, which does not look finished', async (t) => {
    const gateway = await start(t, { headersMs: 20_000 });
    await gateway.upstream('a').setFaults(findInjectedFault('accept-and-silence'));
    const { answer } = read(gateway, ASK);
    await gateway.settled(gateway.upstream('a').waitForRequests(1), 0);
    await gateway.advance(21_000);
    const whole = await gateway.settled(answer, 0);
    assert.equal(whole.status, 200);
    assert.match(
      whole.text,
      /data: \{"error":\{"message":"a did not respond in time[^}]*"code":"upstream_unavailable"/,
    );
    assert.doesNotMatch(whole.text, /DONE|finish_reason":"/);
    assert.deepEqual([gateway.rows[0]?.state, gateway.rows[0]?.error_code], ['failed', 'upstream_timeout']);
  });

  test('a failure before the role chunk is an HTTP error', async (t) => {
    const failed = event('response.failed', {
      response: { status: 'failed', error: { code: 'server_error', message: 'No luck.' } },
    });
    const gateway = await start(t, {
      dialects: ['responses'],
      a: () => ({ ...createSseReply([created, failed]), chunking: 'whole' }),
    });
    const answer = await gateway.settled(read(gateway, ASK).answer, 0);
    assert.equal(answer.status, 400);
    assert.match(answer.text, /No luck/);
  });
});

interface Case {
  readonly upstream: UpstreamReply;
  readonly on: readonly [status: number, code: string];
  readonly off: readonly [status: number, code: string];
}

const said = (status: number, type: string, code: string | null = null): UpstreamReply =>
  createJsonReply({ error: { message: `It said ${type}.`, type, code } }, status);
const CASES: Readonly<Record<string, Case>> = {
  'rate limit': {
    upstream: {
      ...said(429, 'rate_limit_error'),
      headers: { 'content-type': 'application/json', 'retry-after': '60' },
    },
    on: [400, 'rate_limit_exceeded'],
    off: [429, 'upstream_rate_limited'],
  },
  overload: {
    upstream: said(529, 'overloaded_error'),
    on: [400, 'upstream_unavailable'],
    off: [502, 'upstream_error'],
  },
  'server error': {
    upstream: said(500, 'server_error'),
    on: [400, 'upstream_unavailable'],
    off: [502, 'upstream_error'],
  },
  'bad credential': {
    upstream: said(401, 'invalid_request_error', 'invalid_api_key'),
    on: [400, 'upstream_unavailable'],
    off: [502, 'upstream_auth_failed'],
  },
  'untranslatable answer': {
    upstream: createJsonReply({
      choices: [{ index: 0, message: { audio: { data: 'AAAA' } }, finish_reason: 'stop' }],
    }),
    on: [400, 'unsupported_response'],
    off: [502, 'unsupported_response'],
  },
  'bad request': {
    upstream: said(400, 'invalid_request_error'),
    on: [400, 'invalid_request'],
    off: [400, 'invalid_request'],
  },
  'unprocessable request': {
    upstream: said(422, 'invalid_request_error'),
    on: [400, 'invalid_request'],
    off: [422, 'invalid_request'],
  },
  'too long': {
    upstream: said(400, 'invalid_request_error', 'context_length_exceeded'),
    on: [400, 'context_length_exceeded'],
    off: [400, 'context_length_exceeded'],
  },
};

describe('the error profile', () => {
  for (const [name, { upstream, on, off }] of Object.entries(CASES))
    test(`${name}: ${on.join(' ')} with it, ${off.join(' ')} without`, async (t) => {
      for (const isOn of [true, false])
        for (const stream of [true, false]) {
          const gateway = await start(t, { a: () => upstream, org: { ide: { error_profile: isOn } } });
          const answer = await gateway.settled(gateway.send('ide', { ...ASK, stream }), 0);
          const body = Object(Object(answer.json()).error);
          assert.deepEqual([answer.status, body.code], isOn ? on : off, answer.text);
          if (isOn) assert.doesNotMatch(String(body.message), /overloaded_error/);
          if (isOn && on[1] !== off[1]) {
            assert.equal(answer.headers['x-floe-error-source'], 'upstream');
            assert.equal(answer.headers['x-floe-upstream-status'], String(upstream.status));
            assert.equal(body.type, 'invalid_request_error');
          }
          assert.equal(gateway.rows.at(-1)?.status, answer.status);
        }
    });

  test('keeps the retry-after of a rate limit', async (t) => {
    const gateway = await start(t, { a: () => CASES['rate limit']?.upstream ?? {} });
    const answer = await gateway.settled(gateway.send('ide', ASK), 0);
    assert.equal(answer.headers['retry-after'], '60');
  });

  test('keeps a 429 of Floe', async (t) => {
    const gateway = await start(t, {
      a: (isStream) => chatReply('hi', isStream),
      org: { limits: [{ name: 'few', scope: 'org', rpm: 1 }] },
    });
    const statuses: number[] = [];
    for (let at = 0; at < 2; at += 1)
      statuses.push((await gateway.settled(gateway.send('ide', ASK), 0)).status);
    assert.deepEqual(statuses, [200, 429]);
  });
});

describe('freeform tools', () => {
  const patch = '*** Begin\n+"é \\ \u2028"';
  const call = (isStream: boolean): UpstreamReply => {
    const item = {
      id: 'ctc_1',
      type: 'custom_tool_call',
      call_id: 'call_1',
      name: 'ApplyPatch',
      input: patch,
      status: 'completed',
    };
    const response = { id: 'resp_1', status: 'completed', model: 'm', output: [item] };
    if (!isStream) return createJsonReply(response);
    return createSseReply([
      created,
      event('response.output_item.added', {
        output_index: 0,
        item: { ...item, input: '', status: 'in_progress' },
      }),
      ...[...patch].map((delta) =>
        event('response.custom_tool_call_input.delta', { item_id: 'ctc_1', output_index: 0, delta }),
      ),
      event('response.output_item.done', { output_index: 0, item }),
      event('response.completed', { response }),
    ]);
  };
  const wrapped = (isStream: boolean): UpstreamReply => {
    const calls = [
      {
        index: 0,
        id: 'call_1',
        type: 'function',
        function: { name: 'ApplyPatch', arguments: JSON.stringify({ input: patch }) },
      },
    ];
    const choice = (more: object) => ({
      id: 'c',
      object: 'x',
      created: 1,
      model: 'm',
      choices: [{ index: 0, ...more }],
    });
    if (!isStream)
      return createJsonReply(
        choice({
          message: { role: 'assistant', content: null, tool_calls: calls },
          finish_reason: 'tool_calls',
        }),
      );
    return createSseReply([
      choice({ delta: { role: 'assistant', tool_calls: calls }, finish_reason: null }),
      choice({ delta: {}, finish_reason: 'tool_calls' }),
      'data: [DONE]\n\n',
    ]);
  };
  const tools = [
    { type: 'custom', name: 'ApplyPatch', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
  ];

  for (const [dialect, reply] of Object.entries({ responses: call, chat: wrapped }))
    for (const form of ['function', 'custom'] as const)
      test(`over ${dialect} are returned as ${form} calls with the raw text`, async (t) => {
        const gateway = await start(t, {
          dialects: [dialect],
          a: reply,
          org: { ide: { freeform_tools: form } },
        });
        for (const stream of [true, false]) {
          const answer = await gateway.settled(gateway.send('ide', { ...ASK, tools, stream }), 0);
          assert.equal(answer.status, 200, answer.text);
          const seen = stream ? callIn(answer) : Object(answer.json()).choices[0].message.tool_calls[0];
          const inner =
            form === 'function'
              ? { name: 'ApplyPatch', arguments: patch }
              : { name: 'ApplyPatch', input: patch };
          assert.deepEqual(seen, { id: 'call_1', type: form, [form]: inner });
          assert.match(answer.text, /"finish_reason":"tool_calls"/);
        }
      });
});

/** The one call of a stream, its pieces put together. */
function callIn(answer: HttpCallResponse): unknown {
  const whole: Record<string, unknown> = {};
  let text = '';
  let inner: Record<string, unknown> = {};
  for (const { data } of answer.frames()) {
    const [piece] = data === '[DONE]' ? [] : (JSON.parse(data).choices[0]?.delta.tool_calls ?? []);
    if (!piece) continue;
    const { index, ...rest } = piece;
    assert.equal(index, 0);
    const form = 'custom' in rest ? 'custom' : 'function';
    const { input = '', arguments: json = '', ...names } = rest[form];
    text += input + json;
    inner = { ...inner, ...names };
    Object.assign(whole, rest, { [form]: { ...inner, [form === 'custom' ? 'input' : 'arguments']: text } });
  }
  return whole;
}

test('the shape of bodies is stored in the row only if the organization enables it, also for rejected bodies', async (t) => {
  for (const capture of [true, false]) {
    const gateway = await start(t, { a: (isStream) => chatReply('hi', isStream), org: { ide: { capture } } });
    await gateway.settled(gateway.send('ide', { ...ASK, metadata: { note: 'Tr0ub4dor' } }), 0);
    await gateway.settled(gateway.send('ide', { ...ASK, input: 7 }), 0);
    const kept = gateway.rows.map(({ decisions_json }) => decisions_json);
    assert.equal(kept.length, 2);
    for (const decisions of kept) {
      assert.equal(/body_shape/.test(decisions), capture);
      assert.doesNotMatch(decisions, /Tr0ub4dor|hello/);
    }
  }
});

test('neither an alias nor the end of a model id is accepted', async (t) => {
  const gateway = await start(t, { a: (isStream) => chatReply('hi', isStream) });
  for (const model of ['smart', 'gpt-3.5-turbo', 'nobody/m']) {
    const answer = await gateway.settled(gateway.send('ide', { ...ASK, model }), 0);
    assert.equal(answer.status, 404);
    assert.match(answer.text, /"code":"model_not_found"/);
  }
  const answer = await gateway.settled(gateway.send('ide', { ...ASK, model: 'b/m-thinking:high' }), 0);
  assert.equal(answer.status, 200);
  assert.match(
    gateway.upstream('b').requests.at(-1)?.body.toString('utf8') ?? '',
    /"model":"m-thinking:high"/,
  );
});

test('equal requests are answered from the cache in any notation, with and without streaming', async (t) => {
  const gateway = await start(t, {
    a: (isStream) => chatReply('kept words', isStream),
    org: { cache: { enabled: true } },
  });
  const spellings: readonly JsonObject[] = [
    ASK,
    { model: 'a/m', messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] },
    { model: 'a/m', input: 'hello', stream: true, stream_options: { include_usage: true } },
    { model: 'a/m', input: 'hello', stream: true },
  ];
  const outcomes: unknown[] = [];
  for (const spelling of spellings) {
    const answer = await gateway.settled(gateway.send('ide', spelling), 0);
    outcomes.push(answer.headers['x-floe-cache']);
    assert.equal(
      /"usage":\{/.test(answer.text),
      spelling['stream_options'] !== undefined || !spelling['stream'],
    );
    assert.doesNotMatch(answer.text, /"service_tier"|"provider"/);
  }
  assert.deepEqual(outcomes, ['miss', 'hit', 'hit', 'hit']);
  assert.equal(gateway.upstream('a').requests.length, 1);
});

test('a conversation id in the metadata keeps the conversation on its target', async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { a: (isStream) => chatReply('hi', isStream), b: (isStream) => chatReply('hi', isStream) },
    routes: [{ model: 'a/m', strategy: 'weighted', targets: ['a/m', 'b/m'] }],
    random: spread(),
  });
  t.after(() => gateway.close());
  const metadata = { ideConversationId: 'conversation-1' };
  for (let turn = 0; turn < 6; turn += 1) await gateway.settled(gateway.send('ide', { ...ASK, metadata }), 0);
  assert.equal(new Set(gateway.rows.map(({ provider }) => provider)).size, 1);
  for (let turn = 0; turn < 6; turn += 1) await gateway.settled(gateway.send('ide', ASK), 0);
  assert.equal(new Set(gateway.rows.slice(6).map(({ provider }) => provider)).size, 2);
});

/** Numbers that come down everywhere between 0 and 1, the same in every run. */
function spread(): () => number {
  let turn = 0;
  return () => {
    turn += 1;
    return (turn * 0.618) % 1;
  };
}
