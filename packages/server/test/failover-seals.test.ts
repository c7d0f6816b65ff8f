// Proofs of earlier reasoning go back to the credential that made them, byte for byte, and to nobody else.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { limitFaultRequests } from '@floe/testkit/injected-fault';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty, objectsOrEmpty } from './answer-content.ts';
import { type FailoverGateway, QUESTION_MESSAGES, startFailoverGateway } from './failover-gateway.ts';
import { sampleReply } from './upstream-samples.ts';

const routes = [
  { model: 'messages', targets: ['messages-a/m-1', 'messages-b/m-2'], retries: 0 },
  { model: 'responses', targets: ['responses-a/m-1', 'responses-b/m-2'], retries: 0 },
  { model: 'across', targets: ['messages-a/m-1', 'chat-b/m-2'], retries: 0 },
  { model: 'two-keys', targets: ['shared/m-1'], retries: 0 },
  { model: 'stored', targets: ['responses-b/m-2', 'responses-a/m-1'], retries: 0 },
  { model: 'responses-to-chat', targets: ['responses-a/m-1', 'chat-b/m-2'], retries: 0 },
  { model: 'retried', targets: ['messages-a/m-1'], retries: 1 },
  { model: 'same-key', targets: ['messages-a/m-1', 'messages-a/m-2'], retries: 0 },
];
const SIGNATURE = 'RXZlcnkgZmxvZSBoYXMgaXRzIG93biBzZWFsLg==';
const REDACTED = 'aGlkZGVuIHVuZGVyIHRoZSBpY2U=';
const CALL = { type: 'tool_use', id: 'toolu_7', name: 'measure', input: { station: 'Barneo' } };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_7', content: '2.5' };

let harness: FailoverGateway;
/** What side `a` answers; the usual text if undefined. */
let scripted: UpstreamReply | ((request: ReceivedRequest) => UpstreamReply | undefined) | undefined;
before(async () => {
  harness = await startFailoverGateway(routes, (_, request) =>
    typeof scripted === 'function' ? scripted(request) : scripted,
  );
});
after(() => harness.close());

function conversation(...proofs: readonly JsonObject[]): JsonObject {
  const assistant = { role: 'assistant', content: [...proofs, CALL] };
  return {
    messages: [...QUESTION_MESSAGES, assistant, { role: 'user', content: [RESULT] }],
    tools: [{ name: 'measure', input_schema: { type: 'object' } }],
    // Without proofs, a tool loop with a thinking budget is invalid.
    ...(proofs.length > 0 && { thinking: { type: 'enabled', budget_tokens: 1024 } }),
    max_tokens: 2048,
  };
}

const SIGNED = conversation(
  { type: 'thinking', thinking: 'One station, one call.', signature: SIGNATURE },
  { type: 'redacted_thinking', data: REDACTED },
);

test('the first target receives signed thinking byte for byte, and another credential receives none', async () => {
  const body = JSON.stringify({ model: 'messages', ...SIGNED }, null, 1);
  await harness.upstream('messages', 'a').setFaults(findInjectedFault('unavailable'));
  const answer = await harness.send('messages', 'messages', {}, { body });
  await harness.upstream('messages', 'a').setFaults();
  assert.equal(answer.status, 200, answer.text);
  const first = harness.receivedRequests('messages', 'a').at(-1)?.body.toString('utf8') ?? '';
  assert.equal(first, body.replace('"model": "messages"', '"model": "m-1"'));
  const second = harness.receivedRequests('messages', 'b').at(-1)?.body.toString('utf8') ?? '';
  assert.equal(second, JSON.stringify({ model: 'm-2', ...conversation() }, null, 1));
  const row = await harness.row(answer);
  assert.deepEqual(row['dropped'], (answer.headers['x-floe-dropped'] ?? '').split(','));
  const lost = ['messages.content.thinking', 'messages.content.redacted_thinking'];
  assert.deepEqual(row['dropped'], ['reasoning.seal', ...lost, 'thinking']);
});

