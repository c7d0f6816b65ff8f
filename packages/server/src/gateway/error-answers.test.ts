// A provider's error answers, whatever the client's dialect: status, source, field and number of attempts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import {
  type FakeClockGateway,
  type FakeClockSurface,
  startFakeClockGateway,
} from './test/fake-clock-gateway.ts';

const BODIES: Readonly<Record<FakeClockSurface, JsonObject>> = {
  chat: { messages: [{ role: 'user', content: 'hi' }], temperature: 9, max_tokens: 5 },
  responses: { input: 'hi', temperature: 9, max_output_tokens: 5 },
  messages: { messages: [{ role: 'user', content: 'hi' }], temperature: 9, max_tokens: 5 },
};
const SURFACES = ['chat', 'responses', 'messages'] as const;
const TYPES = [
  'api_error',
  'server_error',
  'overloaded_error',
  'invalid_request_error',
  'rate_limit',
  undefined,
];

interface Seen {
  readonly status: number;
  readonly source: string | undefined;
  readonly attempts: number;
}

async function withUpstream(
  reply: () => UpstreamReply,
  run: (gateway: FakeClockGateway) => Promise<void>,
): Promise<void> {
  const gateway = await startFakeClockGateway({
    upstreams: { a: reply },
    providers: { a: { breaker: { enabled: false } } },
    routes: [{ model: 'm', targets: ['a/m'], retries: 2 }],
    random: () => 0,
  });
  try {
    await run(gateway);
  } finally {
    await gateway.close();
  }
}

async function ask(gateway: FakeClockGateway, surface: FakeClockSurface): Promise<HttpCallResponse> {
  return gateway.settled(gateway.send(surface, { model: 'm', ...BODIES[surface] }));
}

test('a 4xx of a provider is one attempt and an upstream error in every dialect, whatever type its body states', async () => {
  let refusal: UpstreamReply = createJsonReply({});
  await withUpstream(
    () => refusal,
    async (gateway) => {
      for (const status of [400, 404, 405, 408, 409, 410, 413, 415, 422])
        for (const type of TYPES) {
          // Hosts report rate limits with these statuses.
          if (type === 'rate_limit' && [400, 409, 413].includes(status)) continue;
          refusal = createJsonReply({ error: { message: 'not like this', type } }, status);
          const seen: Seen[] = [];
          for (const surface of SURFACES) {
            const before = gateway.upstream('a').requests.length;
            const answer = await ask(gateway, surface);
            const attempts = gateway.upstream('a').requests.length - before;
            const source = answer.headers['x-floe-error-source'];
            seen.push({ status: answer.status, source: String(source), attempts });
            assert.match(answer.text, /not like this/, 'the provider’s words');
            assert.equal(gateway.rows.at(-1)?.error_source ?? 'upstream', 'upstream');
          }
          for (const [at, one] of seen.entries()) {
            const where = `${SURFACES[at]}: ${status} ${type}`;
            assert.ok(one.status >= 400 && one.status < 500, `${where} became ${one.status}`);
            assert.deepEqual([one.source, one.attempts], ['upstream', 1], where);
          }
        }
    },
  );
});

test('a 409 or 422 of a provider keeps its status in every dialect, because the SDKs of all dialects define both', async () => {
  for (const status of [409, 422])
    await withUpstream(
      () => createJsonReply({ error: { message: 'not like this' } }, status),
      async (gateway) => {
        for (const surface of SURFACES) {
          const answer = await ask(gateway, surface);
          assert.deepEqual([answer.status, answer.headers['x-should-retry']], [status, undefined], surface);
          if (surface !== 'chat') assert.match(answer.text, /"type":"invalid_request_error"/);
        }
      },
    );
});

