// Tier: ci. Official clients over every recording.
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { after, before, describe, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { Chunking } from '@floe/testkit/chunking';
import type { ChatCompletion, ChatCompletionCreateParamsBase } from 'openai/resources/chat/completions';
import {
  type ChatCase,
  type ChatContent,
  isUsageChunk,
  loadChatCases,
  parseChatContent,
  type RecordedChoice,
  withoutReasoning,
} from './recorded-chat.ts';
import {
  RECORDED_KINDS,
  type RecordedKind,
  type RecordingGateway,
  startRecordingGateway,
  type TappedExchange,
} from './recording-gateway.ts';

/** `stream` leaves usage to the provider, `usage` asks for it, `helper` is the SDK's accumulating stream. */
type Mode = 'create' | 'stream' | 'usage' | 'helper';

const CHUNKINGS: readonly Chunking[] = ['frames', 'whole', { seed: 20 }, { seed: 21, meanBytes: 400 }];
/** Providers that send usage only when asked (each one's documentation of `stream_options`). */
const ASKED: readonly RecordedKind[] = ['openai', 'ollama', 'openai-compatible'];
const ASKS = { include_usage: true };

const { cases, absent } = loadChatCases();
const answers = cases.filter(({ recorded, kind, model }) => {
  if (recorded.status !== 200 || !isUtf8(recorded.body)) return false;
  const said = parseChatContent(recorded.body, isEventStream(recorded), hasThinkTags(kind, model));
  return said.error === undefined && said.choices.length > 0;
});
const counts = new Map<string, Map<string, number>>();
let gateway: RecordingGateway;

before(async () => {
  gateway = await startRecordingGateway();
});
after(async () => {
  await gateway.close();
  for (const [name, modes] of counts)
    process.stdout.write(`# ${name}${[...modes].map(([mode, count]) => ` ${mode} ${count}`).join(',')}\n`);
});

describe('the official client loses nothing of the recordings', () => {
  for (const kind of RECORDED_KINDS)
    test(`behind ${kind}`, async () => {
      const mine = answers.filter((one) => one.kind === kind);
      assert.ok(mine.length > 0);
      const done: Exchange[] = [];
      for (const [at, one] of mine.entries())
        for (const [turn, mode] of modesOf(one).entries())
          done.push(await drive(one, mode, CHUNKINGS[(at + turn) % CHUNKINGS.length] ?? 'whole'));
      await checkRows(done);
    });
});

test('all recordings were used', () => {
  for (const kind of RECORDED_KINDS)
    for (const origin of absent === undefined ? ['own', 'shared'] : ['own'])
      assert.ok(
        answers.some((one) => one.kind === kind && one.origin === origin),
        `nothing recorded of ${kind} (${origin})`,
      );
});

interface Exchange {
  readonly one: ChatCase;
  readonly said: ChatContent;
  readonly tap: TappedExchange;
  readonly isStream: boolean;
}

function modesOf({ recorded, kind }: ChatCase): readonly Mode[] {
  if (!isEventStream(recorded)) return ['create'];
  // Mistral refuses stream_options and gives usage unasked: its clients do not send it.
  return kind === 'mistral' ? ['stream', 'helper'] : ['stream', 'usage', 'helper'];
}

async function drive(one: ChatCase, mode: Mode, chunking: Chunking): Promise<Exchange> {
  const { kind, recorded, model } = one;
  const what = `${one.name} ${mode} ${JSON.stringify(chunking)}`;
  const said = parseChatContent(recorded.body, mode !== 'create', hasThinkTags(kind, model));
  gateway.setReply(kind, { interaction: recorded, chunking, framing: 'chunked' });
  const { client, last } = gateway.client('strip');
  const asks = mode === 'usage' || (mode === 'helper' && kind !== 'mistral');
  const request = {
    ...one.request,
    model: `${kind}/${model}`,
    ...(asks && { stream_options: ASKS }),
  };
  if (!isRequest(request)) return assert.fail(`${what}: no messages`);

  const seen: unknown[] = [];
  if (mode === 'create') seen.push(await client.chat.completions.create(request));
  else if (mode === 'stream' || mode === 'usage')
    for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
      seen.push(chunk);
  else {
    const final = await client.chat.completions.stream(request).finalChatCompletion();
    checkFinal(final, said, what);
    seen.push(final);
  }
  if (mode !== 'helper') checkValues(seen, expectedValues(one, said, asks), hasThinkTags(kind, model), what);
  checkNoReasoning(seen, said, what);
  checkUpstreamRequest(one, last(), asks, what);
  count(one, said, mode);
  return { one, said, tap: last(), isStream: mode !== 'create' };
}

/** The client sends any object with a model and messages as it stands; that much is looked at here. */
function isRequest(value: object): value is Omit<ChatCompletionCreateParamsBase, 'stream'> {
  return 'model' in value && 'messages' in value && Array.isArray(value.messages) && !('stream' in value);
}

/** The chunks or the answer that the client is to get, in order. */
function expectedValues(
  { kind, recorded }: ChatCase,
  said: ChatContent,
  asks: boolean,
): readonly JsonObject[] {
  const floeAsked = isEventStream(recorded) && !asks && ASKED.includes(kind);
  const due = floeAsked ? said.values.filter((value) => !isUsageChunk(value)) : said.values;
  return due.map(withoutReasoning).map(asTheClientReads);
}

/** The official client adds the `finish_reason: null` that some providers leave out of their chunks. */
function asTheClientReads(value: JsonObject): JsonObject {
  if (value.object !== 'chat.completion.chunk' || !Array.isArray(value.choices)) return value;
  const choices = value.choices.map((choice) =>
    isJsonObject(choice) && !('finish_reason' in choice) ? { ...choice, finish_reason: null } : choice,
  );
  return { ...value, choices };
}

/** Deep equality; where tags are cut out of the text, the text is compared as a whole. */
function checkValues(
  seen: readonly unknown[],
  due: readonly JsonObject[],
  thinkTags: boolean,
  what: string,
): void {
  if (!thinkTags) return assert.deepEqual(seen, due, what);
  assert.deepEqual(seen.map(withoutText), due.map(withoutText), what);
  const whole = textOf(due).replace(/^\s*<think>[\s\S]*?<\/think>[\r\n]*/, '');
  assert.equal(textOf(seen), whole, what);
}

/** What the SDK's stream helper puts together, against what the recorded pieces add up to. */
function checkFinal(final: ChatCompletion, said: ChatContent, what: string): void {
  const choices = final.choices.map(
    ({ message, finish_reason }): RecordedChoice => ({
      text: message.content ?? '',
      refusal: message.refusal ?? '',
      calls: (message.tool_calls ?? []).map((made) => ({
        id: made.id,
        name: made.type === 'function' ? made.function.name : '',
        arguments: made.type === 'function' ? made.function.arguments : '',
      })),
      finish: finish_reason,
    }),
  );
  assert.deepEqual(choices, said.choices, what);
  const last = (name: string) => said.values.filter((value) => value.id && name in value).at(-1)?.[name];
  for (const name of ['id', 'model', 'created', 'usage', 'service_tier', 'provider', 'x_groq', 'citations'])
    assert.deepEqual(
      Object.entries(final).find(([key]) => key === name)?.[1],
      last(name),
      `${what}: ${name}`,
    );
}

function checkNoReasoning(seen: readonly unknown[], said: ChatContent, what: string): void {
  if (said.reasoning.length < 20) return;
  const told = seen.flatMap((value) =>
    choicesOf(value).flatMap(({ delta, message }) => strings([delta, message])),
  );
  assert.ok(!told.join('').includes(said.reasoning), `${what}: reasoning reached the client`);
}

/** Byte for byte what the client sent, but for the model, and the usage that Floe asks for where the client did not. */
function checkUpstreamRequest(
  { kind, model }: ChatCase,
  tap: TappedExchange,
  asks: boolean,
  what: string,
): void {
  const received = gateway.received(kind).at(-1) ?? assert.fail(`${what}: nothing was asked`);
  const prefixed = JSON.stringify(`${kind}/${model}`);
  const parts = tap.sent.split(`"model":${prefixed}`);
  assert.equal(parts.length, 2, what);
  const bare = parts.join(`"model":${JSON.stringify(model)}`);
  const added = '"stream_options":{"include_usage":true},';
  const isOurs = !asks && ASKED.includes(kind) && bare.includes('"stream":true');
  assert.equal(received.body.toString('utf8'), isOurs ? `{${added}${bare.slice(1)}` : bare, what);
  // One provider's own addresses have no version; one configured for it is taken off.
  assert.equal(received.path, kind === 'deepseek' ? '/chat/completions' : '/v1/chat/completions', what);
  assert.equal(received.headers['authorization'], 'Bearer upstream-secret', what);
  assert.doesNotMatch(JSON.stringify(received.rawHeaders), /eis_/, what);
}

async function checkRows(done: readonly Exchange[]): Promise<void> {
  const idOf = ({ tap }: Exchange) => tap.headers.get('x-request-id') ?? assert.fail('no request id');
  const rows = await gateway.rows('strip', done.map(idOf));
  for (const exchange of done) {
    const { one, said, isStream } = exchange;
    const row = rows.get(idOf(exchange)) ?? assert.fail(`${one.name}: no row`);
    const { id: _id, created_at: _at, latency_ms: _l, first_token_ms: _f, overhead_ms: _o, ...fixed } = row;
    const { attempts, decisions: _decisions, usage, key_id, finish_reason, ...measured } = fixed;
    const { request_bytes, response_bytes, ...rest } = measured;
    assert.match(String(key_id), /^key_/);
    assert.equal(typeof finish_reason, 'string', one.name);
    assert.ok(Number(request_bytes) > 0 && Number(response_bytes) > 0, one.name);
    assert.deepEqual(
      rest,
      {
        surface: 'chat',
        route_mode: 'unified',
        key_name: 'sdk',
        team: null,
        owner: null,
        end_user: one.request.user ?? null,
        client: 'openai-sdk',
        session: row['session'],
        model_requested: `${one.kind}/${one.model}`,
        provider: one.kind,
        model: one.model,
        stream: isStream,
        status: 200,
        state: 'complete',
        outcome: 'succeeded',
        error_code: null,
        error_source: null,
        cost_nano_usd: 0,
        cost_usd: '0',
        cost_source: 'free',
        saved_nano_usd: null,
        prompt_saved_nano_usd: row['prompt_saved_nano_usd'],
        attempt_count: 1,
        cache: null,
        metadata: {},
        dropped: [],
      },
      one.name,
    );
    assert.ok(Array.isArray(attempts) && attempts.length === 1, one.name);
    if (said.usage) assert.deepEqual(tokensOf(usage), usageOfRow(said.usage), one.name);
    else checkEstimate(tokensOf(usage), one.name);
  }
}

/** Without what is billed beside tokens, which the recordings of one provider have and others have not. */
function tokensOf(usage: unknown): JsonObject {
  assert.ok(isJsonObject(usage));
  const { billed_units: _units, service_tier: _tier, ...tokens } = usage;
  return tokens;
}

/** Output is what the total leaves beside the prompt: some providers keep reasoning out of `completion_tokens`. */
function usageOfRow(usage: JsonObject): JsonObject {
  const { prompt_tokens: input, total_tokens: total, completion_tokens: completion } = usage;
  const prompt = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const detail = isJsonObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  return {
    input_tokens: input ?? null,
    cached_tokens:
      prompt.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.num_cached_tokens ??
      usage.cached_tokens ??
      null,
    cache_write_tokens: prompt.cache_write_tokens ?? null,
    output_tokens:
      typeof total === 'number' && typeof input === 'number' ? total - input : (completion ?? null),
    reasoning_tokens: detail.reasoning_tokens ?? usage.reasoning_tokens ?? null,
    source: 'provider',
  };
}

/** Of an answer whose provider counted nothing, the size of both sides is all there is to count by. */
function checkEstimate(usage: unknown, what: string): void {
  assert.ok(isJsonObject(usage), what);
  const { input_tokens: input, output_tokens: output, source, ...rest } = usage;
  assert.equal(source, 'estimated', what);
  assert.ok(Number(input) > 0 && Number(output) > 0, what);
  assert.deepEqual(Object.values(rest), [null, null, null], what);
}

function count({ kind, request, origin }: ChatCase, said: ChatContent, mode: Mode): void {
  const calls = Math.max(...said.choices.map((choice) => choice.calls.length));
  const scenario = JSON.stringify(request.messages).includes('image_url')
    ? 'vision'
    : calls > 1
      ? 'parallel tools'
      : calls === 1
        ? 'tools'
        : said.choices.some((choice) => choice.refusal !== '')
          ? 'refusal'
          : said.reasoning !== ''
            ? 'reasoning'
            : request.response_format
              ? 'structured'
              : 'text';
  const name = `${kind.padEnd(18)}${scenario.padEnd(15)}${origin.padEnd(7)}`;
  const modes = counts.get(name) ?? new Map<string, number>();
  counts.set(name, modes.set(mode, (modes.get(mode) ?? 0) + 1));
}

function hasThinkTags(kind: RecordedKind, model: string): boolean {
  return (
    (kind === 'fireworks' && /deepseek-r1/.test(model)) || (kind === 'together' && /DeepSeek-R1/.test(model))
  );
}

function isEventStream({ headers }: ChatCase['recorded']): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

function choicesOf(value: unknown): readonly JsonObject[] {
  return isJsonObject(value) && Array.isArray(value.choices) ? value.choices.filter(isJsonObject) : [];
}

function textOf(values: readonly unknown[]): string {
  const messages = values.flatMap(choicesOf).map(({ delta, message }) => delta ?? message);
  return messages.map((message) => (isJsonObject(message) && message.content) || '').join('');
}

function withoutText(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => (name === 'content' ? '' : inner)));
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}