test('content that Floe cannot translate reaches the other target with all its bytes', async () => {
  const thought = { type: 'thinking', thinking: 'One station.', signature: SIGNATURE };
  const source = { type: 'content', content: [{ type: 'text', text: 'Log of the station' }] };
  const question = [
    {
      type: 'search_result',
      source: 'https://ice.test',
      title: 'Ice',
      content: [{ type: 'text', text: '2.5' }],
    },
    { type: 'document', source, citations: { enabled: true } },
    { type: 'tomorrow', depth: 1e2 },
  ];
  const write = (model: string, ...answer: readonly JsonObject[]) =>
    JSON.stringify({
      model,
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: [...answer, { type: 'text', text: 'Thick.' }] },
        { role: 'user', content: 'And tomorrow?' },
      ],
      max_tokens: 2048,
    }).replace('100', '1e2');
  await harness.upstream('messages', 'a').setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
  const answer = await harness.send('messages', 'messages', {}, { body: write('messages', thought) });
  assert.deepEqual(
    [answer.status, answer.headers['x-floe-dropped']],
    [200, 'reasoning.seal,messages.content.thinking'],
    answer.text,
  );
  const sent = harness.receivedRequests('messages', 'b').at(-1)?.body.toString('utf8');
  assert.equal(sent, write('m-2'));
});

test('a message that consists only of signed thinking is removed for another credential', async () => {
  const thought = { role: 'assistant', content: [{ type: 'thinking', thinking: 'T', signature: SIGNATURE }] };
  const more = { messages: [...QUESTION_MESSAGES, thought, ...QUESTION_MESSAGES] };
  await harness.upstream('messages', 'a').setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
  const answer = await harness.send('messages', 'messages', more);
  assert.equal(answer.status, 200, answer.text);
  const sent: unknown = JSON.parse(
    harness.receivedRequests('messages', 'b').at(-1)?.body.toString('utf8') ?? '',
  );
  assert.deepEqual(objectOrEmpty(sent)['messages'], [...QUESTION_MESSAGES, ...QUESTION_MESSAGES]);
});

test('a conversation of which nothing is left is not sent to another credential', async () => {
  const thought = { role: 'assistant', content: [{ type: 'thinking', thinking: 'T', signature: SIGNATURE }] };
  await harness.upstream('messages', 'a').setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
  const before = harness.receivedRequests('messages', 'b').length;
  const answer = await harness.send('messages', 'messages', { messages: [thought] });
  assert.equal(answer.status, 502, answer.text);
  assert.equal(harness.receivedRequests('messages', 'b').length, before);
});

test('tokens of a conversation with signed thinking are counted by another credential', async () => {
  await harness.upstream('messages', 'a').setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
  const body = JSON.stringify({ model: 'messages', ...SIGNED });
  const answer = await harness.send('messages', 'messages', {}, { body, path: '/messages/count_tokens' });
  assert.equal(
    answer.headers['x-floe-dropped'],
    'reasoning.seal,messages.content.thinking,messages.content.redacted_thinking,thinking',
  );
  const sent = harness.receivedRequests('messages', 'b').at(-1);
  assert.match(sent?.path ?? '', /count_tokens$/);
  assert.equal(sent?.body.toString('utf8'), JSON.stringify({ model: 'm-2', ...conversation() }));
});

test('a healthy first target loses and reports nothing', async () => {
  const answer = await harness.send('messages', 'messages', SIGNED);
  assert.equal(answer.headers['x-floe-dropped'], undefined);
  assert.ok(harness.receivedRequests('messages', 'a').at(-1)?.body.includes(SIGNATURE));
});

