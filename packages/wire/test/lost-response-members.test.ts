// Every member that the official schemas allow in a response: it is translated, reported, or has no meaning for clients.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '@floe/contract/json';
import { loadOfficialResponseSchemas } from '@floe/testkit/official-responses';
import { accumulateResponse, type CanonicalResponse } from '../src/canonical-response.ts';
import { UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { asObject, asObjects, asString, isJsonArray, isJsonObject } from '../src/json-narrowing.ts';
import type { ResponseEvent } from '../src/response-events.ts';
import { listSchemaValues, removeMember } from './schema-values.ts';
import { ANSWER_READ_OPTIONS } from './translate.ts';

const STRINGS: Readonly<Record<string, string>> = {
  name: 'f',
  arguments: '{"a":1}',
  data: 'aGVsbG8=',
  redactedContent: 'aGVsbG8=',
};

type OfficialDialect = keyof ReturnType<typeof loadOfficialResponseSchemas>;

/** A stream: the events before and after the event of the schema. */
interface StreamAround {
  before(data: JsonObject): readonly JsonObject[];
  readonly after: readonly JsonObject[];
}
/** Complete responses, to which a member is added. */
const BASES: Readonly<Record<OfficialDialect, JsonObject>> = {
  chat: { choices: [{ index: 0, message: { content: 'T' }, finish_reason: 'stop' }] },
  responses: { output: [{ type: 'message', content: [{ type: 'output_text', text: 'T' }] }] },
  messages: { content: [{ type: 'text', text: 'T' }], stop_reason: 'end_turn' },
  gemini: { candidates: [{ content: { parts: [{ text: 'T' }] }, finishReason: 'STOP' }] },
  converse: { output: { message: { content: [{ text: 'T' }] } }, stopReason: 'end_turn' },
};

const CHAT_TEXT = { choices: [{ index: 0, delta: { content: 'T' } }] };
const STREAMS: Readonly<Record<OfficialDialect, StreamAround>> = {
  chat: {
    before: () => [CHAT_TEXT],
    after: [{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }],
  },
  responses: {
    before: ({ type }) =>
      // The final object has the complete output.
      type === 'response.completed' || type === 'response.incomplete'
        ? []
        : [
            {
              type: 'response.output_text.delta',
              output_index: 0,
              content_index: 0,
              item_id: 'i',
              delta: 'T',
            },
          ],
    after: [{ type: 'response.completed', response: { output: [], status: 'completed' } }],
  },
  messages: {
    before: ({ type }) =>
      type === 'message_start'
        ? []
        : [
            { type: 'message_start', message: { id: 'm', model: 'm', content: [] } },
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'T' } },
            { type: 'content_block_stop', index: 0 },
          ],
    after: [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }],
  },
  gemini: {
    before: () => [{ candidates: [{ content: { parts: [{ text: 'T' }] } }] }],
    after: [{ candidates: [{ finishReason: 'STOP' }] }],
  },
  converse: {
    before: () => [
      { messageStart: { role: 'assistant' } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'T' } } },
    ],
    after: [{ messageStop: { stopReason: 'end_turn' } }, { metadata: { usage: {} } }],
  },
};

function toFrame(dialect: OfficialDialect, event: JsonObject) {
  if (dialect !== 'converse')
    return { event: asString(event['type']) ?? 'message', data: JSON.stringify(event) };
  const [[type, data] = ['', {}]] = Object.entries(event);
  return { event: type, data: JSON.stringify(data ?? {}) };
}

/** Adds what a value lacks of the base: members, and the items of lists that the value does not have. */
function complete(value: Json | undefined, base: Json | undefined): Json | undefined {
  if (!isJsonObject(value) || !isJsonObject(base)) return value ?? base;
  return Object.fromEntries(
    [...new Set([...Object.keys(value), ...Object.keys(base)])].flatMap((name) => {
      const [given, added] = [value[name], base[name]];
      const isCandidate = isJsonArray(given) && isJsonArray(added) && name === 'candidates';
      const whole = isCandidate
        ? given.map((item) => complete(item, added[0]) ?? item)
        : complete(given, added);
      return whole === undefined ? [] : [[name, whole]];
    }),
  );
}

function readWhole(dialect: OfficialDialect, body: JsonObject): CanonicalResponse {
  return UPSTREAM_DIALECTS[dialect].readCompleteResponse(
    complete(body, BASES[dialect]) ?? null,
    ANSWER_READ_OPTIONS,
  );
}

function readStream(dialect: OfficialDialect, data: JsonObject): CanonicalResponse {
  const events: ResponseEvent[] = [];
  const emit = (event: ResponseEvent): unknown => events.push(event);
  const reader = UPSTREAM_DIALECTS[dialect].createResponseReader(emit, ANSWER_READ_OPTIONS);
  const { before, after } = STREAMS[dialect];
  for (const event of [...before(data), data, ...after]) reader.read(toFrame(dialect, event));
  reader.end();
  return accumulateResponse(events);
}

/**
 * Members without a meaning for clients of another dialect, without the indexes of lists. The list in
 * `docs/concepts/forwarding-and-translation.md` describes the same members.
 */
