// Tier: ci. Official clients over every error.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { splitFrames } from '@floe/testkit/chunking';
import { callHttp } from '@floe/testkit/http-client';
import { loadProjectRecording } from '@floe/testkit/recordings';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import OpenAI, { APIError } from 'openai';
import { type ChatCase, loadChatCases, parseChatContent, withoutReasoning } from './recorded-chat.ts';
import {
  RECORDED_KINDS,
  type RecordedKind,
  type RecordingGateway,
  startRecordingGateway,
  type TappedClient,
} from './recording-gateway.ts';

/** How Floe returns a recorded error to the client. */
type Fate = 'unchanged' | 'auth' | 'rate' | 'broken' | 'in-stream';

/** The SDK's class for a status; any other is a plain `APIError`. */
const CLASSES = new Map<number, unknown>([
  [400, OpenAI.BadRequestError],
  [403, OpenAI.PermissionDeniedError],
  [404, OpenAI.NotFoundError],
  [422, OpenAI.UnprocessableEntityError],
  [429, OpenAI.RateLimitError],
  [502, OpenAI.InternalServerError],
]);

const MESSAGES = [{ role: 'user' as const, content: 'How thick is the ice?' }];

const { cases } = loadChatCases();
const failures = cases.flatMap((one) => {
  const fate = fateOf(one);
  return fate ? [{ one, fate }] : [];
});
const counts = new Map<string, number>();
let gateway: RecordingGateway;

before(async () => {
  gateway = await startRecordingGateway();
});
after(async () => {
  await gateway.close();
  for (const [name, count] of counts) process.stdout.write(`# ${name} ${count}\n`);
});

