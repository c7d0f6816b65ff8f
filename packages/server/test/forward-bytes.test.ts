// Responses and Messages within one dialect: bytes both ways, and an answer that broke never looks finished.
// Tier: ci. Recordings cut at every byte.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { type Chunking, splitFrames } from '@floe/testkit/chunking';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { callHttp, type HttpCallResponse, parseSseFrames } from '@floe/testkit/http-client';
import { loadProjectRecordings, type RecordedInteraction } from '@floe/testkit/recordings';
import { loadSharedRecordings } from '@floe/testkit/shared-recordings';
import fc from 'fast-check';
import { objectOrEmpty, parseAnswerContent } from './answer-content.ts';
import { type DialectGateway, SURFACE_PATHS, startDialectGateway } from './dialect-gateway.ts';
import { sampleReply } from './upstream-samples.ts';

const SURFACES = ['responses', 'messages'] as const;
type Surface = (typeof SURFACES)[number];
const SCENARIOS = [
  'text',
  'parallel-tools',
  'no-args-tool',
  'refusal',
  'thinking',
  'length',
  'structured',
  'error-inside',
  'cut',
];
const CHUNKINGS: readonly Chunking[] = ['frames', 'every-byte', { seed: 2 }, { seed: 3, meanBytes: 200 }];
/** Byte by byte costs a turn of the event loop each. */
const EVERY_BYTE_LIMIT = process.env['FLOE_TEST_FULL'] === '1' ? 30_000 : 3_000;
const STREAM_TYPE = 'text/event-stream; charset=utf-8';

let harness: DialectGateway;
before(async () => {
  harness = await startDialectGateway();
});
after(() => harness.close());

const BODIES: Readonly<Record<Surface, object>> = {
  responses: { input: 'Hi', tools: [{ type: 'web_search' }], x_unknown: [1.5, null], store: false },
  messages: {
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmVk' },
          { type: 'redacted_thinking', data: 'aGlkZGVu' },
          { type: 'text', text: 'Hello' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And now?', cache_control: { type: 'ephemeral' } }] },
    ],
    context_management: { edits: [] },
  },
};

