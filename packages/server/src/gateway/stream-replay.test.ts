// `rescue: replay`: a stream that broke after content is generated again, and the client sees one answer or an error.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createCutResponseFault, createStalledResponseFault } from '@floe/testkit/connection-faults';
import { eventually } from '@floe/testkit/eventually';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import {
  type FakeClockGateway,
  type FakeClockSurface,
  startFakeClockGateway,
} from './test/fake-clock-gateway.ts';

const TURN = [{ role: 'user', content: 'hello' }];
const TOOLS = [{ type: 'function', function: { name: 'measure', parameters: { type: 'object' } } }];
const BODIES = {
  chat: { messages: TURN, tools: TOOLS },
  responses: {
    input: TURN,
    store: false,
    tools: [{ type: 'function', name: 'measure', parameters: { type: 'object' }, strict: false }],
  },
  messages: {
    messages: TURN,
    max_tokens: 99,
    tools: [{ name: 'measure', input_schema: { type: 'object' } }],
  },
} as const;
const SURFACES = ['chat', 'responses', 'messages'] as const;

interface Script {
  readonly text?: string;
  readonly reasoning?: string;
  /** Argument JSON of a call, and the id this generation gives it. */
  readonly args?: string;
  readonly call?: string;
}

/** A Chat stream that says this in small pieces. */
function stream({ text = '', reasoning = '', args = '', call = 'call_1' }: Script): UpstreamReply {
  const chunk = (delta: object, finish: string | null = null, usage?: object) => ({
    id: 'c-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: usage ?? { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
  });
  const pieces = (whole: string, size: number) => whole.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
  const head = { index: 0, id: call, type: 'function', function: { name: 'measure', arguments: '' } };
  return createSseReply([
    chunk({ role: 'assistant', content: '' }),
    ...pieces(reasoning, 4).map((reasoning_content) => chunk({ reasoning_content })),
    ...pieces(text, 3).map((content) => chunk({ content })),
    ...(args === '' ? [] : [chunk({ tool_calls: [head] })]),
    ...pieces(args, 5).map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    chunk({}, args === '' ? 'stop' : 'tool_calls', TOTAL),
    'data: [DONE]\n\n',
  ]);
}

/** An idle timeout that no other timer has. */
const IDLE_MS = 700_000;
const LONG_TIMEOUTS = {
  connect_ms: 900_000,
  headers_ms: 900_000,
  first_token_ms: 900_000,
  idle_ms: IDLE_MS,
};
/** Five frames of three bytes had come when it broke: more than the one token that was counted by then. */
const DELIVERED = 4;
const TOTAL = { prompt_tokens: 7, completion_tokens: 30, total_tokens: 37 };

interface Played extends FakeClockGateway {
  /** Cuts the first answer after so many events and asks. */
  broken(surface: FakeClockSurface, afterFrame: number, more?: JsonObject): Promise<HttpCallResponse>;
}

async function start(t: TestContext, first: Script, second: Script, route: JsonObject = {}): Promise<Played> {
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => stream(first), b: () => stream(second) },
    routes: [{ model: 'smart', targets: ['a/m', 'b/m'], retries: 0, rescue: 'replay', ...route }],
    providers: { a: { breaker: { enabled: false } } },
  });
  t.after(() => gateway.close());
  return {
    ...gateway,
    async broken(surface, afterFrame, more = {}) {
      await gateway
        .upstream('a')
        .setFaults(createCutResponseFault({ by: 'fin', framing: 'chunked', afterFrame }));
      return gateway.settled(
        gateway.send(surface, { model: 'smart', stream: true, ...BODIES[surface], ...more }),
      );
    },
  };
}

