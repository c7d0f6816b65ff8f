// The official clients of all three surfaces as judges over upstreams of all four dialects.
// Tier: ci. Official clients over every dialect.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { APIError as AnthropicError } from '@anthropic-ai/sdk';
import type { Chunking } from '@floe/testkit/chunking';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { APIError as OpenAIError } from 'openai';
import {
  type AnswerContent,
  type AnswerEnding,
  objectOrEmpty,
  parseAnswerContent,
  TEST_DIALECTS,
  type TestDialect,
} from './answer-content.ts';
import {
  CLIENT_SURFACES,
  type ClientSurface,
  type DialectGateway,
  startDialectGateway,
} from './dialect-gateway.ts';
import {
  askWithSdk,
  PIXEL_PNG_BASE64,
  QUESTION_TEXT,
  type RequestedFeature,
  type SdkAnswer,
} from './sdk-requests.ts';
import { sampleReply } from './upstream-samples.ts';

/** A question, and the own recording that answers it. */
const SCENARIOS: Readonly<Record<string, { readonly want: RequestedFeature; readonly recording: string }>> = {
  text: { want: 'text', recording: 'text' },
  'parallel tools': { want: 'tools', recording: 'parallel-tools' },
  'tool without arguments': { want: 'tools', recording: 'no-args-tool' },
  refusal: { want: 'text', recording: 'refusal' },
  thinking: { want: 'thinking', recording: 'thinking' },
  length: { want: 'text', recording: 'length' },
  'structured output': { want: 'structured', recording: 'structured' },
  image: { want: 'image', recording: 'text' },
};
const CHUNKINGS: readonly Chunking[] = ['frames', 'whole', { seed: 3 }, { seed: 4, meanBytes: 300 }];

/** Two of them, by turns: @floe/wire cuts these recordings everywhere. */
function chunkingsAt(at: number): readonly Chunking[] {
  return CHUNKINGS.filter((_, turn) => turn % 2 === at % 2);
}

const FINISH: Readonly<Record<ClientSurface, Readonly<Record<AnswerEnding, string>>>> = {
  chat: { stop: 'stop', length: 'length', tool: 'tool_calls', refusal: 'content_filter' },
  messages: { stop: 'end_turn', length: 'max_tokens', tool: 'tool_use', refusal: 'refusal' },
  responses: {
    stop: 'completed',
    tool: 'completed',
    length: 'incomplete: max_output_tokens',
    refusal: 'incomplete: content_filter',
  },
};

const table = new Map<string, Map<string, number>>();
let harness: DialectGateway;

before(async () => {
  harness = await startDialectGateway();
});
after(async () => {
  await harness.close();
  const columns = [...new Set([...table.values()].flatMap((row) => [...row.keys()]))];
  process.stdout.write(`# ${['surface over upstream', ...columns].join(' | ')}\n`);
  for (const [name, row] of table)
    process.stdout.write(`# ${[name, ...columns.map((column) => row.get(column) ?? 0)].join(' | ')}\n`);
});

function count(surface: ClientSurface, dialect: TestDialect, scenario: string): void {
  const name = `${surface} over ${dialect}`;
  const row = table.get(name) ?? new Map<string, number>();
  table.set(name, row.set(scenario, (row.get(scenario) ?? 0) + 1));
}

for (const surface of CLIENT_SURFACES)
  for (const dialect of TEST_DIALECTS)
    describe(`${surface} over ${dialect}`, () => {
      for (const [at, [scenario, { want, recording }]] of Object.entries(SCENARIOS).entries())
        test(scenario, async () => {
          const due: (() => Promise<void>)[] = [];
          for (const isStream of [true, false]) {
            const reply = sampleReply(dialect, recording, isStream);
            const said = parseAnswerContent(dialect, reply.body, isStream);
            for (const chunking of isStream ? chunkingsAt(at) : CHUNKINGS.slice(0, 1)) {
              harness.setReply(dialect, { ...reply, chunking, framing: 'chunked' });
              const seen = await askWithSdk(harness, {
                surface,
                model: `${dialect}/m-1`,
                feature: want,
                isStream,
              });
              checkConserved(surface, dialect, said, seen);
              const tap = {
                id: harness.lastId(),
                dropped: harness.lastHeaders().get('x-floe-dropped') ?? '',
              };
              due.push(() => checkRow({ surface, dialect, want, said, isStream }, tap));
              count(surface, dialect, scenario);
            }
            checkAsked(dialect, want, isStream);
          }
          for (const check of due) await check();
        });

      test('an error before the stream', () => refusedBefore(surface, dialect));
      test('an error inside the stream', () => brokenInside(surface, dialect));
    });