test('the same credential receives its seals with another model', async () => {
  await harness.upstream('messages', 'a').setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
  const answer = await harness.send('messages', 'same-key', SIGNED);
  assert.deepEqual([answer.status, answer.headers['x-floe-dropped']], [200, undefined]);
  const [first, second] = harness.receivedRequests('messages', 'a').slice(-2);
  assert.ok(first?.body.includes(SIGNATURE) && second?.body.includes(SIGNATURE));
});

test('another key of the same provider is another credential', async () => {
  await harness
    .upstream('messages', 'a')
    .setFaults(limitFaultRequests(findInjectedFault('bad-credentials/401'), 1));
  const answer = await harness.send('messages', 'two-keys', SIGNED);
  assert.equal(answer.status, 200);
  const [first, second] = harness.receivedRequests('messages', 'a').slice(-2);
  assert.notEqual(first?.headers['x-api-key'], second?.headers['x-api-key']);
  assert.ok(first?.body.includes(SIGNATURE) && !second?.body.includes(SIGNATURE));
  assert.match(answer.headers['x-floe-dropped'] ?? '', /reasoning\.seal/);
  assert.deepEqual(
    objectsOrEmpty((await harness.row(answer))['attempts'])
      .map(({ credential }) => credential)
      .sort(),
    ['one', 'two'],
  );
});

test('encrypted content of Responses stays with its credential', async () => {
  const reasoning = { type: 'reasoning', id: 'rs_7', summary: [], encrypted_content: REDACTED };
  const call = { type: 'function_call', call_id: 'call_7', name: 'measure', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'call_7', output: '2.5' };
  const tools = [{ type: 'function', name: 'measure', parameters: { type: 'object' }, strict: false }];
  const more = { input: [...QUESTION_MESSAGES, reasoning, call, output], tools, store: false };
  await harness.upstream('responses', 'a').setFaults(findInjectedFault('unavailable'));
  const answer = await harness.send('responses', 'responses', more);
  await harness.upstream('responses', 'a').setFaults();
  assert.equal(answer.status, 200, answer.text);
  assert.ok(harness.receivedRequests('responses', 'a').at(-1)?.body.includes(REDACTED));
  const second = harness.receivedRequests('responses', 'b').at(-1)?.body.toString('utf8') ?? '';
  assert.ok(!second.includes(REDACTED) && second.includes('call_7'));
  assert.equal(answer.headers['x-floe-dropped'], 'reasoning.seal,input.reasoning');
});

test('a compaction is never removed: a target that cannot read it is not used', async () => {
  const compaction = { type: 'compaction', id: 'cmp_7', encrypted_content: REDACTED };
  const more = { input: [compaction, ...QUESTION_MESSAGES], store: false };
  for (const [route, other] of [
    ['responses', 'responses'],
    ['responses-to-chat', 'chat'],
  ] as const) {
    const before = harness.receivedRequests(other, 'b').length;
    await harness
      .upstream('responses', 'a')
      .setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
    const answer = await harness.send('responses', route, more);
    assert.equal(answer.status, 502, answer.text);
    assert.equal(harness.receivedRequests(other, 'b').length, before);
  }
});

test('an error about a compaction that cannot be verified is returned', async () => {
  const error = { message: 'x', type: 'invalid_request_error', code: 'invalid_encrypted_content' };
  scripted = ({ body }) => (body.includes(REDACTED) ? createJsonReply({ error }, 400) : undefined);
  const compaction = { type: 'compaction', id: 'cmp_7', encrypted_content: REDACTED };
  const reasoning = { type: 'reasoning', id: 'rs_7', summary: [], encrypted_content: REDACTED };
  for (const input of [[compaction, reasoning, ...QUESTION_MESSAGES], [reasoning]]) {
    const before = harness.receivedRequests('responses', 'a').length;
    const answer = await harness.send('responses', 'responses', { input });
    assert.deepEqual([answer.status, objectOrEmpty(answer.json())['error']], [400, error]);
    assert.equal(harness.receivedRequests('responses', 'a').length, before + 1);
  }
  scripted = undefined;
});

