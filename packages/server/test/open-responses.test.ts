// Every scenario of Open Responses' HTTP compliance tests (openresponses/openresponses, src/lib/compliance-tests.ts at
// commit 18e5656, but for the two that need a hosted tool's account), held to our schema and, where it lies beside the
// project, to its own of 2026-04-24, over an upstream of the OpenAI and one of the Anthropic dialect. Its own programs are in no package registry.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { callHttp, parseSseFrames } from '@floe/testkit/http-client';
import { findSchemaViolations } from '@floe/testkit/json-schema';
import { findEventViolations, findResponseViolations } from '@floe/testkit/response-schemas';
import { objectOrEmpty, objectsOrEmpty } from './answer-content.ts';
import { COMPLIANCE_MODELS, type ComplianceGateway, startComplianceGateway } from './compliance-gateway.ts';
import { COMPLIANCE_SENTENCE } from './compliance-upstream.ts';

const SPECS = process.env['FLOE_FIXTURES']
  ? resolve(process.env['FLOE_FIXTURES'], '../specs')
  : resolve(import.meta.dirname, '../../../../shared/specs');
const SPEC_FILE = join(SPECS, 'openresponses-2026-04-24.json');
const spec: JsonObject = existsSync(SPEC_FILE)
  ? objectOrEmpty(JSON.parse(readFileSync(SPEC_FILE, 'utf8')))
  : {};
const schemas = objectOrEmpty(objectOrEmpty(spec['components'])['schemas']);
const isPresent = Object.keys(schemas).length > 0;

const WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a place',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = `data:application/pdf;base64,${Buffer.from('%PDF-1.1\ntrailer << >>\n%%EOF').toString('base64')}`;
const said = (role: string, content: Json) => ({ type: 'message', role, content });

interface Scenario {
  readonly ask: JsonObject;
  readonly expect: 'text' | 'call';
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a simple text answer': { ask: { input: [said('user', 'Say hello in exactly 3 words.')] }, expect: 'text' },
  'a system prompt': {
    ask: { input: [said('system', 'You are a pirate.'), said('user', 'Say hello.')] },
    expect: 'text',
  },
  'a developer prompt and instructions': {
    ask: { instructions: 'Be brief.', input: [said('developer', 'In rhyme.'), said('user', 'Hi')] },
    expect: 'text',
  },
  'a tool call': { ask: { input: 'The weather in Oslo?', tools: [WEATHER] }, expect: 'call' },
  'an image': {
    ask: {
      input: [
        said('user', [
          { type: 'input_text', text: 'What is it?' },
          { type: 'input_image', image_url: PIXEL },
        ]),
      ],
    },
    expect: 'text',
  },
  'a file': {
    ask: {
      input: [
        said('user', [
          { type: 'input_text', text: 'Which title?' },
          { type: 'input_file', filename: 'title.pdf', file_data: PDF },
        ]),
      ],
    },
    expect: 'text',
  },
  'a conversation': {
    ask: { input: [said('user', 'I am Ada.'), said('assistant', 'Hello Ada!'), said('user', 'Who am I?')] },
    expect: 'text',
  },
  'every setting': {
    ask: {
      input: 'Hi',
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 64,
      metadata: { run: '7' },
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'text' }, verbosity: 'low' },
      parallel_tool_calls: false,
      tools: [WEATHER],
      tool_choice: 'auto',
      truncation: 'disabled',
      service_tier: 'auto',
    },
    expect: 'call',
  },
};

let harness: ComplianceGateway;
before(async () => {
  harness = await startComplianceGateway();
});
after(() => harness.close());

