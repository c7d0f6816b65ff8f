// Prompts of agents are marked for caching so that each request finds what the one before it wrote.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { REQUEST_FEATURES } from '@floe/testkit/request-features';
import fc from 'fast-check';
import type { RequestWriteOptions } from '../src/dialect.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { isJsonArray } from '../src/json-narrowing.ts';
import type { CanonicalRequest } from '../src/request.ts';
import { arbitraryRequests } from './arbitrary-conversations.ts';
import { emptyRequest } from './translate.ts';

const LONG = 'It is a long prompt. '.repeat(200);
const OPTIONS: RequestWriteOptions = { cacheMinTokens: 1_024, hints: ['cache-mark'] };
const TARGETS = ['messages', 'converse'] as const;
const MARKS = { messages: 'cache_control', converse: 'cachePoint' } as const;

function sent(target: (typeof TARGETS)[number], ask: CanonicalRequest, options = OPTIONS): JsonObject {
  const body: Json = JSON.parse(JSON.stringify(UPSTREAM_DIALECTS[target].writeRequest(ask, options).body));
  assert.ok(isJsonObject(body));
  return body;
}

const marksIn = (body: Json | undefined, target: (typeof TARGETS)[number] = 'messages'): number =>
  JSON.stringify(body ?? null).split(`"${MARKS[target]}"`).length - 1;

/** What a provider caches: the prompt in its order, cut behind each mark. */
function cachedPrefixes(body: JsonObject): string[] {
  const prefixes: string[] = [];
  let text = '';
  const walk = (value: Json | undefined): void => {
    if (isJsonArray(value)) value.forEach(walk);
    else if (isJsonObject(value)) {
      const { cache_control, ...rest } = value;
      for (const [name, inner] of Object.entries(rest)) {
        text += name;
        walk(inner);
      }
      if (cache_control !== undefined) prefixes.push(text);
    } else text += JSON.stringify(value ?? null);
  };
  for (const member of ['tools', 'system', 'messages']) walk(body[member]);
  return prefixes;
}

function codex(turns: number): CanonicalRequest {
  const input: Json[] = [{ role: 'user', content: [{ type: 'input_text', text: 'Fix the test.' }] }];
  for (let turn = 0; turn < turns; turn += 1)
    input.push(
      { type: 'function_call', call_id: `call_${turn}`, name: 'shell', arguments: `{"turn":${turn}}` },
      { type: 'function_call_output', call_id: `call_${turn}`, output: `done ${turn}` },
    );
  const tool = {
    type: 'function',
    name: 'shell',
    description: LONG,
    parameters: { type: 'object', properties: {} },
  };
  const patch = { type: 'custom', name: 'apply_patch', description: 'Patches.' };
  return CLIENT_DIALECTS.responses.readRequest({
    model: 'm',
    instructions: LONG,
    input,
    tools: [tool, patch],
  });
}

describe('prompts that nobody marked', () => {
  test('an agent’s tools, system prompt and last two turns are marked', () => {
    const body = sent('messages', codex(3));
    assert.deepEqual(
      [body['tools'], body['system'], body['messages']].map((part) => marksIn(part)),
      [1, 1, 2],
    );
    const converse = sent('converse', codex(3));
    assert.deepEqual(
      [converse['toolConfig'], converse['system'], converse['messages']].map((part) =>
        marksIn(part, 'converse'),
      ),
      [1, 1, 2],
    );
  });

  test('every request finds all that the one before it wrote', () => {
    for (let turns = 0; turns < 8; turns += 1) {
      const before = cachedPrefixes(sent('messages', codex(turns)));
      const after = new Set(cachedPrefixes(sent('messages', codex(turns + 1))));
      assert.ok(before.length >= 3);
      assert.ok(after.has(before.at(-1) ?? ''), `the end of request ${turns} is a cached prefix of the next`);
    }
  });

  test('a question asked once without tools is not written to the cache, its system prompt is', () => {
    const ask = CLIENT_DIALECTS.chat.readRequest({
      model: 'm',
      messages: [
        { role: 'system', content: LONG },
        { role: 'user', content: LONG },
      ],
    });
    const body = sent('messages', ask);
    assert.deepEqual([marksIn(body['system']), marksIn(body['messages'])], [1, 0]);
  });

  test('a prompt shorter than what the model caches is left alone, and so is a provider that takes no marks', () => {
    const short = CLIENT_DIALECTS.chat.readRequest({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
    });
    assert.equal(marksIn(sent('messages', short)), 0);
    assert.equal(marksIn(sent('messages', codex(3), {})), 0);
    assert.equal(marksIn(sent('converse', codex(3), { cacheMinTokens: 1_024 }), 'converse'), 0);
  });

  test('in any conversation there are four marks at most, on nothing that refuses them', () => {
    fc.assert(
      fc.property(arbitraryRequests(true), fc.nat(2_000), (ask, cacheMinTokens) => {
        for (const target of TARGETS) {
          if (target === 'converse' && JSON.stringify(ask.turns).includes('"url"')) continue;
          const body = sent(target, ask, { ...OPTIONS, cacheMinTokens });
          assert.ok(marksIn(body, target) <= 4);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('prompts the client marked', () => {
  for (const { client, name, body } of REQUEST_FEATURES.filter((feature) =>
    feature.name.startsWith('cache mark'),
  ))
    test(`${client}: ${name} is carried, and no other is set`, () => {
      const ask = CLIENT_DIALECTS[client].readRequest(body);
      for (const target of TARGETS) assert.equal(marksIn(sent(target, ask), target), 1, target);
    });

  test('of more than four the last are kept, and it is reported', () => {
    const text = (at: number) => ({ type: 'text', text: `part ${at}`, cache: '5m' }) as const;
    const ask = emptyRequest({
      system: [text(0), text(1), text(2)],
      turns: [{ role: 'user', parts: [text(3), text(4), text(5)] }],
    });
    const { body, dropped } = UPSTREAM_DIALECTS.messages.writeRequest(ask, OPTIONS);
    const json: Json = JSON.parse(JSON.stringify(body));
    assert.ok(isJsonObject(json));
    assert.deepEqual([marksIn(json['system']), marksIn(json['messages'])], [1, 3]);
    assert.ok(dropped.has('cache_control.clamped'));
  });
});

describe('names of conversations', () => {
  test('a made-up name goes where names are taken, and never in place of the client’s', () => {
    for (const target of ['chat', 'responses'] as const) {
      const key = (ask: CanonicalRequest, options: RequestWriteOptions): Json | undefined =>
        UPSTREAM_DIALECTS[target].writeRequest(ask, { cacheKey: 'made', ...options }).body[
          'prompt_cache_key'
        ];
      const turns = [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }] as const;
      assert.equal(key(emptyRequest({ turns }), { hints: ['cache-key'] }), 'made');
      assert.equal(key(emptyRequest({ turns, cacheKey: 'own' }), { hints: ['cache-key'] }), 'own');
      assert.equal(key(emptyRequest({ turns }), {}), undefined);
    }
  });
});