test('a request without seals is not sent again after an error about a signature', async () => {
  const message = 'messages.0.content.0: the signature of the `search_result` is not valid';
  scripted = () => createJsonReply({ type: 'error', error: { type: 'invalid_request_error', message } }, 400);
  const before = harness.receivedRequests('messages', 'a').length;
  const messages = [{ role: 'user', content: 'What is "reasoning" and thinking?' }];
  const answer = await harness.send('messages', 'messages', { messages });
  assert.deepEqual([answer.status, harness.receivedRequests('messages', 'a').length], [400, before + 1]);
  scripted = () =>
    createJsonReply(
      { type: 'error', error: { type: 'permission_error', message: 'Invalid signature' } },
      403,
    );
  const denied = await harness.send('messages', 'messages', SIGNED);
  scripted = undefined;
  const sent = harness.receivedRequests('messages', 'a').slice(before + 1);
  assert.equal(denied.status, 200, denied.text);
  assert.deepEqual(
    sent.map(({ body }) => body.includes(SIGNATURE)),
    [true],
  );
});

test('a target loses the beta features that it rejected, and another target receives them', async () => {
  const message = 'Unexpected value(s) `a-1` for the `anthropic-beta` header.';
  const rejection = { type: 'error', error: { type: 'invalid_request_error', message } };
  scripted = ({ headers }) =>
    headers['anthropic-beta']
      ? createJsonReply(rejection, 400)
      : createJsonReply({ type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 529);
  const before = harness.receivedRequests('messages', 'a').length;
  const answer = await harness.send('messages', 'messages', {}, { headers: { 'anthropic-beta': 'a-1' } });
  scripted = undefined;
  assert.deepEqual([answer.status, answer.headers['x-floe-dropped']], [200, undefined], answer.text);
  const sent = [
    ...harness.receivedRequests('messages', 'a').slice(before),
    ...harness.receivedRequests('messages', 'b').slice(-1),
  ];
  assert.deepEqual(
    sent.map(({ headers }) => headers['anthropic-beta']),
    ['a-1', undefined, 'a-1'],
  );
});

test('a request that is sent again without seals keeps the retries of its route', async () => {
  const message = 'Invalid `signature` in `thinking` block';
  let count = 0;
  scripted = ({ body }) => {
    count += 1;
    if (body.includes(SIGNATURE))
      return createJsonReply({ type: 'error', error: { type: 'invalid_request_error', message } }, 400);
    return count === 2
      ? createJsonReply({ type: 'error', error: { type: 'api_error', message: 'x' } }, 500)
      : undefined;
  };
  const answer = await harness.send('messages', 'retried', SIGNED);
  scripted = undefined;
  assert.deepEqual([answer.status, count], [200, 3], answer.text);
});

test('the count of tokens reports a rejected header', async () => {
  const message = 'Unexpected value(s) `a-1` for the `anthropic-beta` header.';
  scripted = ({ headers }) =>
    headers['anthropic-beta']
      ? createJsonReply({ type: 'error', error: { type: 'invalid_request_error', message } }, 400)
      : createJsonReply({ input_tokens: 7 });
  const options = { path: '/messages/count_tokens', headers: { 'anthropic-beta': 'a-1' } };
  const answer = await harness.send('messages', 'messages', {}, options);
  scripted = undefined;
  assert.deepEqual([answer.status, answer.headers['x-floe-dropped']], [200, 'anthropic-beta'], answer.text);
});

test('reasoning of Responses without encrypted content stays with its credential', async () => {
  const reasoning = { type: 'reasoning', id: 'rs_7', summary: [], encrypted_content: null };
  const open = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Open.' }] };
  const more = { input: [...QUESTION_MESSAGES, reasoning, open, ...QUESTION_MESSAGES], store: false };
  await harness
    .upstream('responses', 'a')
    .setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
  const answer = await harness.send('responses', 'responses', more);
  assert.deepEqual([answer.status, answer.headers['x-floe-dropped']], [200, 'input.reasoning'], answer.text);
  assert.ok(harness.receivedRequests('responses', 'a').at(-1)?.body.includes('rs_7'));
  const sent = harness.receivedRequests('responses', 'b').at(-1)?.body.toString('utf8') ?? '';
  assert.ok(sent.includes('Open.') && !sent.includes('rs_7'), sent);
});

test('stored reasoning returns only to the credential that created it, even if it is not the first target', async () => {
  const SEAL = '"encrypted_content":"ZW5jcnlwdGVk"';
  const COMPACTION = { type: 'compaction', id: 'cmp_7', encrypted_content: 'Y29tcGFjdGVk' };
  const down = { ...findInjectedFault('unavailable'), requestCount: 1 };
  const { body, ...reply } = sampleReply('responses', 'thinking', false);
  const response = objectOrEmpty(JSON.parse(body.toString('utf8')));
  const output = [COMPACTION, ...objectsOrEmpty(response['output'])];
  scripted = { ...reply, body: JSON.stringify({ ...response, output }) };
  await harness.upstream('responses', 'b').setFaults(down);
  const first = await harness.send('responses', 'stored', { store: true });
  scripted = undefined;
  assert.equal(first.status, 200, first.text);
  const more = { previous_response_id: String(objectOrEmpty(first.json())['id']) };
  await harness.upstream('responses', 'b').setFaults(down);
  assert.equal((await harness.send('responses', 'stored', more)).status, 200);
  const atCreator = harness.receivedRequests('responses', 'a').at(-1)?.body.toString('utf8') ?? '';
  assert.ok(atCreator.includes(SEAL) && !atCreator.includes('floe1.'), atCreator);
  assert.ok(atCreator.includes(JSON.stringify(COMPACTION)), atCreator);
  const before = harness.receivedRequests('responses', 'b').length;
  assert.equal((await harness.send('responses', 'stored', more)).status, 200);
  assert.equal(harness.receivedRequests('responses', 'b').length, before);
});

test('stored reasoning that its provider cannot verify is omitted in a second request', async () => {
  const { body, ...reply } = sampleReply('responses', 'thinking', false);
  const response = objectOrEmpty(JSON.parse(body.toString('utf8')));
  scripted = { ...reply, body: JSON.stringify(response) };
  await harness
    .upstream('responses', 'b')
    .setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
  const first = await harness.send('responses', 'stored', { store: true });
  const error = { message: 'x', type: 'invalid_request_error', code: 'invalid_encrypted_content' };
  scripted = (request) =>
    request.body.includes('ZW5jcnlwdGVk') ? createJsonReply({ error }, 400) : undefined;
  await harness
    .upstream('responses', 'b')
    .setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
  const more = { previous_response_id: String(objectOrEmpty(first.json())['id']) };
  const answer = await harness.send('responses', 'stored', more);
  scripted = undefined;
  assert.equal(answer.status, 200, answer.text);
  const [one, two] = harness.receivedRequests('responses', 'a').slice(-2);
  assert.ok(one?.body.includes('ZW5jcnlwdGVk') && !two?.body.includes('encrypted_content'));
});

test('a target that cannot verify the seals in a request receives it again without them', async () => {
  const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  const reject = ({ body }: ReceivedRequest) => body.includes(SIGNATURE);
  scripted = (request) =>
    reject(request)
      ? createJsonReply({ type: 'error', error: { type: 'invalid_request_error', message } }, 400)
      : undefined;
  const answer = await harness.send('messages', 'messages', SIGNED);
  scripted = undefined;
  assert.equal(answer.status, 200, answer.text);
  const [first, second] = harness.receivedRequests('messages', 'a').slice(-2);
  assert.ok(first?.body.includes(SIGNATURE));
  const sent: unknown = JSON.parse(second?.body.toString('utf8') ?? '');
  assert.deepEqual(sent, { model: 'm-1', ...conversation() });
  assert.match(answer.headers['x-floe-dropped'] ?? '', /^reasoning\.seal,messages\.content\.thinking/);
});

test('an error about seals is returned if the request without them fails too', async () => {
  const error = { message: 'x', type: 'invalid_request_error', code: 'invalid_encrypted_content' };
  scripted = () => createJsonReply({ error }, 400);
  const reasoning = { type: 'reasoning', id: 'rs_7', summary: [], encrypted_content: REDACTED };
  const before = harness.receivedRequests('responses', 'a').length;
  const answer = await harness.send('responses', 'responses', {
    input: [...QUESTION_MESSAGES, reasoning, ...QUESTION_MESSAGES],
  });
  const plain = await harness.send('responses', 'responses', {});
  scripted = undefined;
  assert.deepEqual([answer.status, objectOrEmpty(answer.json())['error']], [400, error]);
  assert.equal(plain.status, 400);
  const sent = harness.receivedRequests('responses', 'a').slice(before);
  assert.deepEqual(
    sent.map(({ body }) => body.includes(REDACTED)),
    [true, false, false],
  );
});

test('thinking that moves to another dialect is dropped and reported', async () => {
  await harness.upstream('messages', 'a').setFaults(findInjectedFault('unavailable'));
  const answer = await harness.send('messages', 'across', SIGNED);
  await harness.upstream('messages', 'a').setFaults();
  assert.equal(answer.status, 200, answer.text);
  const sent = harness.receivedRequests('chat', 'b').at(-1)?.body.toString('utf8') ?? '';
  assert.ok(!sent.includes(SIGNATURE) && !sent.includes(REDACTED) && sent.includes('toolu_7'));
  assert.match(answer.headers['x-floe-dropped'] ?? '', /reasoning/);
});

test('fields that only look like seals cost a conversation nothing', async () => {
  const call = { ...CALL, input: { signature: '', reasoning_details: [], note: 'floe1.x' } };
  const more = {
    messages: [
      ...QUESTION_MESSAGES,
      { role: 'assistant', content: [call] },
      { role: 'user', content: [RESULT] },
    ],
    context_management: { edits: [] },
  };
  await harness.upstream('messages', 'a').setFaults({ ...findInjectedFault('unavailable'), requestCount: 1 });
  const answer = await harness.send('messages', 'messages', more);
  assert.deepEqual([answer.status, answer.headers['x-floe-dropped']], [200, undefined]);
  for (const side of ['a', 'b'] as const)
    assert.match(
      harness.receivedRequests('messages', side).at(-1)?.body.toString('utf8') ?? '',
      /"context_management"/,
    );
});

test('packed and empty seals reach no provider in any notation', async () => {
  const packed = `floe1.gemini.abc.s.${SIGNATURE}`;
  const blocks = [
    { type: 'thinking', thinking: 'From elsewhere.', signature: packed },
    { type: 'redacted_thinking', data: packed },
    { type: 'thinking', thinking: 'Unproven.', signature: '' },
  ];
  for (const block of blocks)
    for (const write of [compact, spaced]) {
      const body = write({ model: 'messages', ...conversation(block) });
      const answer = await harness.send('messages', 'messages', {}, { body });
      assert.equal(answer.status, 200, answer.text);
      const sent = harness.receivedRequests('messages', 'a').at(-1)?.body.toString('utf8') ?? '';
      assert.doesNotMatch(sent, /floe1|"signature"|thinking":\s*"|"redacted_thinking"/, write.name);
      assert.match(answer.headers['x-floe-dropped'] ?? '', /thinking/);
    }
});

function compact(body: JsonObject): string {
  return JSON.stringify(body);
}

function spaced(body: JsonObject): string {
  return JSON.stringify(body).replaceAll('":', '" :\n\t');
}
