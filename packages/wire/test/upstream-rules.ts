// What providers of each dialect refuse with a 400, as checks on the bodies we write.
import assert from 'node:assert/strict';
import type { JsonObject } from '@floe/contract/json';
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  isJsonArray,
  isJsonObject,
} from '../src/json-narrowing.ts';
import type { RecordedDialect } from './recordings.ts';

export function assertAcceptedBody(dialect: RecordedDialect, body: JsonObject): void {
  const check = {
    chat: checkChat,
    responses: checkResponses,
    messages: checkMessages,
    gemini: checkGemini,
    converse: checkConverse,
    cohere: checkCohere,
  };
  check[dialect](body);
}

function checkChat(body: JsonObject): void {
  const waiting = new Set<string>();
  for (const message of asObjects(body['messages'])) {
    const role = asString(message['role']);
    if (role === 'tool')
      assert.ok(waiting.delete(asString(message['tool_call_id']) ?? ''), 'a result follows its call');
    else assert.equal(waiting.size, 0, 'results come before anything else');
    if (role === 'user')
      assert.ok(message['content'] !== '' && message['content'] !== null, 'a user says something');
    for (const call of asObjects(message['tool_calls'])) {
      const id = asString(call['id']) ?? '';
      assert.match(id, /^[A-Za-z0-9_-]{1,40}$/);
      waiting.add(id);
    }
  }
  if (body['tools'] !== undefined) assert.ok(asArray(body['tools']).length > 0, 'no empty tools');
  if (body['stream'] !== true) assert.equal(body['stream_options'], undefined);
}

function checkResponses(body: JsonObject): void {
  assert.equal(body['store'], false);
  const calls = new Set<string>();
  for (const item of asObjects(body['input'])) {
    const id = asString(item['call_id']);
    if (/_call$/.test(String(item['type']))) {
      assert.ok(id !== undefined && id.length <= 64);
      calls.add(id);
    }
    if (/_output$/.test(String(item['type']))) assert.ok(calls.has(id ?? ''), 'an output has its call');
    if (item['type'] === 'message') {
      const content = item['content'];
      assert.ok(
        content !== '' && (typeof content === 'string' || asArray(content).length > 0),
        'it says something',
      );
      assert.ok(
        item['role'] !== 'assistant' || typeof content === 'string',
        'parts would need id and status',
      );
    }
  }
  for (const tool of asObjects(body['tools']))
    if (tool['type'] === 'function') assert.equal(typeof tool['strict'], 'boolean', 'strictness is said');
  for (const refused of ['stop', 'n', 'seed', 'presence_penalty', 'max_tokens', 'messages'])
    assert.equal(body[refused], undefined, `${refused} is refused`);
}

function checkMessages(body: JsonObject): void {
  assert.ok((asNumber(body['max_tokens']) ?? 0) >= 1, 'max_tokens is required');
  let role = 'assistant';
  let waiting: readonly string[] = [];
  for (const message of asObjects(body['messages'])) {
    assert.notEqual(message['role'], role, 'roles alternate');
    role = String(message['role']);
    const content = asObjects(message['content']);
    assert.ok(content.length > 0, 'a message says something');
    const results = content.filter((block) => block['type'] === 'tool_result');
    assert.deepEqual(content.slice(0, results.length), results, 'results come first');
    assert.deepEqual(
      results.map((block) => block['tool_use_id']).sort(),
      [...waiting].sort(),
      'every call is answered at once',
    );
    waiting = content.flatMap((block) => (block['type'] === 'tool_use' ? [String(block['id'])] : []));
    for (const block of content) {
      if (block['type'] === 'text') assert.notEqual(String(block['text']).trim(), '', 'no empty text');
      if (block['type'] === 'tool_use') {
        assert.match(String(block['id']), /^[A-Za-z0-9_-]+$/);
        assert.ok(isJsonObject(block['input']));
      }
    }
  }
  const thinking = asObject(body['thinking']);
  if (thinking?.['type'] === 'enabled') {
    assert.ok((asNumber(thinking['budget_tokens']) ?? 0) < (asNumber(body['max_tokens']) ?? 0));
    assert.equal(body['temperature'], undefined);
  }
  assert.ok((asNumber(body['temperature']) ?? 1) <= 1);
}