/** Everything of one kind that a stream says, joined. */
function said(
  surface: FakeClockSurface,
  answer: HttpCallResponse,
): { text: string; args: string; calls: Set<string> } {
  const calls = new Set<string>();
  let text = '';
  let args = '';
  for (const { data } of answer.frames()) {
    if (data === '' || data === '[DONE]') continue;
    const event = JSON.parse(data);
    if (surface === 'chat') {
      const delta = event.choices?.[0]?.delta ?? {};
      text += delta.content ?? '';
      args += delta.tool_calls?.[0]?.function?.arguments ?? '';
      if (delta.tool_calls?.[0]?.id) calls.add(delta.tool_calls[0].id);
    } else if (surface === 'messages') {
      text += event.delta?.text ?? '';
      args += event.delta?.partial_json ?? '';
      if (event.content_block?.type === 'tool_use') calls.add(event.content_block.id);
    } else {
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (event.type === 'response.function_call_arguments.delta') args += event.delta;
      if (event.item?.call_id) calls.add(event.item.call_id);
    }
  }
  return { text, args, calls };
}

const FINISHED = /\[DONE\]|message_stop|response\.completed/;
const SCRIPT = { text: 'The ice is thick enough.', args: '{"site":"north","depth":2.5}' } as const;

test('for a cut at any position, the client receives the response completely and once', async (t) => {
  const gateway = await start(t, { ...SCRIPT, call: 'call_a' }, { ...SCRIPT, call: 'call_b' });
  const events = stream(SCRIPT).body?.toString().split('\n\n').length ?? 0;
  for (let cut = 1; cut < events - 3; cut += 1) {
    const surface = SURFACES[cut % SURFACES.length] ?? 'chat';
    const answer = await gateway.broken(surface, cut);
    const { text, args, calls } = said(surface, answer);
    assert.deepEqual([text, args, calls.size], [SCRIPT.text, SCRIPT.args, 1], `${surface} cut after ${cut}`);
    assert.match(answer.text, FINISHED);
    assert.equal(gateway.rows.at(-1)?.state, 'complete');
  }
});

test('at the first difference, the stream ends with the typed error, and shows nothing of the second response', async (t) => {
  for (const [first, second] of [
    [{ text: 'The ice is thick.' }, { text: 'The ice is thin.' }],
    [{ text: 'The ice is thick.' }, { text: 'The ic' }],
    [
      { text: 'The ice.', args: '{"site":"north"}' },
      { text: 'The ice. And more.', args: '{"site":"north"}' },
    ],
    [SCRIPT, { ...SCRIPT, args: '{"site":"south","depth":2.5}' }],
  ] as const) {
    const gateway = await start(t, first, second);
    const whole = stream(first).body?.toString().split('\n\n').length ?? 0;
    for (const surface of SURFACES) {
      const answer = await gateway.broken(surface, whole - 4);
      const { text, args } = said(surface, answer);
      assert.ok((first.text ?? '').startsWith(text), text);
      assert.ok(('args' in first ? first.args : '').startsWith(args), args);
      assert.doesNotMatch(answer.text, FINISHED);
      assert.match(answer.text, surface === 'messages' ? /"type":"error"/ : /upstream_stream_broken/);
      const row = gateway.rows.at(-1);
      assert.deepEqual([row?.state, row?.error_code], ['partial', 'upstream_stream_broken']);
    }
  }
});

