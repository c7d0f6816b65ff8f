// Our answers against our own schemas, and against the official specifications where they lie beside the project, with
// the relaxations real provider traffic needs.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { findSchemaViolations } from '@floe/testkit/json-schema';
import { findEventViolations, findResponseViolations } from '@floe/testkit/response-schemas';
import { accumulateResponse, toResponseEvents } from '../src/canonical-response.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { asArray, asObject, asString, tryParseJson } from '../src/json-narrowing.ts';
import { allRecordings, recordedDialect } from './recordings.ts';
import { RECORDED_STREAMS } from './samples.ts';
import { parseStrictFrames } from './strictness.ts';
import {
  ANSWER_READ_OPTIONS,
  CLIENT_NAMES,
  type ClientName,
  createAnswerContext,
  readStreamEvents,
} from './translate.ts';

const SPECS = process.env.FLOE_FIXTURES
  ? resolve(process.env.FLOE_FIXTURES, '../specs')
  : resolve(fileURLToPath(new URL('.', import.meta.url)), '../../../../shared/specs');
const present = existsSync(SPECS);
const load = (file: string): JsonObject => {
  const value = present ? tryParseJson(readFileSync(join(SPECS, file), 'utf8')) : {};
  assert.ok(isJsonObject(value));
  return value;
};
const openai = load('openai-openapi.json');
const open = load('openresponses-2026-04-24.json');
const message = load('anthropic-message.schema.json');
const messageEvent = load('anthropic-stream-event.schema.json');

const CHAT = new Set([
  'logprobs',
  'refusal',
  'system_fingerprint',
  'param',
  'annotations',
  'tools',
  'metadata',
  'user',
  'service_tier',
]);
const RESPONSES = new Set([
  'user',
  'usage',
  'logprobs',
  'name',
  'sequence_number',
  'code',
  'cache_write_tokens',
  'status',
  'obfuscation',
]);
const MESSAGES = new Set([
  'container',
  'stop_details',
  'context_management',
  'caller',
  'citations',
  'cache_creation',
  'inference_geo',
  'output_tokens_details',
  'server_tool_use',
  'service_tier',
  'speed',
  'diagnostics',
  'iterations',
]);

function schemas(name: string, spec = openai): Json | undefined {
  return asObject(asObject(spec['components'])?.['schemas'])?.[name];
}

/** OpenAI's schema of each Responses event, by the constant of its `type`. */
const eventSchemas = new Map<string, Json>();
for (const choice of asArray(asObject(schemas('ResponseStreamEvent'))?.['anyOf'])) {
  const schema = schemas(asString(asObject(choice)?.['$ref'])?.split('/').at(-1) ?? '');
  const type = asObject(asObject(asObject(schema)?.['properties'])?.['type']);
  const word = asString(type?.['const']) ?? asString(asArray(type?.['enum'])[0]);
  if (word !== undefined && schema !== undefined) eventSchemas.set(word, schema);
}

function checkFrame(client: ClientName, data: JsonObject): string[] {
  return [...findEventViolations(client, data), ...(present ? officialFrame(client, data) : [])];
}

function officialFrame(client: ClientName, data: JsonObject): string[] {
  if (client === 'chat')
    return data['error'] === undefined
      ? findSchemaViolations(data, schemas('CreateChatCompletionStreamResponse'), openai, { optional: CHAT })
      : findSchemaViolations(data, schemas('ErrorResponse'), openai, { optional: CHAT });
  if (client === 'messages')
    return data['type'] === 'ping' || data['type'] === 'error'
      ? []
      : findSchemaViolations(data, messageEvent, messageEvent, { optional: MESSAGES });
  const type = asString(data['type']) ?? '';
  const schema = eventSchemas.get(type);
  const found =
    schema === undefined
      ? [`no schema for ${type}`]
      : findSchemaViolations(data, schema, openai, { optional: RESPONSES, openEnums: ['.error.code'] });
  const response = data['response'];
  return isJsonObject(response) ? [...found, ...openResponse(response)] : found;
}

/** Open Responses knows no freeform calls; everything else must fit it, relaxations none. */
function openResponse(response: JsonObject): string[] {
  const custom = JSON.stringify(response).includes('"custom_tool_call"');
  return custom
    ? []
    : findSchemaViolations(response, schemas('ResponseResource', open), open, { optional: new Set() });
}

function checkWhole(client: ClientName, body: Json): string[] {
  return [...findResponseViolations(client, body), ...(present ? officialWhole(client, body) : [])];
}

function officialWhole(client: ClientName, body: Json): string[] {
  if (client === 'chat')
    return findSchemaViolations(body, schemas('CreateChatCompletionResponse'), openai, { optional: CHAT });
  if (client === 'messages') return findSchemaViolations(body, message, message, { optional: MESSAGES });
  return isJsonObject(body)
    ? [
        ...findSchemaViolations(body, schemas('Response'), openai, { optional: RESPONSES }),
        ...openResponse(body),
      ]
    : ['no object'];
}

describe('answers fit the schemas of their dialects', () => {
  const recorded = allRecordings().flatMap((recording) => {
    const dialect = recordedDialect(recording);
    if (dialect === undefined || recording.status >= 400 || !recording.readable) return [];
    const events = recording.stream
      ? readStreamEvents(dialect, recording.body, 1 << 30)
      : [
          ...toResponseEvents(
            UPSTREAM_DIALECTS[dialect].readCompleteResponse(
              tryParseJson(recording.body.toString('utf8')) ?? null,
              ANSWER_READ_OPTIONS,
            ),
          ),
        ];
    return [{ name: recording.name, events }];
  });
  const own = RECORDED_STREAMS.map(({ dialect, scenario, body }) => ({
    name: `${dialect}-${scenario}`,
    events: readStreamEvents(dialect, body, 1 << 30),
  }));
  for (const client of CLIENT_NAMES)
    test(`${client}: every frame and every whole answer of ${recorded.length + own.length} exchanges`, () => {
      for (const { name, events } of [...own, ...recorded]) {
        const writer = CLIENT_DIALECTS[client].createResponseWriter(createAnswerContext());
        const sse = events.map((event) => writer.write(event)).join('');
        const seen = new Map<string, number>();
        for (const { data } of parseStrictFrames(sse)) {
          if (data === '[DONE]') continue;
          const frame = tryParseJson(data);
          assert.ok(isJsonObject(frame));
          const shape = `${frame['type']} ${Object.keys(asObject(frame['delta']) ?? {}).join()}`;
          const times = (seen.get(shape) ?? 0) + 1;
          seen.set(shape, times);
          if (times <= 8) assert.deepEqual(checkFrame(client, frame), [], `${name}: ${data.slice(0, 300)}`);
        }
        const answer = accumulateResponse(events);
        if (answer.fault) continue;
        const body = tryParseJson(
          JSON.stringify(CLIENT_DIALECTS[client].writeCompleteResponse(answer, createAnswerContext()).body),
        );
        assert.deepEqual(checkWhole(client, body ?? null), [], name);
      }
    });
});

test('the schema reader finds what is wrong', () => {
  assert.notDeepEqual(checkWhole('messages', { id: 'msg_1', type: 'message', role: 'user' }), []);
  assert.notDeepEqual(checkWhole('responses', { id: 'resp_1' }), []);
  assert.notDeepEqual(checkWhole('chat', { id: 'x', choices: [{ index: 'a' }] }), []);
  assert.notDeepEqual(
    checkFrame('messages', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta' } }),
    [],
  );
  assert.notDeepEqual(checkFrame('responses', { type: 'response.output_text.delta', delta: 1 }), []);
});
