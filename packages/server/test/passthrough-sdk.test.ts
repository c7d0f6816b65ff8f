// The official clients with nothing changed but their base address and key.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { APIError as AnthropicError, toFile as anthropicFile } from '@anthropic-ai/sdk';
import { loadProjectRecording } from '@floe/testkit/recordings';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { APIError as OpenAIError, toFile } from 'openai';
import { type PassthroughGateway, startPassthroughGateway } from './passthrough-gateway.ts';

let harness: PassthroughGateway;
before(async () => {
  harness = await startPassthroughGateway();
});
after(() => harness.close());

function recorded(dialect: string, name: string): UpstreamReply {
  const interaction = loadProjectRecording(dialect, name).interactions[0];
  assert.ok(interaction);
  return { interaction, chunking: { seed: 7 }, framing: 'chunked' };
}

const say = [{ role: 'user' as const, content: 'Hi' }];

test('openai: text, stream, tools', async () => {
  harness.setReply('a-one', recorded('openai', 'text'));
  const whole = await harness.openai().chat.completions.create({ model: 'm-1', messages: say });
  assert.ok((whole.choices[0]?.message.content ?? '').length > 0);
  harness.setReply('a-one', recorded('openai', 'parallel-tools-stream'));
  const tools = [
    { type: 'function' as const, function: { name: 'look_up', parameters: { type: 'object' } } },
  ];
  const stream = harness.openai().chat.completions.stream({ model: 'm-1', messages: say, tools });
  const final = await stream.finalChatCompletion();
  assert.equal(final.choices[0]?.message.tool_calls?.length, 2);
  harness.setReply('a-one', recorded('responses', 'text-stream'));
  const response = await harness
    .openai()
    .responses.stream({ model: 'm-1', input: 'Hi', store: false })
    .finalResponse();
  assert.ok(response.output_text.length > 0);
});

test('openai: embeddings, images, audio both ways', async () => {
  const packed = Buffer.from(new Float32Array([0.5, -2]).buffer).toString('base64');
  harness.setReply(
    'a-one',
    createJsonReply({
      object: 'list',
      data: [{ index: 0, embedding: packed }],
      usage: { prompt_tokens: 4, total_tokens: 4 },
    }),
  );
  const vectors = await harness.openai().embeddings.create({ model: 'text-e', input: 'x' });
  assert.deepEqual(vectors.data[0]?.embedding, [0.5, -2]);
  harness.setReply('a-one', createJsonReply({ created: 1, data: [{ b64_json: 'aGk=' }] }));
  const image = await harness.openai().images.edit({
    model: 'm-1',
    prompt: 'x',
    image: await toFile(Buffer.from('png'), 'a.png', { type: 'image/png' }),
  });
  assert.equal(image.data?.[0]?.b64_json, 'aGk=');
  harness.setReply('a-one', { headers: { 'content-type': 'text/plain' }, body: 'hello' });
  const text = await harness.openai().audio.transcriptions.create({
    model: 'm-1',
    file: await toFile(Buffer.from('wav'), 'a.wav'),
    response_format: 'text',
  });
  assert.equal(text, 'hello');
  await assert.rejects(
    harness
      .openai()
      .audio.transcriptions.create({ model: 'nowhere', file: await toFile(Buffer.from('wav'), 'a.wav') }),
    { status: 404, code: 'model_not_found' },
  );
});

test('anthropic: text, stream with thinking and tools, counting', async () => {
  harness.setReply('b-one', recorded('messages', 'text'));
  const ask = { model: 'm-1', max_tokens: 64, messages: say };
  const whole = await harness.anthropic().messages.create(ask);
  assert.equal(whole.type, 'message');
  harness.setReply('b-one', recorded('messages', 'thinking-parallel-tools-stream'));
  const final = await harness.anthropic().messages.stream(ask).finalMessage();
  assert.ok(final.content.some(({ type }) => type === 'thinking'));
  assert.equal(final.content.filter(({ type }) => type === 'tool_use').length, 2);
  harness.setReply('b-one', createJsonReply({ input_tokens: 12 }));
  const counted = await harness.anthropic().messages.countTokens({ model: 'm-1', messages: say });
  assert.equal(counted.input_tokens, 12);
  assert.equal(harness.lastRequest('b-one').path, '/v1/messages/count_tokens');
});

test('counting tokens uses none', async () => {
  harness.setReply('b-one', createJsonReply({ input_tokens: 12 }));
  const answer = await harness.call('/gateway/passthrough-b/v1/messages/count_tokens', {
    body: { model: 'm-1', messages: say },
  });
  const row = await harness.row(answer);
  assert.match(JSON.stringify(row['usage']), /"source":"none"/);
});

test('anthropic: files', async () => {
  harness.setReply('b-one', ({ method }) =>
    createJsonReply(
      method === 'DELETE'
        ? { id: 'file_1', type: 'file_deleted' }
        : { id: 'file_1', type: 'file', filename: 'a.txt' },
    ),
  );
  const file = await harness.anthropic().beta.files.upload({
    file: await anthropicFile(Buffer.from('x'), 'a.txt'),
    betas: ['files-api-2025-04-14'],
  });
  assert.equal(file.id, 'file_1');
  assert.equal(harness.lastRequest('b-one').headers['anthropic-beta']?.includes('files-api'), true);
  await assert.rejects(harness.anthropic('colleague').beta.files.retrieveMetadata('file_1'), { status: 404 });
  assert.equal((await harness.anthropic().beta.files.delete('file_1')).id, 'file_1');
});

test('both clients read the messages of errors, of the provider and of Floe', async () => {
  const wording = 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000';
  harness.setReply(
    'b-one',
    createJsonReply({ type: 'error', error: { type: 'invalid_request_error', message: wording } }, 400),
  );
  const refused = await harness
    .anthropic()
    .messages.create({ model: 'm-1', max_tokens: 5, messages: say })
    .catch((error: unknown) => error);
  assert.ok(refused instanceof AnthropicError);
  assert.equal(refused.status, 400);
  assert.ok(refused.message.includes(wording));
  harness.setReply(
    'a-one',
    createJsonReply(
      {
        error: { message: 'No tool output found', type: 'invalid_request_error', param: 'input', code: null },
      },
      400,
    ),
  );
  const other = await harness
    .openai()
    .responses.create({ model: 'm-1', input: 'x' })
    .catch((error: unknown) => error);
  assert.ok(other instanceof OpenAIError);
  assert.deepEqual([other.status, other.param], [400, 'input']);
  const ours = await harness
    .anthropic('narrow')
    .messages.create({ model: 'm-2', max_tokens: 5, messages: say })
    .catch((error: unknown) => error);
  assert.ok(ours instanceof AnthropicError);
  assert.equal(ours.status, 403);
});