async function ask(body: JsonObject) {
  const answer = await callHttp(`${harness.url}/responses`, {
    headers: { authorization: `Bearer ${harness.key}` },
    body,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

function assertValid(value: Json, schema: string): void {
  if (isPresent)
    assert.deepEqual(findSchemaViolations(value, schemas[schema], spec, { optional: new Set() }), [], schema);
}

function assertResponse(value: unknown, expect: Scenario['expect']): void {
  const response = objectOrEmpty(value);
  assert.deepEqual(findResponseViolations('responses', response), []);
  assertValid(response, 'ResponseResource');
  assert.equal(response['status'], 'completed');
  const [item] = objectsOrEmpty(response['output']);
  if (expect === 'call')
    assert.deepEqual(
      [item?.['type'], item?.['name'], JSON.parse(String(item?.['arguments']))],
      ['function_call', 'get_weather', { location: 'ok' }],
    );
  else assert.equal(objectsOrEmpty(item?.['content'])[0]?.['text'], COMPLIANCE_SENTENCE);
}

/** Schemas of the events by the constant of their `type`. */
function eventSchema(type: string): string {
  const found = Object.entries(schemas).find(([name, schema]) => {
    const { enum: words } = objectOrEmpty(objectOrEmpty(objectOrEmpty(schema)['properties'])['type']);
    return name.endsWith('StreamingEvent') && Array.isArray(words) && words.includes(type);
  });
  return found?.[0] ?? assert.fail(`the specification knows no event "${type}"`);
}

for (const model of COMPLIANCE_MODELS)
  describe(`Open Responses over ${model}`, { concurrency: 2 }, () => {
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      test(`${name}, whole`, async () => {
        assertResponse((await ask({ model, ...scenario.ask })).json(), scenario.expect);
      });

      test(`${name}, streamed`, async () => {
        const { text } = await ask({ model, ...scenario.ask, stream: true });
        const events = parseSseFrames(text).map(({ data }) => objectOrEmpty(JSON.parse(data)));
        const types = events.map((event) => String(event['type']));
        assert.deepEqual(types.slice(0, 2), ['response.created', 'response.in_progress']);
        assert.equal(types.at(-1), 'response.completed');
        assert.deepEqual(
          events.map((event) => event['sequence_number']),
          events.map((_, at) => at),
        );
        for (const event of events) {
          assert.deepEqual(findEventViolations('responses', event), []);
          if (isPresent) assertValid(event, eventSchema(String(event['type'])));
        }
        assertResponse(events.at(-1)?.['response'], scenario.expect);
      });
    }

    test('settings are repeated in the response', async () => {
      const { ask: settings } = SCENARIOS['every setting'] ?? assert.fail();
      const response = objectOrEmpty((await ask({ model, ...settings })).json());
      for (const name of ['temperature', 'top_p', 'max_output_tokens', 'metadata', 'reasoning', 'text'])
        assert.deepEqual(response[name], settings[name], name);
      assert.deepEqual(response['tools'], [{ ...WEATHER, strict: false }]);
      assert.equal(response['parallel_tool_calls'], false);
      assert.equal(response['model'], model);
    });

    test('a forced tool call, and its result in the continued response', async () => {
      const chosen = {
        input: 'The weather?',
        tools: [WEATHER],
        tool_choice: { type: 'function', name: 'get_weather' },
      };
      const first = (await ask({ model, ...chosen })).json();
      assertResponse(first, 'call');
      const { id, output } = objectOrEmpty(first);
      const call_id = objectsOrEmpty(output).find(({ type }) => type === 'function_call')?.['call_id'] ?? '';
      const result = { type: 'function_call_output', call_id, output: '64 degrees and clear' };
      assertResponse((await ask({ model, previous_response_id: id ?? '', input: [result] })).json(), 'text');
    });

    test('a response that continues another by its id', async () => {
      const first = objectOrEmpty((await ask({ model, input: 'Hi' })).json());
      const second = (await ask({ model, input: 'More', previous_response_id: first['id'] ?? '' })).json();
      assert.ok(isJsonObject(second));
      assert.equal(second['previous_response_id'], first['id']);
      assertResponse(second, 'text');
    });
  });