async function ask(
  surface: Surface,
  more: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpCallResponse> {
  return await callHttp(harness.url + SURFACE_PATHS[surface], {
    headers: { authorization: `Bearer ${harness.key}`, ...headers },
    body: { model: `${surface}/m-1`, ...BODIES[surface], ...more },
  });
}

async function played(surface: Surface, body: Buffer, chunking: Chunking): Promise<HttpCallResponse> {
  const headers = { 'content-type': STREAM_TYPE };
  harness.setReply(surface, { headers, body, chunking, framing: 'chunked' });
  return await ask(surface, { stream: true });
}

/** Everything but our own event at the end of a broken stream. */
function passedBytes(surface: Surface, answer: HttpCallResponse): string {
  const id = answer.headers['x-request-id'] ?? assert.fail();
  const all = splitFrames(answer.bytes, STREAM_TYPE).map((frame) => frame.toString('utf8'));
  const ours = surface === 'messages' ? 1 : 2;
  return all.slice(0, answer.text.includes(id) || isBroken(answer) ? -ours : undefined).join('');
}

function isBroken(answer: HttpCallResponse): boolean {
  return answer.frames().some(({ event }) => event === 'error');
}

interface Recorded {
  readonly name: string;
  readonly surface: Surface;
  readonly interaction: Pick<RecordedInteraction, 'body' | 'headers' | 'stream' | 'status'>;
}

function recordedAnswers(): readonly Recorded[] {
  const own = SURFACES.flatMap((surface) =>
    SCENARIOS.flatMap((scenario) =>
      [true, false].map((stream): Recorded => {
        const { body, headers = {} } = sampleReply(surface, scenario, stream || /error|cut/.test(scenario));
        const isStream = headers['content-type'] === STREAM_TYPE;
        const interaction = { body, headers, stream: isStream, status: 200 };
        return { name: `${surface}-${scenario}`, surface, interaction };
      }),
    ),
  );
  const isOurs = ({ surface }: { readonly surface: string }) => SURFACES.some((name) => name === surface);
  const shared = loadSharedRecordings(isOurs);
  const more = [...loadProjectRecordings(isOurs), ...shared.recordings].flatMap(
    ({ file, surface, interactions }) =>
      interactions.flatMap((interaction): Recorded[] => {
        const found = SURFACES.find((name) => name === surface);
        const isAnswer = interaction.path.split('?')[0]?.endsWith(`/${surface}`) === true;
        return found && isAnswer ? [{ name: file, surface: found, interaction }] : [];
      }),
  );
  return [...own, ...more];
}

const recorded = recordedAnswers();

test('every recorded response is forwarded byte for byte in any chunking', async (context) => {
  assert.ok(recorded.length > 100, `${recorded.length} recordings`);
  const counts = { streams: 0, broken: 0, whole: 0, refused: 0 };
  for (const { name, surface, interaction } of recorded) {
    const { body, status, stream, headers } = interaction;
    if (status !== 200) {
      harness.setReply(surface, { status, headers: { 'content-type': headers['content-type'] ?? '' }, body });
      const answer = await ask(surface, { stream });
      const isOurs = status === 401 || status === 403 || status === 429 || status >= 500;
      if (!isOurs) assert.ok(answer.bytes.equals(body) && answer.status === status, name);
      // A spent account answers 429 too, and no caller can wait that out (decisions/0033).
      const isRate = status === 429 && !body.includes('insufficient_quota');
      assert.equal(answer.status, isOurs && !isRate ? 502 : status, name);
      counts.refused += 1;
    } else if (stream) {
      const chunkings =
        body.length > EVERY_BYTE_LIMIT ? CHUNKINGS.filter((way) => way !== 'every-byte') : CHUNKINGS;
      const whole = await played(surface, body, 'whole');
      for (const chunking of chunkings) {
        const answer = await played(surface, body, chunking);
        assert.equal(withoutId(answer), withoutId(whole), `${name} ${JSON.stringify(chunking)}`);
      }
      const isWhole = whole.status === 200 && whole.bytes.equals(firstAnswer(surface, body));
      assert.ok(isWhole || isBroken(whole) || whole.status >= 400, name);
      if (isBroken(whole)) assert.ok(body.toString('utf8').startsWith(passedBytes(surface, whole)), name);
      counts[isWhole ? 'streams' : 'broken'] += 1;
    } else {
      harness.setReply(surface, { headers: { 'content-type': 'application/json' }, body });
      const answer = await ask(surface, {});
      if (answer.status === 200) assert.ok(answer.bytes.equals(body), name);
      else assert.match(body.toString('utf8'), /"error"/, name);
      counts.whole += 1;
    }
  }
  context.diagnostic(JSON.stringify(counts));
});

function withoutId(answer: HttpCallResponse): string {
  return answer.text.replaceAll(answer.headers['x-request-id'] ?? '', 'id');
}

for (const surface of SURFACES)
  describe(surface, () => {
    test('a request reaches the provider byte for byte except the model', async () => {
      harness.setReply(surface, sampleReply(surface, 'text', false));
      const member = fc.tuple(fc.stringMatching(/^x[a-zé😀_ -]{0,10}$/u), fc.json({ maxDepth: 2 }));
      const property = fc.asyncProperty(
        fc.uniqueArray(member, { selector: ([name]) => name, maxLength: 5 }),
        fc.stringMatching(/^[ \t\r\n]{0,3}$/),
        async (members, space) => {
          const textWith = (model: string) => {
            const own = Object.entries(BODIES[surface]).map(([name, value]) => [name, JSON.stringify(value)]);
            const all = [...own, ...members, ['model', JSON.stringify(model)]];
            return `{${all.map(([name, text]) => `${space}${JSON.stringify(name)}:${space}${text}`)}}`;
          };
          const answer = await callHttp(harness.url + SURFACE_PATHS[surface], {
            headers: { authorization: `Bearer ${harness.key}`, 'content-type': 'application/json' },
            body: textWith(`${surface}/m-1`),
          });
          assert.equal(answer.status, 200, answer.text);
          assert.equal(harness.lastRequest(surface).body.toString('utf8'), textWith('m-1'));
        },
      );
      await fc.assert(property, { numRuns: process.env['FLOE_TEST_FULL'] === '1' ? 1000 : 60 });
    });

    test('a stream that is cut after any frame or at any byte ends with an error', async () => {
      const ids: string[] = [];
      for (const scenario of ['text', 'parallel-tools', 'thinking']) {
        const { body } = sampleReply(surface, scenario, true);
        const pieces = splitFrames(body, STREAM_TYPE);
        const edges = pieces.map((_, at) => Buffer.concat(pieces.slice(0, at)).length);
        const inside = fc.sample(fc.integer({ min: 1, max: body.length - 3 }), { numRuns: 15, seed: 7 });
        for (const cut of [...edges, ...inside]) {
          const answer = await played(surface, body.subarray(0, cut), { seed: cut, meanBytes: 90 });
          if (hasStopReason(surface, body.subarray(0, cut))) {
            assert.ok(
              isFinished(surface, Buffer.from(answer.text)),
              `${scenario} cut at ${cut}: all of it came`,
            );
            continue;
          }
          if (isFinished(surface, body.subarray(0, cut))) continue;
          checkBroken(surface, answer, body, `${scenario} cut at ${cut}`);
          if (answer.status === 200) ids.push(answer.headers['x-request-id'] ?? '');
        }
      }
      for (const id of ids) {
        const row = await harness.row(id);
        assert.deepEqual(
          [row['state'], row['status'], row['error_code']],
          ['partial', 200, 'upstream_stream_broken'],
        );
      }
    });

    test('an event that is not JSON is reported as a broken stream', async () => {
      const { body } = sampleReply(surface, 'thinking', true);
      const pieces = splitFrames(body, STREAM_TYPE);
      for (const [at, piece] of pieces.entries()) {
        const half = Buffer.from(piece.toString('utf8').replace(/(data: \{.*).\n\n$/, '$1\n\n'));
        assert.ok(half.length < piece.length, piece.toString('utf8'));
        const broken = Buffer.concat([...pieces.slice(0, at), half, ...pieces.slice(at + 1)]);
        for (const store of surface === 'responses' ? [false, true] : [undefined]) {
          harness.setReply(surface, {
            headers: { 'content-type': STREAM_TYPE },
            body: broken,
            framing: 'chunked',
          });
          const answer = await ask(surface, { stream: true, store });
          checkBroken(surface, answer, body, `event ${at}`);
          if (answer.status === 502) assert.match(answer.text, /upstream_stream_broken/, `event ${at}`);
        }
      }
    });

    test('a complete response that is cut anywhere is a 502', async () => {
      const { body, headers = {} } = sampleReply(surface, 'parallel-tools', false);
      for (const cut of fc.sample(fc.integer({ min: 0, max: body.length - 1 }), { numRuns: 30, seed: 9 })) {
        harness.setReply(surface, { headers, body: body.subarray(0, cut) });
        const answer = await ask(surface, {});
        assert.equal(answer.status, 502, `cut at ${cut}`);
        assert.equal(objectOrEmpty(objectOrEmpty(answer.json())['error'])['code'], 'upstream_error');
      }
    });

    test('usage is in the row, for streams and complete responses, and for cut ones as far as it was reported', async () => {
      for (const stream of [true, false]) {
        const reply = sampleReply(surface, 'thinking', stream);
        harness.setReply(surface, reply);
        const answer = await ask(surface, { stream });
        const usage = objectOrEmpty((await harness.row(answer.headers['x-request-id'] ?? ''))['usage']);
        const { input, cached, output } = parseAnswerContent(surface, reply.body, stream).usage ?? {};
        assert.deepEqual(
          [usage['input_tokens'], usage['cached_tokens'], usage['output_tokens'], usage['source']],
          [input, cached, output, 'provider'],
        );
      }
      const cut = await played(surface, sampleReply(surface, 'cut', true).body, 'frames');
      const usage = objectOrEmpty((await harness.row(cut.headers['x-request-id'] ?? ''))['usage']);
      assert.equal(usage['source'], surface === 'messages' ? 'provider' : 'estimated');
    });

    test("a provider's own 4xx is forwarded unchanged", async () => {
      for (const name of ['context-length-400', 'content-filter-400']) {
        harness.setReply(surface, sampleReply(surface, 'text', false));
        await harness.upstream(surface).setFaults(findInjectedFault(name));
        for (const stream of [true, false]) {
          const answer = await ask(surface, { stream });
          assert.equal(answer.status, 400);
          assert.equal(answer.headers['x-floe-error-source'], 'upstream');
          const error = objectOrEmpty(objectOrEmpty(answer.json())['error']);
          assert.equal(error['type'], 'invalid_request_error');
          assert.equal('request_id' in objectOrEmpty(answer.json()), surface === 'messages');
        }
        await harness.upstream(surface).setFaults();
      }
    });
  });

test('Messages headers reach a Messages provider as the client sent them, in both API versions', async () => {
  const beta = 'claude-code-20250219,interleaved-thinking-2025-05-14, context-management-2025-06-27';
  for (const version of ['2023-06-01', '2026-10-21']) {
    harness.setReply('messages', sampleReply('messages', 'text', false));
    const headers = {
      'anthropic-version': version,
      'anthropic-beta': beta,
      'x-app': 'cli',
      'x-api-key': 'other',
    };
    const answer = await ask('messages', {}, headers);
    assert.equal(answer.status, 200, answer.text);
    const sent = harness.lastRequest('messages').headers;
    assert.deepEqual([sent['anthropic-version'], sent['anthropic-beta']], [version, beta]);
    assert.deepEqual([sent['x-app'], sent['x-api-key']], [undefined, 'secret-of-messages']);
    assert.equal(sent['authorization'], undefined);
  }
  await ask('messages', {});
  assert.equal(harness.lastRequest('messages').headers['anthropic-version'], '2023-06-01');
});

test('Messages headers are not sent to a provider with another dialect', async () => {
  harness.setReply('chat', sampleReply('chat', 'text', false));
  const answer = await callHttp(`${harness.url}/messages`, {
    headers: { 'x-api-key': harness.key, 'anthropic-version': '2026-10-21', 'anthropic-beta': 'b-1' },
    body: { model: 'chat/m-1', max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
  });
  assert.equal(answer.status, 200, answer.text);
  const { headers } = harness.lastRequest('chat');
  assert.deepEqual([headers['anthropic-version'], headers['anthropic-beta']], [undefined, undefined]);
});

/** Up to the event that ends an answer: a recorder may have put several answers into one file. */
function firstAnswer(surface: Surface, body: Buffer): Buffer {
  const all = splitFrames(body, STREAM_TYPE);
  const last = all.findIndex((frame) => isFinished(surface, frame));
  return Buffer.concat(all.slice(0, last + 1));
}

/** The bytes hold the event that ends an answer, whole or not to the last blank line. */
function isFinished(surface: Surface, bytes: Buffer): boolean {
  const last = parseSseFrames(bytes.toString('utf8')).at(-1)?.event;
  if (surface === 'messages') return last === 'message_stop';
  return last === 'response.completed' || last === 'response.incomplete';
}

/** A Messages answer that said why it stopped lacks nothing but the event that ends its stream. */
function hasStopReason(surface: Surface, bytes: Buffer): boolean {
  if (surface !== 'messages') return false;
  return splitFrames(bytes, STREAM_TYPE).some(
    (frame) => /\n\r?\n$/.test(frame.toString('utf8')) && /"stop_reason":\s*"/.test(frame.toString('utf8')),
  );
}

function checkBroken(surface: Surface, answer: HttpCallResponse, body: Buffer, what: string): void {
  if (answer.status !== 200) {
    assert.equal(answer.status, 502, what);
    return;
  }
  const events = answer.frames().map(({ event }) => event);
  const terminal = ['message_stop', 'response.completed', 'response.incomplete'];
  assert.ok(!events.some((event) => terminal.includes(event)), what);
  assert.deepEqual(
    events.filter((event) => event === 'error' || event === 'response.failed'),
    surface === 'messages' ? ['error'] : ['error', 'response.failed'],
    what,
  );
  assert.ok(body.toString('utf8').startsWith(passedBytes(surface, answer)), what);
  const last: unknown = JSON.parse(answer.frames().at(-1)?.data ?? '');
  assert.ok(isJsonObject(last), what);
  if (surface === 'responses') checkFailed(answer, what);
  else assert.equal(objectOrEmpty(last.error).type, 'api_error', what);
}

/** The failed response goes on where the broken one stopped: same id, next numbers. */
function checkFailed(answer: HttpCallResponse, what: string): void {
  const values = answer.frames().map(({ data }) => objectOrEmpty(JSON.parse(data)));
  assert.deepEqual(
    values.map(({ sequence_number }) => sequence_number),
    values.map((_, at) => at),
    what,
  );
  const failed = objectOrEmpty(values.at(-1)?.['response']);
  assert.deepEqual([failed['status'], failed['id']], ['failed', 'resp_s1'], what);
  assert.equal(objectOrEmpty(failed['error'])['code'], 'upstream_stream_broken', what);
}
