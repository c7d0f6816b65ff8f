// Random mixes of every shape an IDE sends: one normal form, the input untouched, and bodies every dialect takes.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { findRequestViolations } from '@floe/testkit/request-schemas';
import fc from 'fast-check';
import { chatDialect } from '../src/chat/dialect.ts';
import { UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { normalizeIdeRequest } from '../src/ide/normalize-request.ts';
import { tryParseJson } from '../src/json-narrowing.ts';
import { listUnsupportedFeatures } from '../src/request.ts';
import { IDE_BODIES } from './ide-bodies.ts';

const RUNS = process.env['FLOE_TEST_FULL'] ? 20_000 : 300;

const words = fc.oneof(fc.constantFrom('hi', 'Go on.', ' ', '', '\n'), fc.string({ maxLength: 12 }));
const id = fc.constantFrom('a', 'b', 'c', '', 'call.x:1', 'y'.repeat(80));
const tool = fc.constantFrom('f', 'g', 'Patch', 'odd name!');
const mark = fc.constantFrom(undefined, { type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' });
const args = fc.constantFrom<Json>('{"x":1}', '', 'no json', { x: 1 }, null, '{"input":"+x"}');
const url = fc.constantFrom('data:image/png;base64,aGk=', 'https://example.com/a.png', '');
/** Now and then something of a kind nobody sends. */
const odd: fc.Arbitrary<Json> = fc.constantFrom<Json>(null, 7, true, [], {}, { type: 'future' }, [[]]);

function objects(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Json> {
  // What JSON has no word for is absent from a body.
  return fc.record(members).map((value): Json => JSON.parse(JSON.stringify(value)));
}

const textPart = objects({
  type: fc.constantFrom('text', 'input_text', 'output_text'),
  text: words,
  cache_control: mark,
});
const image = fc.oneof(
  objects({
    type: fc.constant('image_url'),
    image_url: objects({ url, detail: fc.constantFrom('low', 'huge', undefined) }),
  }),
  objects({ type: fc.constant('input_image'), image_url: url }),
  objects({
    type: fc.constant('image'),
    source: objects({
      type: fc.constant('base64'),
      media_type: fc.constantFrom('image/png', ''),
      data: fc.constant('aGk='),
    }),
  }),
);
const file = fc.oneof(
  objects({
    type: fc.constant('input_file'),
    file_data: fc.constantFrom('data:application/pdf;base64,aGk=', 'aGk='),
    filename: words,
  }),
  objects({ type: fc.constant('document'), source: objects({ type: fc.constant('url'), url }) }),
  objects({ type: fc.constant('file'), file: objects({ file_id: fc.constant('file_1') }) }),
);
const block = fc.oneof(
  { arbitrary: textPart, weight: 6 },
  words,
  image,
  file,
  objects({ type: fc.constant('refusal'), refusal: words }),
  objects({ type: fc.constant('thinking'), thinking: words, signature: words }),
  objects({ type: fc.constant('tool_use'), id, name: tool, input: args, cache_control: mark }),
  objects({
    type: fc.constant('tool_use'),
    tool_call_id: id,
    function: objects({ name: tool, arguments: args }),
  }),
  objects({
    type: fc.constant('tool_result'),
    tool_use_id: id,
    content: fc.oneof(words, fc.array(textPart, { maxLength: 2 })),
    is_error: fc.constantFrom(true, undefined),
  }),
  objects({ type: fc.constantFrom('server_tool_use', 'future_part', 'web_search_tool_result'), text: words }),
);
const content = fc.oneof(words, fc.array(block, { maxLength: 3 }), { arbitrary: odd, weight: 1 });
const calls = fc.array(
  fc.oneof(
    objects({
      id,
      type: fc.constantFrom('function', undefined),
      index: fc.nat(3),
      function: objects({ name: tool, arguments: args }),
    }),
    objects({ id, type: fc.constant('custom'), custom: objects({ name: tool, input: words }) }),
    objects({ id, type: fc.constant('custom'), name: tool, input: words }),
  ),
  { maxLength: 3 },
);
const element: fc.Arbitrary<Json> = fc.oneof(
  {
    arbitrary: objects({ role: fc.constantFrom('user', 'system', 'developer', 'assistant'), content }),
    weight: 6,
  },
  objects({
    type: fc.constant('message'),
    role: fc.constantFrom('user', 'assistant'),
    content,
    id: words,
    status: words,
  }),
  objects({
    role: fc.constant('assistant'),
    content,
    tool_calls: calls,
    reasoning_content: words,
    refusal: fc.constantFrom(null, 'no'),
  }),
  objects({ role: fc.constantFrom('tool', 'function'), tool_call_id: id, name: tool, content }),
  objects({
    type: fc.constantFrom('function_call', 'custom_tool_call'),
    call_id: id,
    name: tool,
    arguments: args,
    input: words,
  }),
  objects({
    type: fc.constantFrom('function_call_output', 'custom_tool_call_output'),
    call_id: id,
    output: content,
  }),
  objects({
    type: fc.constantFrom('reasoning', 'item_reference', 'web_search_call', 'future_item'),
    id: words,
    summary: fc.constant([]),
  }),
  block,
  { arbitrary: odd, weight: 1 },
);
const schema = fc.constantFrom<Json | undefined>(
  undefined,
  null,
  {},
  { type: 'object' },
  { type: 'object', properties: { x: { type: 'string' } } },
);
const definition = fc.oneof(
  objects({
    type: fc.constant('function'),
    function: objects({
      name: tool,
      description: words,
      parameters: schema,
      strict: fc.constantFrom(null, true, undefined),
    }),
  }),
  objects({
    type: fc.constantFrom('function', undefined, 'custom'),
    name: tool,
    input_schema: schema,
    cache_control: mark,
  }),
  objects({
    type: fc.constant('custom'),
    name: tool,
    format: fc.constantFrom(
      { type: 'text' },
      { type: 'grammar', syntax: 'lark', definition: 'x' },
      { type: 'grammar', grammar: { syntax: 'regex', definition: 'x' } },
    ),
  }),
  objects({ type: fc.constant('custom'), custom: objects({ name: tool }) }),
  objects({ type: fc.constantFrom('web_search', 'mcp'), name: words }),
  objects({
    type: fc.constant('namespace'),
    name: tool,
    tools: fc.constant([{ type: 'function', name: 'inner' }]),
  }),
);
const choice = fc.constantFrom<Json>(
  ...['auto', 'none', 'required'],
  ...[{ type: 'any' }, { type: 'auto', disable_parallel_tool_use: true }, { type: 'tool', name: 'f' }],
  ...[{ type: 'function', function: { name: 'g' } }, { type: 'custom', name: 'Patch' }, {}],
  { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
);
const maybe = (arbitrary: fc.Arbitrary<unknown>) => fc.option(arbitrary, { nil: undefined, freq: 4 });
const mixes: fc.Arbitrary<JsonObject> = fc
  .record({
    model: fc.constant('lab/m'),
    messages: maybe(fc.array(element, { maxLength: 6 })),
    input: maybe(fc.oneof(words, fc.array(element, { maxLength: 6 }))),
    instructions: maybe(fc.oneof(words, fc.array(textPart, { maxLength: 2 }))),
    system: maybe(fc.oneof(words, fc.array(textPart, { maxLength: 2 }))),
    tools: maybe(fc.array(definition, { maxLength: 4 })),
    functions: maybe(fc.array(objects({ name: tool, parameters: schema }), { maxLength: 2 })),
    tool_choice: maybe(choice),
    parallel_tool_calls: maybe(fc.boolean()),
    stream: maybe(fc.boolean()),
    stream_options: maybe(fc.constant({ include_usage: true, include_obfuscation: false })),
    max_tokens: maybe(fc.constantFrom(1, 4096, null)),
    max_output_tokens: maybe(fc.constantFrom(64, 'many', null)),
    temperature: maybe(fc.constantFrom(0, 1, null)),
    stop: maybe(fc.constantFrom('END', ['a', 'b'])),
    reasoning: maybe(fc.constantFrom<Json>({}, { effort: 'low', summary: 'auto' }, { effort: 'odd' })),
    reasoning_effort: maybe(fc.constantFrom('high', null)),
    thinking: maybe(
      fc.constantFrom<Json>(
        { type: 'enabled', budget_tokens: 4000 },
        { type: 'adaptive' },
        { type: 'disabled' },
      ),
    ),
    text: maybe(
      fc.constantFrom<Json>({}, { verbosity: 'low' }, { verbosity: 'odd', format: { type: 'json_object' } }),
    ),
    response_format: maybe(
      fc.constantFrom<Json>(
        { type: 'text' },
        { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
      ),
    ),
    metadata: maybe(
      fc.constantFrom<Json>({ user_id: 'u', team: 'x' }, { cursorConversationId: 'c', n: 1 }, []),
    ),
    user: maybe(fc.constantFrom('u', 7)),
    service_tier: maybe(fc.constantFrom('default', 'odd')),
    previous_response_id: maybe(fc.constantFrom('resp_1', '', null)),
    store: maybe(fc.boolean()),
    future_member: maybe(words),
  })
  .map((value) => {
    const body: unknown = JSON.parse(JSON.stringify(value));
    assert.ok(isJsonObject(body));
    return body;
  });

const TARGETS = ['chat', 'responses', 'messages'] as const;

/** What OpenAI's schema wants of an assistant's own words and its API does not: SDKs replay them without. */
const REPLAYED = new Set(['annotations', 'logprobs', 'id', 'status']);

function checkWritten(body: JsonObject, freeform: boolean): void {
  const { request } = normalizeIdeRequest(body);
  for (const dialect of TARGETS) {
    const upstream = UPSTREAM_DIALECTS[dialect];
    if (listUnsupportedFeatures(request, upstream.supportedFeatures).length > 0) continue;
    const written = upstream.writeRequest(request, freeform ? { tools: ['freeform'] } : {});
    const sent = tryParseJson(JSON.stringify(written.body)) ?? null;
    const found = findRequestViolations(dialect, sent, REPLAYED);
    assert.deepEqual(found, [], `${dialect}: ${JSON.stringify(sent)}`);
  }
}

describe('random mixes of the shapes IDEs send', () => {
  test('have one normal form that our Chat reader takes, are left untouched, or are a 400 that names the field', () => {
    let accepted = 0;
    fc.assert(
      fc.property(mixes, (body) => {
        const before = JSON.stringify(body);
        try {
          const once = normalizeIdeRequest(body);
          accepted += 1;
          const again = normalizeIdeRequest(once.body);
          assert.deepEqual(again.body, once.body);
          const read = chatDialect.readRequest(once.body);
          assert.deepEqual(read.turns.length, again.request.turns.length);
          assert.deepEqual(read.tools, again.request.tools);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          assert.equal(error.status, 400);
          assert.ok(error.detail.param, error.message);
        } finally {
          assert.equal(JSON.stringify(body), before);
        }
      }),
      { numRuns: RUNS },
    );
    assert.ok(accepted > RUNS / 10, `only ${accepted} were requests at all`);
  });

  test('are written for each dialect as its schema wants', () => {
    fc.assert(
      fc.property(mixes, fc.boolean(), (body, freeform) => {
        try {
          checkWritten(body, freeform);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('and so is every known shape', () => {
    for (const { body } of IDE_BODIES)
      for (const freeform of [true, false]) checkWritten({ model: 'lab/m', ...body }, freeform);
  });
});