function checkConserved(
  surface: ClientSurface,
  dialect: TestDialect,
  said: AnswerContent,
  seen: SdkAnswer,
): void {
  const showsRefusals = surface !== 'messages';
  assert.equal(seen.text, showsRefusals ? said.text : said.text + said.refusal);
  assert.equal(seen.refusal, showsRefusals ? said.refusal : '');
  assert.equal(seen.thinking, surface === 'chat' ? '' : said.thinking);
  const written = (text: string) => JSON.parse(text || '{}');
  assert.deepEqual(
    seen.calls.map((call) => [call.name, written(call.arguments)]),
    said.calls.map((call) => [call.name, written(call.arguments)]),
  );
  for (const [at, { id }] of said.calls.entries())
    if (id === '') assert.match(seen.calls[at]?.id ?? '', /^[A-Za-z0-9_-]{1,64}$/);
    else assert.equal(seen.calls[at]?.id, id);
  const forwarded = surface === 'chat' && dialect === 'chat' && said.finish;
  assert.equal(seen.finish, forwarded || FINISH[surface][endingFor(surface, dialect, said)]);
  assert.deepEqual(seen.usage, said.usage ?? { input: 0, cached: 0, output: 0 });
}

/** A call ends a turn in `tool` even where the provider said otherwise; forwarded words stay. */
function endingFor(surface: ClientSurface, dialect: TestDialect, said: AnswerContent): AnswerEnding {
  if (surface === dialect) return said.ending;
  if (surface === 'messages' && said.refusal !== '') return 'refusal';
  return said.ending === 'stop' && said.calls.length > 0 ? 'tool' : said.ending;
}

interface Asked {
  readonly surface: ClientSurface;
  readonly dialect: TestDialect;
  readonly want: RequestedFeature;
  readonly said: AnswerContent;
  readonly isStream: boolean;
}

async function checkRow(
  { surface, dialect, want, said, isStream }: Asked,
  tap: { readonly id: string; readonly dropped: string },
): Promise<void> {
  const row = await harness.row(tap.id);
  assert.deepEqual(
    [row['surface'], row['provider'], row['model'], row['stream'], row['status'], row['state']],
    [surface, dialect, 'm-1', isStream, 200, 'complete'],
  );
  const { input, cached, output } = said.usage ?? {};
  const usage = objectOrEmpty(row['usage']);
  assert.deepEqual(
    [usage['input_tokens'] ?? 0, usage['cached_tokens'] ?? 0, usage['output_tokens'] ?? 0],
    [input, cached, output],
  );
  const { dropped } = row;
  assert.ok(Array.isArray(dropped));
  const hidden = surface === 'chat' && dialect !== 'chat';
  // A host that copies a dialect is not asked to think: nothing is known of its models.
  const unasked = want === 'thinking' && surface !== dialect && !/messages|gemini/.test(dialect);
  // By the client's own name of the field.
  const reasoning = surface === 'messages' ? 'thinking' : 'reasoning';
  assert.equal(dropped.includes(reasoning), unasked || (hidden && said.thinking !== ''));
  assert.equal(dropped.includes('reasoning.seal'), hidden && said.seals.length > 0);
  const told = tap.dropped === '' ? [] : tap.dropped.split(',');
  // What a stream loses is known after its headers.
  assert.deepEqual(isStream ? dropped.filter((name) => told.includes(String(name))) : dropped, told);
}

