// Our answers against our own schemas, and against the official specifications where they lie beside the project, with
// the relaxations real provider traffic needs.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { answerViolations, eventViolations } from '@floe/testkit/answer-schemas';
import { violations } from '@floe/testkit/json-schema';
import { collect, eventsOf } from '../src/answer.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { listOf, objectOf, parseJson, textOf } from '../src/json-read.ts';
import { allRecordings, dialectOf } from './recordings.ts';
import { SAMPLES } from './samples.ts';
import { framesOf } from './strictness.ts';
import { CLIENTS, type ClientName, contextFor, READER, streamEvents } from './translate.ts';

const SPECS = process.env.FLOE_FIXTURES
  ? resolve(process.env.FLOE_FIXTURES, '../specs')
  : resolve(fileURLToPath(new URL('.', import.meta.url)), '../../../../shared/specs');
const present = existsSync(SPECS);
const load = (file: string): JsonObject => {
  const value = present ? parseJson(readFileSync(join(SPECS, file), 'utf8')) : {};
  assert.ok(isObject(value));
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
  return objectOf(objectOf(spec['components'])?.['schemas'])?.[name];
}

/** OpenAI's schema of each Responses event, by the constant of its `type`. */
const eventSchemas = new Map<string, Json>();
for (const choice of listOf(objectOf(schemas('ResponseStreamEvent'))?.['anyOf'])) {
  const schema = schemas(textOf(objectOf(choice)?.['$ref'])?.split('/').at(-1) ?? '');
  const type = objectOf(objectOf(objectOf(schema)?.['properties'])?.['type']);
  const word = textOf(type?.['const']) ?? textOf(listOf(type?.['enum'])[0]);
  if (word !== undefined && schema !== undefined) eventSchemas.set(word, schema);
}

function checkFrame(client: ClientName, data: JsonObject): string[] {
  return [...eventViolations(client, data), ...(present ? officialFrame(client, data) : [])];
}

function officialFrame(client: ClientName, data: JsonObject): string[] {
  if (client === 'chat')
    return data['error'] === undefined
      ? violations(data, schemas('CreateChatCompletionStreamResponse'), openai, { optional: CHAT })
      : violations(data, schemas('ErrorResponse'), openai, { optional: CHAT });
  if (client === 'messages')
    return data['type'] === 'ping' || data['type'] === 'error'
      ? []
      : violations(data, messageEvent, messageEvent, { optional: MESSAGES });
  const type = textOf(data['type']) ?? '';
  const schema = eventSchemas.get(type);
  const found =
    schema === undefined
      ? [`no schema for ${type}`]
      : violations(data, schema, openai, { optional: RESPONSES, openEnums: ['.error.code'] });
  const response = data['response'];
  return isObject(response) ? [...found, ...openResponse(response)] : found;
}

/** Open Responses knows no freeform calls; everything else must fit it, relaxations none. */
function openResponse(response: JsonObject): string[] {
  const custom = JSON.stringify(response).includes('"custom_tool_call"');
  return custom ? [] : violations(response, schemas('ResponseResource', open), open, { optional: new Set() });
}

function checkWhole(client: ClientName, body: Json): string[] {
  return [...answerViolations(client, body), ...(present ? officialWhole(client, body) : [])];
}

function officialWhole(client: ClientName, body: Json): string[] {
  if (client === 'chat')
    return violations(body, schemas('CreateChatCompletionResponse'), openai, { optional: CHAT });
  if (client === 'messages') return violations(body, message, message, { optional: MESSAGES });
  return isObject(body)
    ? [...violations(body, schemas('Response'), openai, { optional: RESPONSES }), ...openResponse(body)]
    : ['no object'];
}

describe('answers fit the schemas of their dialects', () => {
  const recorded = allRecordings().flatMap((recording) => {
    const dialect = dialectOf(recording);
    if (dialect === undefined || recording.status >= 400 || !recording.readable) return [];
    const events = recording.stream
      ? streamEvents(dialect, recording.body, 1 << 30)
      : [
          ...eventsOf(
            UPSTREAM_DIALECTS[dialect].readAnswer(parseJson(recording.body.toString('utf8')) ?? null, READER),
          ),
        ];
    return [{ name: recording.name, events }];
  });
  const own = SAMPLES.map(({ dialect, scenario, body }) => ({
    name: `${dialect}-${scenario}`,
    events: streamEvents(dialect, body, 1 << 30),
  }));
  for (const client of CLIENTS)
    test(`${client}: every frame and every whole answer of ${recorded.length + own.length} exchanges`, () => {
      for (const { name, events } of [...own, ...recorded]) {
        const writer = CLIENT_DIALECTS[client].answerWriter(contextFor());
        const sse = events.map((event) => writer.write(event)).join('');
        const seen = new Map<string, number>();
        for (const { data } of framesOf(sse)) {
          if (data === '[DONE]') continue;
          const frame = parseJson(data);
          assert.ok(isObject(frame));
          const shape = `${frame['type']} ${Object.keys(objectOf(frame['delta']) ?? {}).join()}`;
          const times = (seen.get(shape) ?? 0) + 1;
          seen.set(shape, times);
          if (times <= 8) assert.deepEqual(checkFrame(client, frame), [], `${name}: ${data.slice(0, 300)}`);
        }
        const answer = collect(events);
        if (answer.fault) continue;
        const body = parseJson(
          JSON.stringify(CLIENT_DIALECTS[client].writeAnswer(answer, contextFor()).body),
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
