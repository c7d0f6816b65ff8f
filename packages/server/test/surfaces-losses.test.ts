// What a request loses on its way to another dialect is said; what it must not lose refuses the target.
// Tier: ci. Every lossy field over every dialect.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import { TEST_DIALECTS, type TestDialect } from './answer-content.ts';
import {
  CLIENT_SURFACES,
  type ClientSurface,
  type DialectGateway,
  SURFACE_PATHS,
  startDialectGateway,
} from './dialect-gateway.ts';
import { sampleReply } from './upstream-samples.ts';

const TURN = [{ role: 'user', content: 'How thick is the ice?' }];
const BASES: Readonly<Record<ClientSurface, JsonObject>> = {
  chat: { messages: TURN },
  responses: { input: TURN },
  messages: { messages: TURN, max_tokens: 100 },
};

/** Hints of each surface, each with a value that is found again wherever it was carried. */
const HINTS: Readonly<Record<ClientSurface, Readonly<Record<string, Json>>>> = {
  chat: {
    seed: 4242,
    presence_penalty: 0.37,
    frequency_penalty: 0.29,
    temperature: 0.41,
    top_p: 0.83,
    stop: ['halt-7'],
    max_tokens: 777,
    user: 'user-7',
    metadata: { trail: 'north-7' },
    service_tier: 'flex',
    prompt_cache_key: 'cache-7',
    verbosity: 'low',
    logit_bias: { '50256': -100 },
    prediction: { type: 'content', content: 'guess-7' },
  },
  responses: {
    temperature: 0.41,
    top_p: 0.83,
    max_output_tokens: 777,
    user: 'user-7',
    metadata: { trail: 'north-7' },
    service_tier: 'flex',
    prompt_cache_key: 'cache-7',
    text: { verbosity: 'low' },
    truncation: 'auto',
    max_tool_calls: 17,
  },
  messages: {
    temperature: 0.41,
    top_p: 0.83,
    top_k: 37,
    stop_sequences: ['halt-7'],
    metadata: { user_id: 'user-7' },
    service_tier: 'standard_only',
    context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
  },
};
interface Need {
  readonly param: string;
  readonly more: JsonObject;
  /** Dialects that carry it beside the surface's own. */
  readonly carriedBy?: readonly TestDialect[];
  /** Of the refusal; `unsupported_parameter` unless given. */
  readonly code?: string;
}

const part = (...parts: JsonObject[]) => [{ role: 'user', content: parts }];
const NEEDS: Readonly<Record<ClientSurface, readonly Need[]>> = {
  chat: [
    { param: 'n', more: { n: 2 } },
    { param: 'logprobs', more: { logprobs: true } },
    { param: 'web_search_options', more: { web_search_options: {} } },
    {
      param: 'messages[0].content[0]',
      more: { messages: part({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }) },
      carriedBy: ['gemini'],
    },
    {
      param: 'messages[0].content[0]',
      more: { messages: part({ type: 'file', file: { file_id: 'file-7' } }) },
    },
  ],
  responses: [
    {
      param: 'previous_response_id',
      more: { previous_response_id: 'resp_7' },
      code: 'previous_response_not_found',
    },
    { param: 'background', more: { background: true } },
    { param: 'conversation', more: { conversation: 'conv_7' } },
    { param: 'tools[0]', more: { tools: [{ type: 'web_search' }] } },
    {
      param: 'input[0].content[0]',
      more: { input: part({ type: 'input_image', file_id: 'file-7', detail: 'auto' }) },
    },
  ],
  messages: [
    { param: 'tools[0]', more: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] } },
    { param: 'mcp_servers', more: { mcp_servers: [{ type: 'url', url: 'https://mcp.test', name: 'm' }] } },
    {
      param: 'messages[0].content[0]',
      more: { messages: part({ type: 'document', source: { type: 'file', file_id: 'file-7' } }) },
    },
  ],
};

let harness: DialectGateway;
before(async () => {
  harness = await startDialectGateway();
});
after(() => harness.close());

async function ask(surface: ClientSurface, dialect: TestDialect, more: JsonObject, stream = false) {
  harness.setReply(dialect, sampleReply(dialect, 'text', stream));
  return await callHttp(harness.url + SURFACE_PATHS[surface], {
    headers: { authorization: `Bearer ${harness.key}` },
    body: { model: `${dialect}/m-1`, ...BASES[surface], ...more, stream },
  });
}

for (const surface of CLIENT_SURFACES)
  for (const dialect of TEST_DIALECTS.filter((name) => name !== surface))
    describe(`${surface} over ${dialect}`, () => {
      test('a hint is sent or listed, in the header and in the row', async () => {
        for (const stream of [false, true]) {
          const answer = await ask(surface, dialect, HINTS[surface], stream);
          assert.equal(answer.status, 200, answer.text);
          const sent = harness.lastRequest(dialect).body.toString('utf8');
          const dropped = (answer.headers['x-floe-dropped'] ?? '').split(',');
          const row = await harness.row(answer.headers['x-request-id'] ?? '');
          assert.deepEqual(row['dropped'], dropped);
          for (const [name, value] of Object.entries(HINTS[surface])) {
            const isCarried = leavesOf(value).every((leaf) => sent.includes(JSON.stringify(leaf)));
            const isListed = dropped.some((one) => one.split('.')[0] === name);
            assert.ok(isCarried !== isListed, `${name}: carried ${isCarried}, listed ${dropped}`);
          }
        }
      });

      for (const { param, more, carriedBy, code = 'unsupported_parameter' } of NEEDS[surface])
        test(`${Object.keys(more)} (${param}) is ${carriedBy?.includes(dialect) ? 'carried' : 'refused by name'}`, async () => {
          const before = harness.upstream(dialect).requests.length;
          const answer = await ask(surface, dialect, more);
          if (carriedBy?.includes(dialect)) return assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.status, 400);
          assert.equal(harness.upstream(dialect).requests.length, before, 'nobody was asked');
          const body: unknown = answer.json();
          assert.ok(isJsonObject(body) && isJsonObject(body.error));
          assert.equal(body.error.type, 'invalid_request_error');
          assert.equal(body.error.code, code);
          assert.ok(String(body.error.param).startsWith(param), String(body.error.param));
          assert.equal(body.type, surface === 'messages' ? 'error' : undefined);
          assert.equal(answer.headers['x-floe-error-source'], 'gateway');
          const row = await harness.row(answer.headers['x-request-id'] ?? '');
          assert.deepEqual([row['status'], row['error_code'], row['attempts']], [400, code, []]);
        });
    });

function leavesOf(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap(leavesOf);
  if (isJsonObject(value)) return Object.values(value).flatMap(leavesOf);
  return value === undefined ? [] : [value];
}
