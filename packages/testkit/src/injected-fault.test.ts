import assert from 'node:assert/strict';
import { Agent, request as httpRequest } from 'node:http';
import { after, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createCutResponseFault, createStalledResponseFault } from './connection-faults.ts';
import { type FakeUpstream, type FakeUpstreamOptions, startFakeUpstream } from './fake-upstream.ts';
import { findInjectedFault, INJECTED_FAULTS } from './fault-table.ts';
import { callHttp, type HttpCallResponse } from './http-client.ts';
import { type InjectedFault, limitFaultRequests } from './injected-fault.ts';
import { loadProjectRecording } from './recordings.ts';
import { createJsonReply, createSseReply, type UpstreamReply } from './upstream-reply.ts';

const USAGE = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 };
const STREAM = createSseReply([
  { id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
  { id: 'c', choices: [{ index: 0, delta: { content: 'Hello' }, finish_reason: null }] },
  { id: 'c', choices: [{ index: 0, delta: { content: ' there' }, finish_reason: null }] },
  { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { id: 'c', choices: [], usage: USAGE },
  'data: [DONE]\n\n',
]);
const WHOLE = createJsonReply({
  id: 'c',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: USAGE,
});
const STREAM_TEXT = String(STREAM.body);
const WHOLE_TEXT = String(WHOLE.body);

const open: FakeUpstream[] = [];
after(() => Promise.all(open.map((upstream) => upstream.close())));

async function start(options: FakeUpstreamOptions): Promise<FakeUpstream> {
  const upstream = await startFakeUpstream(options);
  open.push(upstream);
  return upstream;
}

/** An upstream with this fault, and one call to it. */
async function meet(name: string, reply: UpstreamReply = STREAM, path = '/v1/chat/completions') {
  const upstream = await start({ script: [reply], faults: [findInjectedFault(name)] });
  return { upstream, answer: await callHttp(upstream.url + path, { body: { stream: true } }) };
}

type Proof = (fault: InjectedFault) => Promise<void>;

function answers(status: number, look: (answer: HttpCallResponse) => void): Proof {
  return async ({ name }) => {
    const { answer } = await meet(name);
    assert.equal(answer.status, status);
    assert.equal(answer.isComplete, true);
    look(answer);
  };
}

function refuses(code: string): Proof {
  return async ({ name }) => {
    const upstream = await start({ script: [STREAM], faults: [findInjectedFault(name)] });
    await assert.rejects(callHttp(upstream.url), { code });
    await upstream.setFaults();
    assert.equal((await callHttp(upstream.url)).text, STREAM_TEXT);
  };
}

const cuts: Proof = async ({ name }) => {
  const { answer, upstream } = await meet(name);
  assert.equal(answer.isComplete, false);
  if (name.includes('/fin'))
    assert.equal(answer.text, STREAM_TEXT.slice(0, Math.ceil(STREAM_TEXT.length / 2)));
  await upstream.requests[0]?.settled;
  assert.equal(upstream.requests[0]?.isAborted, false);
};

const errorCode = (answer: HttpCallResponse, code: string | null) =>
  assert.equal(JSON.parse(answer.text).error.code, code);

/** For every fault by name, the proof that it does what its line says. */
const PROOFS: Record<string, Proof> = {
  'refuse-connection': refuses('ECONNREFUSED'),
  'reset-before-headers': refuses('ECONNRESET'),
  'close-before-headers': refuses('ECONNRESET'),
  'accept-and-silence': async ({ name }) => {
    const upstream = await start({ script: [STREAM], faults: [findInjectedFault(name)] });
    const leaving = new AbortController();
    const answer = callHttp(upstream.url, { body: 'hello', signal: leaving.signal });
    const [request] = await upstream.waitForRequests(1);
    leaving.abort();
    await assert.rejects(answer, { name: 'AbortError' });
    await request?.settled;
    assert.equal(request?.isAborted, true);
  },
  'slow-first-token': async ({ name }) => {
    const upstream = await start({ script: [STREAM], faults: [findInjectedFault(name)] });
    const answer = callHttp(upstream.url);
    await upstream.gate.arrivalCount();
    upstream.gate.release();
    assert.equal((await answer).text, STREAM_TEXT);
  },
  'cut-mid-answer/fin-chunked': cuts,
  'cut-mid-answer/fin-content-length': cuts,
  'cut-mid-answer/reset-chunked': cuts,
  'cut-mid-answer/reset-content-length': cuts,
  'stall-mid-answer': async ({ name }) => {
    const upstream = await start({ script: [STREAM], faults: [findInjectedFault(name)] });
    const leaving = new AbortController();
    let missing = Math.ceil(STREAM_TEXT.length / 2);
    const onPiece = (piece: Buffer) => {
      missing -= piece.length;
      if (missing === 0) leaving.abort();
    };
    const half = await callHttp(upstream.url, { signal: leaving.signal, onChunk: onPiece });
    assert.equal(half.isComplete, false);
    assert.equal(half.text, STREAM_TEXT.slice(0, Math.ceil(STREAM_TEXT.length / 2)));
    await upstream.requests[0]?.settled;
    assert.equal(upstream.requests[0]?.isAborted, true);
  },
  'keepalive-close-race': async ({ name }) => {
    const upstream = await start({ script: [WHOLE], faults: [findInjectedFault(name)] });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const once = () =>
      new Promise<number>((resolve, reject) => {
        httpRequest(upstream.url, { agent }, (incoming) => {
          incoming.resume();
          incoming.on('end', () => resolve(incoming.statusCode ?? 0));
        })
          .on('error', reject)
          .end();
      });
    assert.equal(await once(), 200);
    await assert.rejects(once(), { code: 'ECONNRESET' });
    assert.equal(await once(), 200);
    assert.deepEqual(
      upstream.requests.map((request) => request.socketId),
      [0, 0, 1],
    );
    agent.destroy();
  },
  'rate-limited': answers(429, (answer) => {
    assert.equal('retry-after' in answer.headers, false);
    errorCode(answer, 'rate_limit_exceeded');
  }),
  'rate-limited/retry-after': answers(429, (answer) => assert.equal(answer.headers['retry-after'], '2')),
  'rate-limited/retry-after-ms': answers(429, (answer) =>
    assert.equal(answer.headers['retry-after-ms'], '1500'),
  ),
  'rate-limited/http-date': answers(429, (answer) =>
    assert.match(answer.headers['retry-after'] ?? '', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
  ),
  'server-error-once': async ({ name }) => {
    const { upstream, answer } = await meet(name);
    assert.equal(answer.status, 500);
    assert.equal((await callHttp(upstream.url)).status, 200);
  },
  unavailable: async ({ name }) => {
    const { upstream, answer } = await meet(name);
    assert.equal(answer.status, 503);
    assert.equal((await callHttp(upstream.url)).status, 503);
    await upstream.setFaults();
    assert.equal((await callHttp(upstream.url)).status, 200);
  },
  'overloaded-529': answers(529, (answer) => errorCode(answer, 'overloaded')),
  'context-length-400': answers(400, (answer) => errorCode(answer, 'context_length_exceeded')),
  'content-filter-400': answers(400, (answer) => errorCode(answer, 'content_filter')),
  'bad-credentials/401': answers(401, (answer) => errorCode(answer, 'invalid_api_key')),
  'bad-credentials/403': answers(403, (answer) => errorCode(answer, 'permission_denied')),
  'bad-credentials/400-google': answers(400, (answer) => assert.match(answer.text, /API_KEY_INVALID/)),
  'bad-credentials/400-flat': answers(400, (answer) =>
    assert.match(answer.text, /"error":"Incorrect API key/),
  ),
  'malformed-event': answers(200, (answer) => {
    const frames = answer.frames();
    assert.equal(frames.length, 6);
    assert.throws(() => JSON.parse(frames[3]?.data ?? ''), SyntaxError);
    assert.equal(frames[5]?.data, '[DONE]');
  }),
  'no-done': answers(200, (answer) => assert.equal(answer.text, STREAM_TEXT.replace('data: [DONE]\n\n', ''))),
  'no-finish': answers(200, (answer) => {
    assert.doesNotMatch(answer.text, /"stop"/);
    assert.match(answer.text, /\[DONE\]/);
  }),
  'no-usage': answers(200, (answer) => {
    assert.doesNotMatch(answer.text, /usage/);
    assert.equal(answer.frames().length, 5);
  }),
  'error-in-stream': answers(200, (answer) => {
    const frames = answer.frames();
    assert.equal(frames.length, 4);
    assert.equal(JSON.parse(frames[3]?.data ?? '').error.type, 'server_error');
  }),
  'wrong-content-type': answers(200, (answer) => assert.match(answer.headers['content-type'] ?? '', /html/)),
  'error-in-200': answers(200, (answer) => {
    assert.equal(answer.headers['content-type'], 'application/json');
    errorCode(answer, null);
  }),
  'truncated-json': async ({ name }) => {
    const { answer } = await meet(name, WHOLE);
    assert.equal(answer.isComplete, true);
    assert.throws(() => answer.json(), SyntaxError);
  },
  'huge-answer': async ({ name }) => {
    const whole = await meet(name, WHOLE);
    assert.ok(whole.answer.bytes.length > 40 * 2 ** 20);
    const stream = await meet(name, STREAM);
    assert.ok(stream.answer.bytes.length > 40 * 2 ** 20);
    assert.ok(stream.answer.text.endsWith('data: [DONE]\n\n'));
    assert.deepEqual(Object.keys(Object(whole.answer.json())), ['padding', 'id', 'choices', 'usage']);
  },
  'huge-answer/one-line': answers(200, (answer) => assert.ok(answer.text.indexOf('\n') > 40 * 2 ** 20)),
  'header-flood': async ({ name }) => {
    const upstream = await start({ script: [STREAM], faults: [findInjectedFault(name)] });
    await assert.rejects(callHttp(upstream.url), { code: 'HPE_HEADER_OVERFLOW' });
  },
  redirect: async ({ name }) => {
    const { upstream, answer } = await meet(name);
    assert.equal(answer.status, 307);
    assert.equal(answer.headers['location'], `${upstream.url}/redirected`);
  },
  'gzip-anyway': answers(200, (answer) => {
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(answer.bytes).toString(), STREAM_TEXT);
  }),
  'interim-noise': answers(200, (answer) => assert.equal(answer.text, STREAM_TEXT)),
  'garbage-http': async ({ name }) => {
    const upstream = await start({ script: [STREAM], faults: [findInjectedFault(name)] });
    await assert.rejects(callHttp(upstream.url), { code: /^HPE_/ });
  },
};

describe('every fault does what its line says:', () => {
  assert.deepEqual(Object.keys(PROOFS).sort(), INJECTED_FAULTS.map((fault) => fault.name).sort());
  for (const fault of INJECTED_FAULTS)
    test(`${fault.name} ${fault.description}`, async () => {
      const prove = PROOFS[fault.name];
      assert.ok(prove);
      await prove(fault);
    });
});

test('an error is told in the dialect of the path', async () => {
  const claude = await meet('rate-limited', WHOLE, '/v1/messages');
  assert.equal(JSON.parse(claude.answer.text).error.type, 'rate_limit_error');
  const google = await meet('unavailable', WHOLE, '/v1beta/models/gemini-x:generateContent');
  assert.equal(JSON.parse(google.answer.text).error.status, 'UNAVAILABLE');
});

test('without usage or finish, a whole JSON answer keeps its text', async () => {
  const { answer } = await meet('no-usage', WHOLE);
  assert.equal(answer.text, WHOLE_TEXT.replace(`,"usage":${JSON.stringify(USAGE)}`, ''));
  const unfinished = await meet('no-finish', WHOLE);
  assert.equal(unfinished.answer.text, WHOLE_TEXT.replace('"stop"', 'null'));
});

test('no finish and no usage hold in the other dialects too', async () => {
  const cases = [
    ['messages', /message_stop|"end_turn"/],
    ['responses', /response\.completed/],
  ] as const;
  for (const [dialect, finish] of cases) {
    const [interaction] = loadProjectRecording(dialect, 'text-stream').interactions;
    assert.ok(interaction);
    const healthy = interaction.body.toString('utf8');
    assert.match(healthy, finish);
    const unfinished = await meet('no-finish', { interaction }, interaction.path);
    assert.doesNotMatch(unfinished.answer.text, finish);
    assert.ok(unfinished.answer.frames().length > 10);
    const unmetered = await meet('no-usage', { interaction }, interaction.path);
    assert.match(unmetered.answer.text, finish);
    assert.doesNotMatch(unmetered.answer.text, /"usage"/);
    const broken = await meet('error-in-stream', { interaction }, interaction.path);
    assert.equal(broken.answer.frames().at(-1)?.event, 'error');
  }
});

test('a cut falls after the event or byte it names', async () => {
  const afterFrame = createCutResponseFault({ by: 'fin', framing: 'chunked', afterFrame: 2 });
  const afterByte = createCutResponseFault({ by: 'fin', framing: 'content-length', afterByte: 10 });
  const upstream = await start({ script: [STREAM], faults: [limitFaultRequests(afterFrame, 1), afterByte] });
  assert.equal((await callHttp(upstream.url)).frames().length, 2);
  assert.equal((await callHttp(upstream.url)).text, STREAM_TEXT.slice(0, 10));
});

test('a gated reset lets the caller read the sent part first', async () => {
  const fault = createCutResponseFault({ by: 'reset', framing: 'chunked', afterFrame: 2, isGated: true });
  const upstream = await start({ script: [STREAM], faults: [fault] });
  let events = 0;
  const onPiece = () => {
    events += 1;
    if (events === 2) upstream.gate.release();
  };
  const answer = await callHttp(upstream.url, { onChunk: onPiece });
  assert.equal(answer.isComplete, false);
  assert.equal(answer.frames().length, 2);
});

test('faults stand for their number of requests, one after the other', async () => {
  const faults = [
    limitFaultRequests(findInjectedFault('unavailable'), 2),
    findInjectedFault('server-error-once'),
  ];
  const upstream = await start({ script: [WHOLE], faults });
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++) statuses.push((await callHttp(upstream.url)).status);
  assert.deepEqual(statuses, [503, 503, 500, 200]);
});

test('a stall may be placed after a given event', () => {
  assert.equal(
    createStalledResponseFault({ afterFrame: 3 }).description,
    'sends 3 events, then nothing more until the caller leaves',
  );
});