test('a translated error about a prompt that is too long has the text that agents of the dialect check', async () => {
  const error = { message: "This model's maximum context length is 8 tokens.", code: null };
  for (const status of [400, 200])
    await withUpstream(
      () => createJsonReply({ error: { ...error, ...(status === 200 && { code: 400 }) } }, status),
      async (gateway) => {
        assert.match((await ask(gateway, 'responses')).text, /"code":"context_length_exceeded"/);
        const { text } = await ask(gateway, 'messages');
        assert.match(text, /"type":"invalid_request_error","message":"prompt is too long: This model/);
        const forwarded = await ask(gateway, 'chat');
        const isUnchanged = !forwarded.text.includes('context_length_exceeded');
        assert.equal(isUnchanged, status === 400, 'within one dialect, the bytes of the provider');
      },
    );
});

test('an error with status 200 has the same status in every dialect', async () => {
  const cases: readonly [JsonObject, number][] = [
    [{ message: 'slow down', code: 429 }, 429],
    [{ message: 'no credit', code: 402 }, 502],
    [{ message: 'busy', code: 503 }, 502],
    [{ message: 'wrong', code: 422 }, 422],
    [{ message: 'wrong', code: 409 }, 409],
    [{ message: 'wrong', code: 418 }, 400],
    [{ message: 'broken' }, 502],
  ];
  for (const [error, status] of cases)
    await withUpstream(
      () => createJsonReply({ error }),
      async (gateway) => {
        for (const surface of SURFACES) {
          const answer = await ask(gateway, surface);
          assert.equal(answer.status, status, `${surface}: ${answer.text}`);
          assert.equal(answer.headers['x-floe-error-source'], 'upstream');
        }
      },
    );
});

test("the field in a provider's error has the name that the client used, or is absent", async () => {
  let param: string | null = null;
  await withUpstream(
    () =>
      createJsonReply({ error: { message: 'wrong', type: 'invalid_request_error', param, code: null } }, 400),
    async (gateway) => {
      const table: readonly [string, Readonly<Record<FakeClockSurface, string | undefined>>][] = [
        ['temperature', { chat: 'temperature', responses: 'temperature', messages: 'temperature' }],
        ['max_tokens', { chat: 'max_tokens', responses: 'max_output_tokens', messages: 'max_tokens' }],
        [
          'messages[0].content',
          { chat: 'messages[0].content', responses: 'input', messages: 'messages[0].content' },
        ],
        ['stream_options', { chat: 'stream_options', responses: undefined, messages: undefined }],
      ];
      for (const [said, wanted] of table)
        for (const surface of SURFACES) {
          param = said;
          const { error } = (await ask(gateway, surface)).json() as { error?: unknown };
          assert.ok(isJsonObject(error));
          assert.equal(error['param'] ?? undefined, wanted[surface], `${surface}: ${said}`);
        }
    },
  );
});

test('an outage in a stream is recognized by its message, because the status is 200', async () => {
  const frame = 'data: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n';
  const broken: UpstreamReply = { headers: { 'content-type': 'text/event-stream' }, body: frame };
  await withUpstream(
    () => broken,
    async (gateway) => {
      for (const surface of SURFACES) {
        const before = gateway.upstream('a').requests.length;
        await gateway.settled(gateway.send(surface, { model: 'm', stream: true, ...BODIES[surface] }));
        assert.equal(gateway.upstream('a').requests.length - before, 3, `${surface}: tried again`);
      }
    },
  );
});

const SECRET = 'sk-live-1234567890abcdef';
const ORGANIZATION_TOKEN = 'Token org/abc+def==1234';

/** A host that tells in its errors what it was sent. */
function echoing(status: number, kind: 'json' | 'text' | 'sse') {
  return (_: boolean, request: ReceivedRequest): UpstreamReply => {
    const echo = JSON.stringify(request.headers);
    if (kind === 'text') return { status, headers: { 'content-type': 'text/plain' }, body: `sent: ${echo}` };
    if (kind === 'json')
      return createJsonReply({ error: { message: `sent: ${echo}`, headers: request.headers } }, status);
    const frame = JSON.stringify({ error: { message: `sent: ${echo}`, code: status } });
    return { headers: { 'content-type': 'text/event-stream' }, body: `data: ${frame}\n\n` };
  };
}

test('an error that repeats the request shows no credential to the caller, in the row or in the log', async (t) => {
  for (const kind of ['json', 'text', 'sse'] as const)
    for (const status of [400, 404, 422, 429, 500, 503]) {
      const gateway = await startFakeClockGateway({
        upstreams: { a: echoing(status, kind) },
        providers: {
          a: { api_key: SECRET, headers: { 'x-org-token': ORGANIZATION_TOKEN }, breaker: { enabled: false } },
        },
        routes: [{ model: 'm', targets: ['a/m'], retries: 0 }],
      });
      t.after(() => gateway.close());
      const answers = [
        ...SURFACES.map((surface) => ask(gateway, surface)),
        gateway.settled(gateway.send('chat', { model: 'm', stream: true, ...BODIES.chat })),
        gateway.settled(gateway.sendTo('images/generations', { model: 'a/m', prompt: 'x' })),
        gateway.settled(gateway.sendTo('embeddings', { model: 'a/m', input: 'x' })),
      ];
      for (const { headers, text } of await Promise.all(answers)) {
        const seen = JSON.stringify(headers) + text;
        for (const secret of [SECRET, 'org/abc', 'org\\/abc'])
          assert.ok(!seen.includes(secret), `${kind} ${status}: ${seen}`);
      }
      const kept = JSON.stringify(gateway.rows);
      assert.ok(!kept.includes(SECRET) && !kept.includes('org/abc'), kept);
      assert.ok(
        gateway.upstream('a').requests.every(({ headers }) => JSON.stringify(headers).includes(SECRET)),
      );
    }
});
