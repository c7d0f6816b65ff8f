// Numbers JavaScript would write differently, through the real server: requests and answers, stored, cached, redacted, kept.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { isStreamingRequest } from '@floe/testkit/api-surface';
import { eventually } from '@floe/testkit/eventually';
import { assertContainsNumber, EXACT_NUMBERS } from '@floe/testkit/exact-numbers';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';

const KEYS = { plain: `eis_plain${'0'.repeat(32)}`, guarded: `eis_guarded${'0'.repeat(32)}` } as const;
const KINDS = {
  chat: { kind: 'openai-compatible' },
  responses: { kind: 'openai-compatible', dialects: ['responses'] },
  messages: { kind: 'anthropic-compatible' },
  gemini: { kind: 'gemini' },
} as const;
type Dialect = keyof typeof KINDS;
const DIALECTS: readonly Dialect[] = ['chat', 'responses', 'messages', 'gemini'];
const ALL = `[${EXACT_NUMBERS.join(',')}]`;
const ARGUMENTS = `{"n":${ALL}}`;
const QUOTED = JSON.stringify(ARGUMENTS);
const SCHEMA = `{"type":"object","properties":{"n":{"type":"array","enum":[${ALL}]}}}`;
const MAIL = 'ada@example.org';

/** The same conversation in every dialect clients speak, with the numbers in arguments, result and schema. */
const ASKS: Readonly<
  Record<'chat' | 'responses' | 'messages' | 'ide', (model: string, rest: string) => string>
> = {
  chat: (model, rest) =>
    `{"model":"${model}","messages":[{"role":"user","content":"${MAIL}"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${QUOTED}}}]},{"role":"tool","tool_call_id":"c1","content":${QUOTED}}],"tools":[{"type":"function","function":{"name":"f","parameters":${SCHEMA}}}]${rest}}`,
  ide: (model, rest) =>
    `{"model":"${model}","input":[{"role":"user","content":"${MAIL}"},{"type":"function_call","call_id":"c1","name":"f","arguments":${ARGUMENTS}},{"type":"function_call_output","call_id":"c1","output":${QUOTED}}],"tools":[{"type":"function","name":"f","parameters":${SCHEMA}}]${rest}}`,
  responses: (model, rest) =>
    `{"model":"${model}","input":[{"role":"user","content":"${MAIL}"},{"type":"function_call","call_id":"c1","name":"f","arguments":${QUOTED}},{"type":"function_call_output","call_id":"c1","output":${QUOTED}}],"tools":[{"type":"function","name":"f","parameters":${SCHEMA},"strict":false}]${rest}}`,
  messages: (model, rest) =>
    `{"model":"${model}","max_tokens":99,"messages":[{"role":"user","content":"${MAIL}"},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${ARGUMENTS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":${QUOTED}}]}],"tools":[{"name":"f","input_schema":${SCHEMA}}]${rest}}`,
};
const PATHS = {
  chat: '/gateway/v1/chat/completions',
  responses: '/gateway/v1/responses',
  messages: '/gateway/v1/messages',
  ide: '/gateway/ide-adapter/chat/completions',
} as const;
type Surface = keyof typeof PATHS;
const SURFACES: readonly Surface[] = ['chat', 'responses', 'messages', 'ide'];

/** A call with the numbers in its arguments, whole and streamed, as each provider says it. */
const ANSWERS: Readonly<Record<Dialect, { readonly whole: string; readonly stream: readonly string[] }>> = {
  chat: {
    whole: `{"id":"a","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"${MAIL}","tool_calls":[{"id":"c2","type":"function","function":{"name":"f","arguments":${QUOTED}}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
    stream: [
      `{"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c2","type":"function","function":{"name":"f","arguments":${QUOTED}}}]}}]}`,
      `{"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
      '[DONE]',
    ],
  },
  responses: {
    whole: `{"id":"resp_a","object":"response","created_at":1,"status":"completed","model":"m","output":[{"type":"function_call","id":"fc_1","call_id":"c2","name":"f","arguments":${QUOTED},"status":"completed"}],"tools":[{"type":"function","name":"f","parameters":${SCHEMA}}],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}`,
    stream: [
      `{"type":"response.created","sequence_number":0,"response":{"id":"resp_a","object":"response","status":"in_progress","output":[]}}`,
      `{"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c2","name":"f","arguments":""}}`,
      `{"type":"response.output_item.done","sequence_number":2,"output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"c2","name":"f","arguments":${QUOTED},"status":"completed"}}`,
      `{"type":"response.completed","sequence_number":3,"response":{"id":"resp_a","object":"response","created_at":1,"status":"completed","model":"m","output":[{"type":"function_call","id":"fc_1","call_id":"c2","name":"f","arguments":${QUOTED},"status":"completed"}],"tools":[{"type":"function","name":"f","parameters":${SCHEMA}}]}}`,
    ],
  },
  messages: {
    whole: `{"id":"msg_a","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"${MAIL}"},{"type":"tool_use","id":"c2","name":"f","input":${ARGUMENTS}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`,
    stream: [
      `{"type":"message_start","message":{"id":"msg_a","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}`,
      `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c2","name":"f","input":${ARGUMENTS}}}`,
      `{"type":"content_block_stop","index":0}`,
      `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":1}}`,
      `{"type":"message_stop"}`,
    ],
  },
  gemini: {
    whole: `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c2","name":"f","args":${ARGUMENTS}}}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`,
    stream: [
      `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"c2","name":"f","args":${ARGUMENTS}}}]},"finishReason":"STOP","index":0}]}`,
    ],
  },
};

let floe: FloeProcess;
const upstreams = new Map<Dialect, FakeUpstream>();

