import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { accumulateResponse } from './canonical-response.ts';
import type { ResponseWriteContext } from './dialect.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from './dialects.ts';
import { asObjects, tryParseJson } from './json-narrowing.ts';
import type { ResponseEvent } from './response-events.ts';
import { toProviderToolName } from './tool-identifiers.ts';

const user = { role: 'user', content: 'hi' };

function context(body: JsonObject): ResponseWriteContext {
  const ask = CLIENT_DIALECTS.responses.readRequest({ model: 'm', input: [user], ...body });
  return { request: ask, clientBody: body, id: 'X', requestId: 'r', createdS: 1, nowS: () => 2 };
}

const answered = (name: string, input: string): ResponseEvent[] => [
  { type: 'start', id: 'a', model: 'm' },
  { type: 'open', block: 0, kind: 'tool', id: 'call_1', name },
  ...[...input].map((text): ResponseEvent => ({ type: 'delta', block: 0, text })),
  { type: 'close', block: 0 },
  { type: 'finish', reason: 'tool', raw: 'tool_calls' },
];

function items(events: readonly ResponseEvent[], given: ResponseWriteContext): readonly JsonObject[] {
  const { body } = CLIENT_DIALECTS.responses.writeCompleteResponse(accumulateResponse(events), given);
  const writer = CLIENT_DIALECTS.responses.createResponseWriter(given);
  const last =
    events
      .map((event) => writer.write(event))
      .join('')
      .trimEnd()
      .split('data: ')
      .at(-1) ?? '';
  const terminal = tryParseJson(last);
  assert.ok(isJsonObject(terminal) && isJsonObject(terminal['response']));
  assert.deepEqual(
    terminal['response']['output'],
    JSON.parse(JSON.stringify(body['output'])),
    'stream and whole answer agree',
  );
  return asObjects(terminal['response']['output']);
}

describe('calls come back as the client declared its tools', () => {
  const patch = '*** Begin Patch\n+"quoted" \\ ünï\n';

  test('a freeform tool that travelled as a function', () => {
    const given = context({ tools: [{ type: 'custom', name: 'apply_patch' }] });
    const [item] = items(answered('apply_patch', JSON.stringify({ input: patch })), given);
    assert.deepEqual(
      [item?.['type'], item?.['name'], item?.['input'], item?.['call_id']],
      ['custom_tool_call', 'apply_patch', patch, 'call_1'],
    );
  });

  test('a freeform call that is not the JSON it should be is taken as raw text', () => {
    const given = context({ tools: [{ type: 'custom', name: 'apply_patch' }] });
    assert.equal(items(answered('apply_patch', patch), given)[0]?.['input'], patch);
  });

  test('a tool of a namespace', () => {
    const given = context({
      tools: [{ type: 'namespace', name: 'files', tools: [{ type: 'function', name: 'read' }] }],
    });
    const [item] = items(answered('files__read', '{}'), given);
    assert.deepEqual([item?.['namespace'], item?.['name']], ['files', 'read']);
    const { body } = CLIENT_DIALECTS.responses.writeCompleteResponse(
      accumulateResponse(answered('files__read', '{}')),
      given,
    );
    const [tool] = asObjects(body['tools']);
    assert.deepEqual([tool?.['type'], tool?.['name']], ['namespace', 'files']);
    assert.deepEqual(
      asObjects(tool?.['tools']).map(({ name }) => name),
      ['read'],
    );
  });

  test('a freeform tool of a namespace', () => {
    const given = context({
      tools: [{ type: 'namespace', name: 'files', tools: [{ type: 'custom', name: 'patch' }] }],
    });
    const [item] = items(answered('files__patch', JSON.stringify({ input: patch })), given);
    assert.deepEqual(
      [item?.['type'], item?.['namespace'], item?.['name'], item?.['input']],
      ['custom_tool_call', 'files', 'patch', patch],
    );
  });

  test('members beside the text of a freeform call are reported as dropped', () => {
    const given = context({ tools: [{ type: 'custom', name: 'apply_patch' }] });
    for (const [more, dropped] of [
      [{}, []],
      [{ why: 'because' }, ['tool_calls.arguments']],
    ] as const) {
      const events = answered('apply_patch', JSON.stringify({ input: patch, ...more }));
      assert.equal(items(events, given)[0]?.['input'], patch);
      for (const client of ['chat', 'responses'] as const) {
        const complete = CLIENT_DIALECTS[client].writeCompleteResponse(accumulateResponse(events), given);
        const writer = CLIENT_DIALECTS[client].createResponseWriter(given);
        for (const event of events) writer.write(event);
        assert.deepEqual([[...complete.dropped], [...writer.dropped]], [dropped, dropped], client);
      }
    }
  });

  test('a name that providers refuse', () => {
    const name = `mcp.server/${'long'.repeat(20)}`;
    assert.match(toProviderToolName(name), /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    const given = context({ tools: [{ type: 'function', name }] });
    assert.equal(items(answered(toProviderToolName(name), '{}'), given)[0]?.['name'], name);
  });

  test('an IDE client gets freeform calls as functions with the raw text', () => {
    const ask = CLIENT_DIALECTS.chat.readRequest({
      model: 'm',
      messages: [user],
      tools: [{ type: 'custom', name: 'apply_patch' }],
    });
    const base = { request: ask, id: 'X', requestId: 'r', createdS: 1, nowS: () => 2 };
    const answer = accumulateResponse(answered('apply_patch', JSON.stringify({ input: patch })));
    const call = (given: ResponseWriteContext): string =>
      JSON.stringify(CLIENT_DIALECTS.chat.writeCompleteResponse(answer, given).body['choices']);
    assert.ok(
      call({ ...base, freeformAsFunction: true }).includes(
        `"function":{"name":"apply_patch","arguments":${JSON.stringify(patch)}}`,
      ),
    );
    assert.ok(call(base).includes(`"custom":{"name":"apply_patch","input":${JSON.stringify(patch)}}`));
  });
});

test('a body of a response that the provider still generates is not a complete response', () => {
  for (const status of ['queued', 'in_progress'])
    for (const client of ['chat', 'messages'] as const) {
      const answer = UPSTREAM_DIALECTS.responses.readCompleteResponse(
        { id: 'r', status, output: [] },
        { id: 'X' },
      );
      assert.throws(() => CLIENT_DIALECTS[client].writeCompleteResponse(answer, context({})), {
        code: 'upstream_stream_broken',
      });
    }
});