const WITHOUT_MEANING: readonly RegExp[] = [
  // The notation of the dialect: types, roles, positions, and numbers of events.
  /(^|\.)(object|role|type|index|output_index|content_index|summary_index|annotation_index|sequence_number|status|thought)$/,
  // Ids, times and the name of the model.
  /(^|\.)(id|item_id|responseId|created|created_at|completed_at|createTime|model|modelVersion)$/,
  // Counts and costs.
  /^(message\.|response\.|metadata\.)?(usage|usageMetadata|metrics|service_tier|serviceTier)(\.|$)/,
  /(^|\.)(tokenCount|estimated_tokens)$/,
  /^messageStart\./,
  // Padding, and the server that responded.
  /^(obfuscation|system_fingerprint)$/,
  // The settings of the request, which the provider repeats.
  /^metadata$/,
  /^(response\.)?(background|instructions|max_\w+|metadata|parallel_tool_calls|previous_response_id|prompt\w*)$/,
  /^(response\.)?(reasoning|safety_identifier|store|temperature|text|tool_choice|tools|top_\w+|truncation|user)$/,
  // The state of the response, which is translated together with its error and the reason for an incomplete response.
  /^(response\.)?(error|incomplete_details)(\.|$)|^(message\.|delta\.)?stop_reason$|^stopReason$|\.finish_?[rR]eason$/,
  // The start and end of blocks and responses, and errors, which the transcoder of binary events reads.
  /^(contentBlockStart\.contentBlockIndex|contentBlockStop\..*|messageStop\.stopReason|\w+Exception\..*)$/,
  // Encrypted reasoning is final only at the end of its item.
  /^item\.encrypted_content$/,
  // A text that the SDK joins from the output.
  /^(response\.)?output_text$/,
];

/** Events that repeat parts of others, or of an item that was reported when it began. */
const REPEATING_EVENTS =
  /^(content_block_stop|error|response\.(created|in_progress|queued|failed|.*_call.*|mcp_.*|.*\.done|.*_part\.added|audio.*|reasoning.*delta|code_.*))$/;

function findLosses(
  dialect: OfficialDialect,
  kind: 'response' | 'event',
): { readonly count: number; readonly losses: readonly string[] } | undefined {
  const schema = loadOfficialResponseSchemas()[dialect]?.[kind];
  if (schema === undefined) return undefined;
  const read = (body: JsonObject) => (kind === 'event' ? readStream : readWhole)(dialect, body);
  const losses = new Set<string>();
  const values = listSchemaValues(schema, STRINGS);
  for (const { value, path } of values) {
    const body = prepareSample(asObject(value) ?? {}, path);
    if (path.length === 0 || REPEATING_EVENTS.test(asString(body['type']) ?? '')) continue;
    const { dropped, ...answer } = read(body);
    const isSame = (at: readonly string[]): boolean => {
      const without = read(asObject(removeMember(body, at)) ?? {});
      return JSON.stringify(answer) === JSON.stringify({ ...without, dropped: undefined });
    };
    const at = path.map((_, index) => path.slice(0, index + 1)).find(isSame);
    if (at === undefined || hasNoMeaning(body, at) || hasNoMeaning(body, path)) continue;
    const names = namesOn(body, path);
    if (dropped.some((name) => name.split('.').some((part) => names.has(part)))) continue;
    losses.add(`${asString(body['type']) ?? ''} ${withoutIndexes(at)}: reported are ${dropped}`);
  }
  return { count: values.length, losses: [...losses] };
}

/** Removes the error and the reason for an incomplete response, which the schema requires. Only the first choice is read. */
function prepareSample(body: JsonObject, [member]: readonly string[]): JsonObject {
  const cleared = Object.entries(body).map(([name, value]) => [
    name,
    (name === 'error' || name === 'incomplete_details') && name !== member ? null : value,
  ]);
  const response = asObject(body['response']);
  const choices = asObjects(body['choices']).map((choice) => ({ ...choice, index: 0 }));
  return {
    ...Object.fromEntries(cleared),
    ...(response && { response: prepareSample(response, []) }),
    ...(choices.length > 0 && { choices }),
  };
}

function hasNoMeaning(body: JsonObject, path: readonly string[]): boolean {
  const label = withoutIndexes(path);
  const member = path.reduce<Json | undefined>(
    (at, step) => Object.entries(at ?? {}).find(([name]) => name === step)?.[1],
    body,
  );
  // A tool call of the model itself.
  const isDirectCall = label.endsWith('caller') && asObject(member)?.['type'] === 'direct';
  return isDirectCall || WITHOUT_MEANING.some((pattern) => pattern.test(label));
}

function withoutIndexes(path: readonly string[]): string {
  return path.filter((step) => !/^\d+$/.test(step)).join('.');
}

/** The names of the members on the path, and the types of the objects. */
function namesOn(body: JsonObject, path: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>(path.flatMap((step) => [step, `${step}s`]));
  if (names.has('function_call')) names.add('tool_calls');
  let at: Json | undefined = body;
  for (const step of path) {
    at = Object.entries(at ?? {}).find(([name]) => name === step)?.[1];
    const type = asString(asObject(at)?.['type']);
    if (type !== undefined) names.add(type);
  }
  return names;
}

describe('a member of a response is translated or reported, or has no meaning for clients', () => {
  for (const dialect of ['chat', 'responses', 'messages', 'gemini', 'converse'] as const)
    for (const kind of ['response', 'event'] as const)
      test(`${dialect} ${kind}`, (t) => {
        const found = findLosses(dialect, kind);
        if (found === undefined) return t.skip('the official schemas are absent');
        t.diagnostic(`${found.count} values`);
        assert.ok(found.count > 50, String(found.count));
        assert.deepEqual(found.losses, []);
      });
});
