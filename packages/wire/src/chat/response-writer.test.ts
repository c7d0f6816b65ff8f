import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BilledUnitCounts } from '../billed-unit-counts.ts';
import { accumulateResponse } from '../canonical-response.ts';
import type { ResponseWriteContext } from '../dialect.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../dialects.ts';
import { asObject } from '../json-narrowing.ts';
import type { ResponseEvent } from '../response-events.ts';

const body = {
  model: 'm',
  messages: [{ role: 'user', content: 'U' }],
  functions: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
};
const { createResponseWriter, readRequest, writeCompleteResponse } = CLIENT_DIALECTS.chat;
const context = (clientBody: typeof body): ResponseWriteContext => ({
  ...{ request: readRequest(clientBody), clientBody, id: 'X', requestId: 'r', createdS: 1, nowS: () => 2 },
});

const callEvents = (block: number, text: string): ResponseEvent[] => [
  { type: 'open', block, kind: 'tool', id: `c${block}`, name: 'f' },
  ...(text === '' ? [] : [{ type: 'delta' as const, block, text }]),
  { type: 'close', block },
];
const FINISH: ResponseEvent = { type: 'finish', reason: 'tool', raw: 'tool_use' };

/** What Floe reads of a stream that it wrote, because clients read it in the same way. */
function writeAndRead(events: readonly ResponseEvent[]) {
  const writer = createResponseWriter(context(body));
  const text = events.map((event) => writer.write(event)).join('');
  const read: ResponseEvent[] = [];
  const reader = UPSTREAM_DIALECTS.chat.createResponseReader((event) => read.push(event), { id: 'e' });
  for (const line of text.split('\n\n').filter(Boolean))
    reader.read({ event: 'message', data: line.slice(6) });
  return { text, answer: accumulateResponse(read), dropped: [...writer.dropped] };
}

for (const args of ['{"a":1}', ''])
  test(`a client that sent \`functions\` receives \`function_call\`, with the arguments ${args || '{}'}`, () => {
    const events = [...callEvents(0, args), FINISH];
    const { text, answer, dropped } = writeAndRead(events);
    assert.ok(!text.includes('tool_calls'), text);
    assert.ok(text.includes('"finish_reason":"function_call"'));
    const [call] = answer.blocks;
    assert.deepEqual([call?.kind, call?.text, answer.finish?.reason], ['tool', args || '{}', 'tool']);
    assert.deepEqual(dropped, []);
    const written = writeCompleteResponse(accumulateResponse(events), context(body));
    const [choice] = Object(written.body)['choices'];
    assert.equal(choice.finish_reason, 'function_call');
    assert.deepEqual(asObject(choice.message.function_call), { name: 'f', arguments: args || '{}' });
    assert.equal(choice.message.tool_calls, undefined);
  });

test('further calls are reported as dropped, because `function_call` has room for one', () => {
  const events = [...callEvents(0, '{"a":1}'), ...callEvents(1, '{"a":2}'), FINISH];
  const { text, answer, dropped } = writeAndRead(events);
  assert.ok(!text.includes('2'), text);
  assert.equal(answer.blocks.length, 1);
  assert.deepEqual(dropped, ['tool_calls']);
  const written = writeCompleteResponse(accumulateResponse(events), context(body));
  assert.deepEqual([...written.dropped], ['tool_calls']);
  assert.ok(!JSON.stringify(written.body).includes(':2}'));
});

test('a client that sent `tools` receives `tool_calls`', () => {
  const both = { ...body, tools: [{ type: 'function', function: { name: 'f' } }] };
  const writer = createResponseWriter(context(both));
  const text = [...callEvents(0, '{}'), FINISH].map((event) => writer.write(event)).join('');
  assert.ok(text.includes('"tool_calls"') && !text.includes('function_call'), text);
});

test('the usage states the audio tokens, if the provider reported them', () => {
  const usageOf = (units: BilledUnitCounts) => {
    const events: ResponseEvent[] = [{ type: 'usage', usage: { units } }, FINISH];
    const { body: written } = writeCompleteResponse(accumulateResponse(events), context(body));
    return asObject(JSON.parse(JSON.stringify(written)).usage);
  };
  const { prompt_tokens_details, completion_tokens_details } =
    usageOf({ input: 9, output: 8, input_audio: 7, output_audio: 6 }) ?? {};
  assert.deepEqual(prompt_tokens_details, { cached_tokens: 0, audio_tokens: 7 });
  assert.deepEqual(completion_tokens_details, { reasoning_tokens: 0, audio_tokens: 6 });
  assert.ok(!JSON.stringify(usageOf({ input: 9, output: 8 })).includes('audio'));
});