function checkAsked(dialect: TestDialect, want: RequestedFeature, isStream: boolean): void {
  const { path, headers, body } = harness.lastRequest(dialect);
  const text = body.toString('utf8');
  const paths: Readonly<Record<TestDialect, string>> = {
    chat: '/v1/chat/completions',
    responses: '/v1/responses',
    messages: '/v1/messages',
    gemini: `/v1/models/m-1:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    converse: `/v1/model/m-1/${isStream ? 'converse-stream' : 'converse'}`,
    cohere: '/v1/v2/chat',
  };
  assert.equal(path, paths[dialect]);
  assert.ok(text.includes(JSON.stringify(QUESTION_TEXT)));
  if (want === 'image') assert.ok(text.includes(PIXEL_PNG_BASE64));
  if (want === 'structured') assert.match(text, /"metres\\?"/);
  if (want === 'tools')
    for (const name of ['look_up', 'measure', 'now']) assert.ok(text.includes(`"${name}"`));
  assert.ok(JSON.stringify(headers).includes(`secret-of-${dialect}`));
  assert.ok(!JSON.stringify(headers).includes(harness.key));
}

async function refusedBefore(surface: ClientSurface, dialect: TestDialect): Promise<void> {
  const due = new Map<string, number>();
  for (const [fault, status] of [
    ['unavailable', 502],
    ['rate-limited/retry-after', 429],
    ['context-length-400', 400],
    ['bad-credentials/401', 502],
    ['error-in-200', 502],
  ] as const)
    for (const isStream of [true, false]) {
      harness.setReply(dialect, sampleReply(dialect, 'text', isStream));
      await harness.upstream(dialect).setFaults(findInjectedFault(fault));
      const error = await failureOf(
        askWithSdk(harness, { surface, model: `${dialect}/m-1`, feature: 'text', isStream }),
      );
      await harness.upstream(dialect).setFaults();
      assert.equal(error.status, status, `${fault}: ${error.message}`);
      assert.equal(error.name, surface === 'messages' ? 'anthropic' : 'openai');
      due.set(harness.lastId(), status);
      count(surface, dialect, 'error before');
    }
  harness.setReply(dialect, sampleReply(dialect, 'error-before', true));
  const error = await failureOf(
    askWithSdk(harness, { surface, model: `${dialect}/m-1`, feature: 'text', isStream: true }),
  );
  assert.equal(error.status, 502);
  assert.match(error.message, /overloaded/i);
  due.set(harness.lastId(), 502);
  count(surface, dialect, 'error before');
  for (const [id, status] of due) {
    const row = await harness.row(id);
    assert.deepEqual([row['status'], row['state']], [status, 'failed']);
  }
}

async function brokenInside(surface: ClientSurface, dialect: TestDialect): Promise<void> {
  const ids: string[] = [];
  for (const [at, scenario] of ['error-inside', 'cut'].entries())
    for (const chunking of chunkingsAt(at)) {
      harness.setReply(dialect, { ...sampleReply(dialect, scenario, true), chunking, framing: 'chunked' });
      const error = await failureOf(
        askWithSdk(harness, { surface, model: `${dialect}/m-1`, feature: 'text', isStream: true }),
      );
      assert.equal(error.status, undefined, `${scenario}: ${error.message}`);
      ids.push(harness.lastId());
      count(surface, dialect, 'error inside');
    }
  for (const id of ids) {
    const row = await harness.row(id);
    assert.deepEqual([row['status'], row['state']], [200, 'partial']);
  }
}

interface Failure {
  readonly name: 'openai' | 'anthropic';
  readonly status: number | undefined;
  readonly message: string;
}

async function failureOf(asked: Promise<SdkAnswer>): Promise<Failure> {
  try {
    const { finish } = await asked;
    // A failed Responses stream is no exception to its client: the response says so itself.
    assert.equal(finish, 'failed');
    return { name: 'openai', status: undefined, message: finish };
  } catch (error) {
    if (error instanceof OpenAIError || error instanceof AnthropicError)
      return {
        name: error instanceof OpenAIError ? 'openai' : 'anthropic',
        status: typeof error.status === 'number' ? error.status : undefined,
        message: error.message,
      };
    throw error;
  }
}