before(async () => {
  for (const dialect of DIALECTS)
    upstreams.set(
      dialect,
      await startFakeUpstream({ respond: ({ path, body }) => replyOf(dialect, path, body) }),
    );
  const providers = DIALECTS.map((id) => ({
    id,
    ...KINDS[id],
    base_url: `${upstreams.get(id)?.url}/v1`,
    api_key: 'secret',
    models: ['m'],
  }));
  const org = (name: keyof typeof KEYS, more: JsonObject) => ({
    id: name,
    keys: [{ name, key: KEYS[name], scopes: ['gateway', 'management', 'read'] }],
    providers,
    routes: [{ model: '*', retries: 0 }],
    ...more,
  });
  const redact = { detect: { pii: ['email'] }, action: 'redact', mode: 'enforce' };
  const orgs = [
    org('plain', { cache: { enabled: true } }),
    org('guarded', {
      bodies: { keep: true },
      policies: [
        { name: 'in', on: 'request', ...redact },
        { name: 'out', on: 'answer', ...redact },
      ],
    }),
  ];
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs }) });
});
after(async () => {
  await floe.stop();
  for (const upstream of upstreams.values()) await upstream.close();
});

function replyOf(dialect: Dialect, path: string, body: Buffer): UpstreamReply {
  const { whole, stream } = ANSWERS[dialect];
  if (!isStreamingRequest(path, JSON.parse(body.toString('utf8'))))
    return { headers: { 'content-type': 'application/json' }, body: whole };
  const frames = stream.map((data) => {
    const type = /^\{"type":"([a-z_.]+)"/.exec(data)?.[1];
    return dialect === 'messages' && type ? `event: ${type}\ndata: ${data}\n\n` : `data: ${data}\n\n`;
  });
  return { headers: { 'content-type': 'text/event-stream' }, body: frames.join('') };
}

function ask(
  surface: Surface,
  dialect: Dialect,
  rest = '',
  key: string = KEYS.plain,
): Promise<HttpCallResponse> {
  return callHttp(floe.url + PATHS[surface], {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: ASKS[surface](`${dialect}/m`, rest),
  });
}

function holdsAll(text: string, where: string, places = 1): void {
  for (const number of EXACT_NUMBERS) assertContainsNumber(text, number, where, places);
}

/** Arguments, result and schema. */
const PLACES = 3;

function sentTo(dialect: Dialect): string {
  return upstreams.get(dialect)?.requests.at(-1)?.body.toString('utf8') ?? '';
}

/** A stream says the arguments in pieces. */
function toldIn(answer: HttpCallResponse): string {
  assert.equal(answer.status, 200, answer.text);
  return answer.text.replaceAll('\\', '');
}

describe('numbers keep their text', () => {
  for (const surface of SURFACES)
    for (const dialect of DIALECTS) {
      test(`${surface} to ${dialect}: request, response, stream, and both again from the cache`, async () => {
        const unstored = surface === 'responses' ? ',"store":false' : '';
        for (const rest of [unstored, `${unstored},"stream":true`]) {
          const first = await ask(surface, dialect, rest);
          holdsAll(toldIn(first), 'the answer');
          holdsAll(sentTo(dialect), 'the request', PLACES);
          const again = await ask(surface, dialect, rest);
          assert.equal(again.headers['x-floe-cache'], 'hit');
          holdsAll(toldIn(again), 'the answer from the cache');
        }
      });

      test(`${surface} to ${dialect}: what policies redact, and the stored bodies`, async () => {
        for (const rest of ['', ',"stream":true']) {
          const answer = await ask(surface, dialect, rest, KEYS.guarded);
          holdsAll(toldIn(answer), 'the answer');
          holdsAll(sentTo(dialect), 'the request', PLACES);
          assert.ok(
            !sentTo(dialect).includes(MAIL) && !answer.text.includes(MAIL),
            'addresses are taken out',
          );
          const id = answer.headers['x-request-id'] ?? '';
          const bodies = await eventually(async () => {
            const kept = await callHttp(`${floe.url}/api/analytics/requests/${id}/bodies`, {
              headers: { authorization: `Bearer ${KEYS.guarded}` },
            });
            return kept.status === 200 ? kept.text.replaceAll('\\', '') : undefined;
          });
          holdsAll(bodies, 'the bodies', PLACES + 1);
        }
      });
    }

  for (const dialect of DIALECTS)
    test(`a stored response of ${dialect}, read and continued at every provider`, async () => {
      for (const rest of ['', ',"stream":true']) await storedAndGoneOn(dialect, rest);
    });
});

async function storedAndGoneOn(dialect: Dialect, rest: string): Promise<void> {
  const id = /"id":"(resp_\w+)"/.exec((await ask('responses', dialect, rest)).text)?.[1];
  const get = async (path: string) =>
    toldIn(
      await callHttp(`${floe.url}${PATHS.responses}/${id}${path}`, {
        headers: { authorization: `Bearer ${KEYS.plain}` },
      }),
    );
  holdsAll(await get(''), 'the stored response, its tools and its call', 2);
  holdsAll(await get('/input_items'), 'its input', 2);
  for (const next of DIALECTS) {
    const more = `,"previous_response_id":"${id}"`;
    const answer = await callHttp(floe.url + PATHS.responses, {
      headers: { authorization: `Bearer ${KEYS.plain}` },
      body: `{"model":"${next}/m","input":[{"type":"function_call_output","call_id":"c2","output":"ok"}]${more}}`,
    });
    holdsAll(toldIn(answer), `the answer of ${next}`);
    holdsAll(sentTo(next), `the conversation at ${next}`, PLACES);
  }
}
