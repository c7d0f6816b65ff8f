import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Json, JsonObject } from '@floe/contract/json';
import { readRequest } from '../chat/read-request.ts';
import type { RequestWriteOptions } from '../dialect.ts';
import { asObject } from '../json-narrowing.ts';
import { readRequest as readMessagesAsk } from '../messages/read-request.ts';
import { packSeal } from '../seal.ts';
import { generateCallId } from '../tool-identifiers.ts';
import { writeRequest } from './write-request.ts';

function written(body: JsonObject, options?: RequestWriteOptions): JsonObject {
  return JSON.parse(JSON.stringify(writeRequest(readRequest({ model: 'm', ...body }), options).body));
}

const user = { role: 'user', content: 'hi' };
const tool = {
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: { x: { type: 'string' } } } },
};
const turn = (id: string): Json[] => [
  user,
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{"x":"1"}' } }],
  },
  { role: 'tool', tool_call_id: id, content: 'plain' },
];

describe('Gemini requests', () => {
  test('the media type of a URL is that of its extension', () => {
    const typeOf = (url: string): unknown => {
      const content = [{ type: 'image_url', image_url: { url } }];
      const text = JSON.stringify(written({ messages: [{ role: 'user', content }] }));
      return /"mimeType":"([^"]+)"/.exec(text)?.[1];
    };
    assert.equal(typeOf('https://example.com/a.b/cat.PNG?v=1.gif#x'), 'image/png');
    assert.equal(typeOf('https://example.com/cat.webp'), 'image/webp');
    assert.equal(typeOf('https://example.com/cat'), 'image/jpeg');
    assert.equal(typeOf('https://example.com/cat?name=a.png'), 'image/jpeg');
  });

  test('results are objects under their call’s name and id', () => {
    const { contents } = written({ messages: turn('call_9'), tools: [tool] });
    assert.deepEqual(contents, [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { id: 'call_9', name: 'f', args: { x: '1' } } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'call_9', name: 'f', response: { output: 'plain' } } }],
      },
    ]);
  });

  test('an id made up here is not sent back', () => {
    const { contents } = written({ messages: turn(generateCallId('E', 0)), tools: [tool] });
    assert.ok(!JSON.stringify(contents).includes('"id"'));
  });

  test('a call without its proof gets the documented stand-in, the first of a turn only', () => {
    const { contents } = written({ messages: turn('a'), tools: [tool] }, { unsealedCallProof: 'stand-in' });
    assert.ok(JSON.stringify(contents).includes('"thoughtSignature":"stand-in"'));
  });

  test('a proof that travelled through a Messages client returns on the part it came with', () => {
    const seal = { dialect: 'gemini', value: 'c2ln' } as const;
    const ask = readMessagesAsk({
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: '', signature: packSeal(seal, 'cred1') },
            { type: 'tool_use', id: 'a', name: 'f', input: { x: '1' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '{"ok":true}' }] },
      ],
    });
    const kept = JSON.stringify(writeRequest(ask, { sealOrigin: 'cred1' }).body);
    assert.ok(kept.includes('"args":{"x":"1"}},"thoughtSignature":"c2ln"'));
    assert.ok(kept.includes('"response":{"ok":true}'));
    const moved = writeRequest(ask, { sealOrigin: 'cred2' });
    assert.ok(!JSON.stringify(moved.body).includes('thoughtSignature'));
    assert.ok(moved.dropped.has('reasoning.seal'));
    assert.ok(moved.dropped.has('reasoning'));
  });

  test('settings stand in generationConfig and schemas are real JSON Schema', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' } },
      $defs: { A: { type: 'string' } },
    };
    const body = written({
      messages: [user],
      max_tokens: 4096,
      stop: 'x',
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
    });
    assert.deepEqual(body['generationConfig'], {
      maxOutputTokens: 4096,
      stopSequences: ['x'],
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
    });
    assert.deepEqual(
      written({ messages: [user], reasoning_effort: 'high' }, { reasoningStyle: 'level' })[
        'generationConfig'
      ],
      {
        thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
      },
    );
  });

  test('a small token limit leads to a thinking budget that every model accepts', () => {
    const pro = { min: 128, max: 32_768, required: true } as const;
    const flash = { min: 1, max: 24_576 };
    const lite = { min: 512, max: 24_576 };
    const cases: readonly [number, string, RequestWriteOptions['thinkingBudgets'], number, boolean][] = [
      [5, 'low', pro, 128, true],
      [5, 'low', flash, 4, true],
      [1, 'low', flash, 1, true],
      [5, 'low', lite, 512, true],
      [5, 'low', undefined, 512, true],
      [100, 'low', pro, 128, true],
      [100, 'low', flash, 80, true],
      [100_000, 'low', lite, 2_048, false],
      [5, 'none', pro, 128, true],
      [5, 'none', flash, 0, false],
      [5, 'none', lite, 0, false],
      [1_000_000, 'max', flash, 24_576, true],
      [1_000_000, 'max', undefined, 24_576, true],
    ];
    for (const [maxTokens, effort, thinkingBudgets, expected, clamped] of cases) {
      const body = { model: 'm', messages: [user], max_tokens: maxTokens, reasoning_effort: effort };
      const options = thinkingBudgets === undefined ? {} : { thinkingBudgets };
      const { body: sent, dropped } = writeRequest(readRequest(body), options);
      const label = JSON.stringify([maxTokens, effort, thinkingBudgets]);
      const config = asObject(sent['generationConfig']);
      assert.equal(config?.['maxOutputTokens'], maxTokens, label);
      assert.deepEqual(
        config?.['thinkingConfig'],
        { includeThoughts: expected !== 0, thinkingBudget: expected },
        label,
      );
      assert.equal(dropped.has('reasoning.effort.clamped'), clamped, label);
    }
  });

  test('a named tool is the only one allowed', () => {
    const body = written({
      messages: [user],
      tools: [tool],
      tool_choice: { type: 'function', function: { name: 'f' } },
    });
    assert.deepEqual(body['toolConfig'], {
      functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] },
    });
  });
});