function checkGemini(body: JsonObject): void {
  const contents = asObjects(body['contents']);
  assert.ok(contents.length > 0);
  for (const [index, content] of contents.entries()) {
    assert.ok(content['role'] === 'user' || content['role'] === 'model');
    const parts = asObjects(content['parts']);
    assert.ok(parts.length > 0);
    const calls = parts.filter((part) => 'functionCall' in part);
    if (calls.length === 0 || index === contents.length - 1) continue;
    const answers = asObjects(contents[index + 1]?.['parts']).filter((part) => 'functionResponse' in part);
    assert.equal(answers.length, calls.length, 'as many responses as calls, in the next turn');
    answers.forEach((part, at) => {
      const response = asObject(part['functionResponse']);
      assert.ok(isJsonObject(response?.['response']), 'a response is an object');
      assert.equal(response?.['name'], asObject(calls[at]?.['functionCall'])?.['name']);
    });
  }
  const config = asObject(body['generationConfig']);
  assert.equal(config?.['messages'], undefined);
  if (body['tools'] !== undefined)
    assert.ok(isJsonArray(asObjects(body['tools'])[0]?.['functionDeclarations']));
}

function checkConverse(body: JsonObject): void {
  assert.equal(body['model'], undefined);
  assert.equal(body['stream'], undefined);
  let role = 'assistant';
  let waiting: readonly string[] = [];
  const hasTools = body['toolConfig'] !== undefined;
  for (const message of asObjects(body['messages'])) {
    assert.notEqual(message['role'], role, 'roles alternate');
    role = String(message['role']);
    const content = asObjects(message['content']);
    assert.ok(content.length > 0, 'a message says something');
    const results = content.map((block) => asObject(block['toolResult'])).filter(isJsonObject);
    const answered = results.map((result) => String(result['toolUseId'])).sort();
    assert.deepEqual(answered, [...waiting].sort(), 'every call is answered at once');
    waiting = content.flatMap((block) => asString(asObject(block['toolUse'])?.['toolUseId']) ?? []);
    assert.ok(hasTools || (waiting.length === 0 && results.length === 0), 'calls come with tools');
    for (const block of content) {
      if (typeof block['text'] === 'string') assert.notEqual(block['text'].trim(), '', 'no blank text');
      const call = asObject(block['toolUse']);
      if (call === undefined) continue;
      assert.match(String(call['toolUseId']), /^[A-Za-z0-9_.:-]{1,64}$/);
      assert.match(String(call['name']), /^[A-Za-z0-9_-]{1,64}$/);
      assert.ok(isJsonObject(call['input']));
    }
    for (const result of results) assert.ok(asArray(result['content']).length > 0, 'a result says something');
  }
  if (hasTools) {
    const tools = asObjects(asObject(body['toolConfig'])?.['tools']);
    assert.ok(tools.some((tool) => 'toolSpec' in tool));
    for (const tool of tools) assert.notEqual(asObject(tool['toolSpec'])?.['description'], '');
  }
  const config = asObject(body['inferenceConfig']);
  assert.ok((asNumber(config?.['temperature']) ?? 1) <= 1);
}

function checkCohere(body: JsonObject): void {
  const waiting = new Set<string>();
  let users = 0;
  for (const message of asObjects(body['messages'])) {
    const role = asString(message['role']);
    if (role === 'tool')
      assert.ok(waiting.delete(asString(message['tool_call_id']) ?? ''), 'a result follows its call');
    else assert.equal(waiting.size, 0, 'results come before anything else');
    if (role === 'user') users += 1;
    if (role === 'assistant')
      assert.ok(
        message['content'] !== undefined || message['tool_calls'] !== undefined,
        'nobody says nothing',
      );
    for (const call of asObjects(message['tool_calls'])) waiting.add(asString(call['id']) ?? '');
  }
  assert.ok(users > 0, 'a user speaks');
  for (const refused of ['n', 'user', 'logit_bias', 'parallel_tool_calls', 'top_p', 'top_k', 'stop'])
    assert.equal(body[refused], undefined, `${refused} is refused`);
  for (const name of ['temperature', 'presence_penalty', 'frequency_penalty', 'p'])
    assert.ok((asNumber(body[name]) ?? 1) <= 1);
  if (body['tools'] !== undefined) assert.ok(asArray(body['tools']).length > 0, 'no empty tools');
  const choice = body['tool_choice'];
  assert.ok(choice === undefined || choice === 'REQUIRED' || choice === 'NONE');
}