test('a stream has the same model name with and without replay: the model that responds', async (t) => {
  for (const isAway of [false, true])
    for (const surface of SURFACES) {
      const named = async (rescue: object) => {
        const gateway = await startFakeClockGateway({
          upstreams: {
            a: () => (isAway ? createJsonReply({}, 503) : stream(SCRIPT)),
            b: () => stream(SCRIPT),
          },
          routes: [{ model: 'smart', targets: ['a/m', 'b/m'], retries: 0, ...rescue }],
        });
        t.after(() => gateway.close());
        const body = { model: 'smart', stream: true, ...BODIES[surface] };
        const answer = await gateway.settled(gateway.send(surface, body));
        return [...new Set(Array.from(answer.text.matchAll(/"model":"([^"]*)"/g), ([, model]) => model))];
      };
      const usual = await named({});
      assert.deepEqual(await named({ rescue: 'replay' }), usual, `${surface}, ${isAway}`);
      assert.deepEqual(usual, [surface === 'chat' ? 'm' : 'smart'], surface);
    }
});

test('the tokens of both attempts are in the row, as a sum and separately', async (t) => {
  const gateway = await start(t, SCRIPT, SCRIPT);
  await gateway.broken('chat', 6);
  const row = gateway.rows.at(-1);
  assert.deepEqual([row?.input_tokens, row?.output_tokens], [14, 30 + DELIVERED]);
  const attempts: { usage: object; error: string | null }[] = JSON.parse(row?.attempts_json ?? '[]');
  assert.deepEqual(
    attempts.map(({ usage, error }) => [usage, error]),
    [
      [{ input: 7, output: DELIVERED }, 'upstream_stream_broken'],
      [{ input: 7, output: 30 }, null],
    ],
  );
});

test('hidden reasoning may differ in the second response, but visible reasoning may not', async (t) => {
  const first = { reasoning: 'First I look north.', text: 'The ice is thick.' };
  const second = { reasoning: 'First I look south.', text: 'The ice is thick.' };
  const gateway = await start(t, first, second);
  const hidden = await gateway.broken('chat', 8);
  assert.equal(said('chat', hidden).text, first.text);
  assert.match(hidden.text, FINISHED);
  const shown = await gateway.broken('messages', 8);
  assert.doesNotMatch(shown.text, FINISHED);
  assert.doesNotMatch(shown.text, /south/);
});

test('the same target is retried if the route allows it, and a second break does not end the replay', async (t) => {
  const gateway = await start(t, SCRIPT, SCRIPT, { retries: 1 });
  const answer = await gateway.broken('chat', 5);
  assert.equal(said('chat', answer).text, SCRIPT.text);
  assert.deepEqual([gateway.upstream('a').requests.length, gateway.upstream('b').requests.length], [2, 1]);
});

test('responses that cannot be replayed are not generated again, and the row has the reason', async (t) => {
  const gateway = await start(t, SCRIPT, SCRIPT);
  for (const more of [{ logprobs: true }, { n: 2 }]) {
    const answer = await gateway.broken('chat', 5, more);
    assert.match(answer.text, /upstream_stream_broken/);
    assert.match(gateway.rows.at(-1)?.decisions_json ?? '', /no_replay/);
    assert.equal(gateway.upstream('b').requests.length, 0);
  }
});

test('if the client disconnects after the finish of a shorter second response, the exchange ends', async (t) => {
  for (const surface of SURFACES) {
    const gateway = await startFakeClockGateway({
      upstreams: {
        a: () => stream({ text: 'The ice is thick.' }),
        b: () => ({ ...stream({ text: 'The ice' }), chunking: 'whole' }),
      },
      routes: [{ model: 'smart', targets: ['a/m', 'b/m'], retries: 0, rescue: 'replay' }],
      providers: { b: { timeouts: LONG_TIMEOUTS } },
    });
    t.after(() => gateway.close());
    const cut = createCutResponseFault({ by: 'fin', framing: 'chunked', afterFrame: 6 });
    await gateway.upstream('a').setFaults(cut);
    // Everything but `data: [DONE]`.
    await gateway.upstream('b').setFaults(createStalledResponseFault({ afterFrame: 5 }));
    const leaving = new AbortController();
    const body = { model: 'smart', stream: true, ...BODIES[surface] };
    const left = gateway.send(surface, body, { signal: leaving.signal });
    // The idle deadline starts when Floe has read the stalled response.
    await eventually(() => (gateway.clock.pending().includes(IDLE_MS) ? true : undefined));
    leaving.abort();
    await left;
    const row = await eventually(() => gateway.rows.at(-1));
    assert.equal(row.state, 'aborted', surface);
  }
});
