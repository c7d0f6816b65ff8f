// Tier: ci. Recordings cut at every byte.
import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { after, before, test } from 'node:test';
import type { Chunking } from '@floe/testkit/chunking';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { loadProjectRecording } from '@floe/testkit/recordings';
import fc from 'fast-check';
import { type ChatCase, loadChatCases } from './recorded-chat.ts';
import { type ReasoningOrg, type RecordingGateway, startRecordingGateway } from './recording-gateway.ts';

const isFull = process.env['FLOE_TEST_FULL'] === '1';
/** Byte by byte costs a turn of the event loop each; longer streams are cut so in full runs only. */
const EVERY_BYTE_LIMIT = isFull ? Number.POSITIVE_INFINITY : 4_000;
const RANDOM: readonly Chunking[] = [3, 40, 700].map((meanBytes) => ({ seed: meanBytes + 1, meanBytes }));

const { cases } = loadChatCases();
const good = cases.filter(({ recorded }) => recorded.status === 200);
const streams = good.filter(({ recorded }) => isEventStream(recorded) && isUtf8(recorded.body));
const wholes = good.filter(({ recorded }) => !recorded.stream);
let gateway: RecordingGateway;

before(async () => {
  gateway = await startRecordingGateway();
});
after(() => gateway.close());

async function ask(org: ReasoningOrg, body: string | object): Promise<HttpCallResponse> {
  return await callHttp(`${gateway.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key(org)}`, 'content-type': 'application/json' },
    body,
  });
}

/** The answer to a recorded stream, cut in this way on its way to the gateway. */
async function streamed(org: ReasoningOrg, one: ChatCase, chunking: Chunking): Promise<HttpCallResponse> {
  gateway.setReply(one.kind, { interaction: one.recorded, chunking, framing: 'chunked' });
  const model = `${one.kind}/${one.model}`;
  return await ask(org, { ...one.request, model, stream: true, stream_options: { include_usage: true } });
}

/**
 * What the client got; only an error event names the request. An event is over with the CR of its blank line, so an LF
 * that comes in a later piece than its CR may be missing at the end.
 */
function bytesOf(answer: HttpCallResponse): string {
  return answer.text
    .replaceAll(answer.headers['x-request-id'] ?? '', 'request')
    .replace(/\r\n\r\n?$/, '\r\n\r\n');
}

function isEventStream({ headers }: ChatCase['recorded']): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

test('any chunking of any recorded stream results in the same bytes', async (context) => {
  let cuts = 0;
  for (const one of streams) {
    const due = await streamed('strip', one, 'whole');
    assert.ok(due.isComplete && due.status === 200, one.name);
    const chunkings: Chunking[] = ['frames', ...RANDOM];
    if (one.recorded.body.length <= EVERY_BYTE_LIMIT) chunkings.push('every-byte');
    for (const chunking of chunkings) {
      const answer = await streamed('strip', one, chunking);
      assert.equal(bytesOf(answer), bytesOf(due), `${one.name} ${JSON.stringify(chunking)}`);
      cuts += 1;
    }
  }
  context.diagnostic(`${streams.length} recorded streams, ${cuts} other ways to cut them`);
});

test('with chat_reasoning: forward, the client receives the exact bytes of every recording', async (context) => {
  for (const [at, one] of streams.entries()) {
    const answer = await streamed('forward', one, RANDOM[at % RANDOM.length] ?? 'whole');
    const recorded = one.recorded.body.toString('utf8');
    const fault = answer.text.lastIndexOf('data: {"error":');
    const passed = fault === -1 ? answer.text : answer.text.slice(0, fault);
    assert.ok(recorded.startsWith(passed), one.name);
    // The end of an answer that is whole already, or a piece of it, is missed by nobody.
    if (fault === -1) assert.match(recorded.slice(passed.length), /^\s*(data: \[DONE\]\s*)?$/, one.name);
  }
  for (const { kind, model, recorded, request, name } of wholes) {
    gateway.setReply(kind, { interaction: recorded, chunking: { seed: 9 }, framing: 'chunked' });
    const answer = await ask('forward', { ...request, model: `${kind}/${model}` });
    if (answer.status === 200) assert.ok(answer.bytes.equals(recorded.body), name);
    else if (isUtf8(recorded.body))
      assert.match(recorded.body.toString('utf8'), /"error":|"choices":null/, name);
  }
  context.diagnostic(`${streams.length} recorded streams and ${wholes.length} whole answers, byte for byte`);
});