describe('a recorded error reaches the official client as', () => {
  const told: Readonly<Record<Fate, string>> = {
    unchanged: 'the class of its status, status and bytes unchanged, when the request was at fault',
    auth: 'a 502 that is not tried again and hints at no key of the caller, when our credential was',
    rate: 'a 429 with the time to wait, when the provider was too busy',
    broken: 'a 502 with the provider’s message, when the provider failed before any content',
    'in-stream': 'one error event after the content that came, without an invented end',
  };
  for (const fate of ['unchanged', 'auth', 'rate', 'broken', 'in-stream'] as const)
    test(told[fate], async () => {
      const mine = failures.filter((failure) => failure.fate === fate);
      assert.ok(mine.length > 0);
      for (const { one } of mine) {
        await checkError(one, fate);
        const name = `${one.kind.padEnd(18)}${fate.padEnd(15)}${one.origin.padEnd(7)}`;
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
    });
});

test('a stream that is cut off ends with an error event, for every provider', async () => {
  for (const kind of RECORDED_KINDS) {
    const { interaction, pieces } = textStreamOf(kind);
    const reply = { interaction, body: Buffer.concat(pieces.slice(0, 5)) };
    const { chunks, error } = await streamed(kind, 'm', reply, gateway.client('strip'));
    assert.ok(chunks.length > 0, kind);
    assert.deepEqual([error.status, error.code], [undefined, 'upstream_stream_broken'], kind);
  }
});

test('a stream that fails before its first content is a plain 502', async () => {
  const { interaction, pieces } = textStreamOf('groq');
  const error = 'event: error\ndata: {"error":{"message":"no luck","type":"server_error"}}\n\n';
  const reply = { interaction, body: Buffer.concat([pieces[0] ?? Buffer.alloc(0), Buffer.from(error)]) };
  const failed = await streamed('groq', 'm', reply, gateway.client('strip'));
  assert.deepEqual([failed.chunks, failed.error.status, failed.error.code], [[], 502, 'upstream_error']);
  assert.match(failed.error.message, /no luck/);
});

function fateOf({ kind, recorded }: ChatCase): Fate | undefined {
  const { status } = recorded;
  const text = recorded.body.toString('utf8');
  if (status === 200) {
    const isStream = isEventStream(recorded.headers);
    const said = parseChatContent(recorded.body, isStream, false);
    if (said.error === undefined && said.choices.length > 0) return undefined;
    return isStream ? 'in-stream' : 'broken';
  }
  if (kind === 'together' && status === 403 && text.includes('context length')) return 'unchanged';
  if (status === 401 || status === 403) return 'auth';
  if (kind === 'xai' && status === 400 && text.includes('Incorrect API key')) return 'auth';
  // A spent account is no rate that a caller could wait out (decisions/0033).
  if (status === 429) return text.includes('insufficient_quota') ? 'auth' : 'rate';
  return status >= 500 ? 'broken' : 'unchanged';
}

async function checkError(one: ChatCase, fate: Fate): Promise<void> {
  const { kind, recorded, model, name } = one;
  if (fate === 'in-stream') return checkErrorInStream(one);
  const tapped = gateway.client('strip', { maxRetries: fate === 'auth' ? 2 : 0 });
  const before = gateway.received(kind).length;
  const reply = { interaction: recorded };
  const error = recorded.stream
    ? (await streamed(kind, model, reply, tapped)).error
    : await refused(kind, model, reply, tapped);
  const { status, headers, errorText = '' } = tapped.last();
  const dueStatus = fate === 'unchanged' ? recorded.status : fate === 'rate' ? 429 : 502;
  assert.equal(error.status, dueStatus, name);
  assert.equal(error.constructor, CLASSES.get(dueStatus) ?? APIError, name);
  assert.equal(status, dueStatus, name);
  assert.equal(headers.get('x-floe-error-source'), 'upstream', name);
  assert.equal(gateway.received(kind).length - before, 1, `${name}: asked more than once`);
  const code = { unchanged: undefined, auth: 'upstream_auth_failed', rate: 'upstream_rate_limited' };
  if (fate === 'unchanged') {
    assert.equal(errorText, recorded.body.toString('utf8'), name);
    assert.equal(headers.get('content-type'), recorded.headers['content-type'], name);
  } else {
    assert.equal(error.code, fate === 'broken' ? 'upstream_error' : code[fate], name);
    assert.equal(error.requestID, headers.get('x-request-id'), name);
  }
  if (fate === 'auth') {
    assert.equal(headers.get('x-should-retry'), 'false', name);
    assert.doesNotMatch(errorText, /api key|apikey|upstream-secret|eis_/i, name);
  }
  if (fate === 'rate') checkWait(one, headers);
  if (fate === 'rate' || fate === 'broken') assert.ok(errorText.includes(messageOf(one)), name);
  const row = await rowOf(tapped);
  assert.deepEqual([row.status, row.state, row.error_source], [dueStatus, 'failed', 'upstream'], name);
  assert.deepEqual(attemptStatuses(row), [recorded.status], name);
}

/** The longer of the two headers, in whole seconds and in milliseconds; a second where the provider names none. */
function checkWait({ recorded, name }: ChatCase, headers: Headers): void {
  const seconds = Number(recorded.headers['retry-after'] ?? 0);
  const dueMs = Math.max(seconds * 1000, Number(recorded.headers['retry-after-ms'] ?? 0)) || 1000;
  assert.equal(Number(headers.get('retry-after-ms')), dueMs, name);
  assert.equal(Number(headers.get('retry-after')), Math.ceil(dueMs / 1000), name);
}

async function checkErrorInStream(one: ChatCase): Promise<void> {
  const { kind, recorded, model, name } = one;
  const said = parseChatContent(recorded.body, true, false);
  // An error event is classified by the status that it contains.
  const isInvalidRequest = /"(?:status_code|code)":400\b/.test(recorded.body.toString());
  const code = isInvalidRequest ? 'invalid_request' : 'upstream_error';
  const type = isInvalidRequest ? 'invalid_request_error' : 'api_error';
  for (const chunking of ['frames', 'whole', { seed: 5 }] as const) {
    const tapped = gateway.client('strip');
    const reply = { interaction: recorded, chunking, framing: 'chunked' } as const;
    const { chunks, error } = await streamed(kind, model, reply, tapped);
    assert.deepEqual(chunks.map(withNullFinish), said.values.map(withoutReasoning).map(withNullFinish), name);
    assert.deepEqual([error.status, error.code, error.type], [undefined, code, type], name);
    assert.ok(error.message.includes(messageOf(one)), name);
    const row = await rowOf(tapped);
    assert.deepEqual([row.status, row.state, row.error_code], [200, 'partial', code], name);
  }
  const raw = await callHttp(`${gateway.url}/chat/completions`, {
    headers: { authorization: `Bearer ${gateway.key('strip')}` },
    body: { model: `${kind}/${model}`, messages: MESSAGES, stream: true },
  });
  assert.ok(raw.isComplete && !raw.text.includes('[DONE]'), name);
  assert.equal(raw.headers['connection'], 'close', name);
  const last: unknown = JSON.parse(raw.frames().at(-1)?.data ?? '');
  assert.ok(isJsonObject(last) && last.request_id === raw.headers['x-request-id'], name);
}

async function refused(
  kind: RecordedKind,
  model: string,
  reply: UpstreamReply,
  { client }: TappedClient,
): Promise<APIError> {
  gateway.setReply(kind, reply);
  try {
    await client.chat.completions.create({ model: `${kind}/${model}`, messages: MESSAGES });
  } catch (error) {
    return apiError(error);
  }
  return assert.fail(`${kind}: the answer was no error`);
}

async function streamed(kind: RecordedKind, model: string, reply: UpstreamReply, { client }: TappedClient) {
  gateway.setReply(kind, reply);
  const chunks: JsonObject[] = [];
  try {
    const request = { model: `${kind}/${model}`, messages: MESSAGES, stream: true } as const;
    for await (const chunk of await client.chat.completions.create(request)) {
      const value: unknown = chunk;
      if (isJsonObject(value)) chunks.push(value);
    }
  } catch (error) {
    return { chunks, error: apiError(error) };
  }
  return assert.fail(`${kind}: the stream ended well`);
}

function apiError(error: unknown): APIError {
  return error instanceof APIError ? error : assert.fail(`not an APIError: ${error}`);
}

async function rowOf(tapped: TappedClient): Promise<JsonObject> {
  const id = tapped.last().headers.get('x-request-id') ?? assert.fail('no request id');
  return (await gateway.rows('strip', [id])).get(id) ?? assert.fail('no row');
}

function attemptStatuses({ attempts }: JsonObject): unknown[] {
  return Array.isArray(attempts) ? attempts.map((attempt) => isJsonObject(attempt) && attempt.status) : [];
}

/** The provider's own words, wherever its error keeps them. */
function messageOf({ recorded }: ChatCase): string {
  const isStream = isEventStream(recorded.headers);
  const text = recorded.body.toString('utf8');
  const body: unknown = isStream
    ? { error: parseChatContent(recorded.body, true, false).error }
    : JSON.parse(text);
  if (!isJsonObject(body)) return assert.fail(text);
  const message = isJsonObject(body.error) ? body.error.message : (body.error ?? body.message ?? '');
  return typeof message === 'string' ? message : assert.fail(text);
}

function textStreamOf(kind: RecordedKind) {
  const provider = kind === 'openai-compatible' ? 'openai' : kind;
  const interaction =
    loadProjectRecording(provider, 'text-stream').interactions[0] ?? assert.fail('no recording');
  return { interaction, pieces: splitFrames(interaction.body, 'text/event-stream') };
}

/** The official client adds the `finish_reason: null` that some providers leave out of their chunks. */
function withNullFinish(value: JsonObject): JsonObject {
  const choices = Array.isArray(value.choices) ? value.choices.filter(isJsonObject) : [];
  return { ...value, choices: choices.map((choice) => ({ finish_reason: null, ...choice })) };
}

function isEventStream(headers: Readonly<Record<string, string>>): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}