/** JSON text as no serializer writes it: numbers beyond doubles, odd escapes, white space everywhere. */
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
const scalar = fc.constantFrom(
  '9007199254740993',
  '-123456789012345678901234567890',
  '-0',
  '1.000',
  '1E400',
  '"\\u00e9\\/\\ud83d\\ude00\\b"',
  '"é😀\u2028 \\ud800"',
  '{"model":"groq/inner","messages":[]}',
  'null',
);
const { value } = fc.letrec<{ value: string; list: string; map: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, fc.json({ maxDepth: 2 }), tie('list'), tie('map')),
  list: fc
    .tuple(space, fc.array(tie('value'), { maxLength: 3 }), space)
    .map(([before, items, behind]) => `[${before}${items.join(`${behind},${before}`)}${behind}]`),
  map: fc.tuple(space, fc.array(tie('value'), { maxLength: 3 }), space).map(([before, items, behind]) => {
    const members = items.map((item, at) => `"${at}"${behind}:${before}${item}`);
    return `{${before}${members.join(`${behind},${before}`)}${behind}}`;
  }),
}));
/** Names of the request's members that Floe does not know. */
const unknownName = fc.stringMatching(/^x[a-zé😀_ -]{0,10}$/u);

test('a body of any shape reaches the provider byte for byte except the model', async () => {
  gateway.setReply('groq', {
    interaction: loadProjectRecording('groq', 'text').interactions[0] ?? assert.fail(),
  });
  const member = fc.tuple(unknownName, value).map(([name, text]) => ({ name, text }));
  const body = fc.record({
    unknown: fc.uniqueArray(member, { selector: ({ name }) => name, maxLength: 6 }),
    messages: value.map((item) => `[${item}]`),
    spaces: fc.tuple(space, space, space),
    modelFirst: fc.boolean(),
    model: fc.stringMatching(/^[a-z0-9./:@é-]{1,20}$/),
  });
  await fc.assert(
    fc.asyncProperty(body, async ({ unknown, messages, spaces, modelFirst, model }) => {
      const [a, b, c] = spaces;
      const textWith = (id: string) => {
        const others = [...unknown, { name: 'messages', text: messages }];
        const own = { name: 'model', text: JSON.stringify(id) };
        const members = (modelFirst ? [own, ...others] : [...others, own]).map(
          ({ name, text }) => `${JSON.stringify(name)}${a}:${b}${text}`,
        );
        return `${c}{${a}${members.join(`${b},${c}`)}${b}}${a}`;
      };
      const answer = await ask('strip', textWith(`groq/${model}`));
      assert.equal(answer.status, 200, answer.text);
      assert.equal(gateway.received('groq').at(-1)?.body.toString('utf8'), textWith(model));
    }),
    { numRuns: isFull ? 2000 : 150 },
  );
});

test('a client that disconnects at [DONE] had a complete response, although the provider has not ended', async () => {
  const interaction = loadProjectRecording('groq', 'text-stream').interactions[0] ?? assert.fail();
  const tail = ': and another thing\n\n'.repeat(200);
  const body = Buffer.concat([interaction.body, Buffer.from(tail)]);
  gateway.setReply('groq', { interaction, body, chunking: 'frames', framing: 'chunked' });
  const leaving = new AbortController();
  const answer = await callHttp(`${gateway.url}/chat/completions`, {
    headers: { authorization: `Bearer ${gateway.key('strip')}` },
    body: { model: 'groq/m', messages: [], stream: true },
    signal: leaving.signal,
    onChunk: (piece) => piece.includes('[DONE]') && leaving.abort(),
  });
  assert.ok(answer.text.endsWith('data: [DONE]\n\n'));
  const id = answer.headers['x-request-id'] ?? '';
  const row = (await gateway.rows('strip', [id])).get(id);
  assert.deepEqual([row?.state, row?.status], ['complete', 200]);
  const request = gateway.received('groq').at(-1);
  await request?.settled;
  assert.equal(request?.isAborted, false, 'the provider could say all it had to say');
});
