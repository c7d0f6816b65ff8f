// Answers that bend the rules of HTTP, JSON or event streams: read where nothing is lost, refused otherwise.
import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { after, type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import type { InjectedFault } from '@floe/testkit/injected-fault';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import { chatReply, failingReply } from './test/chat-replies.ts';
import {
  type FakeClockGateway,
  type FakeClockSurface,
  startFakeClockGateway,
} from './test/fake-clock-gateway.ts';

const BODIES: Readonly<Record<FakeClockSurface, JsonObject>> = {
  chat: { messages: [{ role: 'user', content: 'hi' }] },
  responses: { input: 'hi' },
  messages: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 5 },
};
const SURFACES = ['chat', 'responses', 'messages'] as const;

async function start(t: TestContext, reply: (isStream: boolean) => UpstreamReply): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: { a: reply },
    providers: { a: { breaker: { enabled: false } } },
    routes: [{ model: 'm', targets: ['a/m'], retries: 0 }],
  });
  t.after(() => gateway.close());
  return gateway;
}

const ask = (gateway: FakeClockGateway, surface: FakeClockSurface, more: JsonObject = {}) =>
  gateway.send(surface, { model: 'm', ...BODIES[surface], ...more });

const bodyOf = ({ body }: UpstreamReply): Buffer => Buffer.from(body ?? '');

test('a byte order mark before JSON is ignored in every dialect', async (t) => {
  const plain = chatReply('hello there', false);
  const mark = Buffer.from([0xef, 0xbb, 0xbf]);
  const gateway = await start(t, () => ({ ...plain, body: Buffer.concat([mark, bodyOf(plain)]) }));
  for (const surface of SURFACES) {
    const answer = await gateway.settled(ask(gateway, surface));
    assert.equal(answer.status, 200, answer.text);
    assert.doesNotThrow(() => JSON.parse(answer.text));
    assert.match(answer.text, /hello there/);
  }
});

test('invalid UTF-8 is rejected in streams and in JSON, never replaced and never complete', async (t) => {
  const gateway = await start(t, (isStream) => {
    const reply = chatReply('caf\u00e9 au lait', isStream);
    return { ...reply, body: Buffer.from(bodyOf(reply).toString('utf8'), 'latin1') };
  });
  for (const surface of SURFACES)
    for (const stream of [false, true]) {
      const { status, text } = await gateway.settled(ask(gateway, surface, { stream }));
      assert.ok(
        status === 502 || /upstream_stream_broken|"type":"error"|api_error/.test(text),
        `${surface}: ${text}`,
      );
      assert.ok(!/\ufffd|message_stop|response\.completed|\[DONE\]/.test(text), text);
      assert.notEqual(gateway.rows.at(-1)?.state, 'complete');
    }
});

test('a retry time of centuries is not forwarded to clients', async (t) => {
  const gateway = await start(t, () =>
    failingReply(429, { 'retry-after': '99999999999', 'retry-after-ms': '9e99' }),
  );
  for (const surface of SURFACES) {
    const { headers } = await gateway.settled(ask(gateway, surface));
    assert.ok(Number(headers['retry-after']) <= 86_400, headers['retry-after'] ?? 'none');
    assert.ok(Number(headers['retry-after-ms']) <= 86_400_000);
  }
});

/** Sends a whole event stream whatever was asked for, and leaves the connection open. */
const OPEN_END: InjectedFault = {
  name: 'open-end',
  description: 'streams a whole answer and leaves the connection open',
  requestCount: Number.POSITIVE_INFINITY,
  planSteps: () => {
    const text = bodyOf(chatReply('hello there', true)).toString('utf8');
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
    const chunk = `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
    return [{ do: 'write', bytes: Buffer.from(head + chunk) }, { do: 'silence' }];
  },
};

test('a stream that answers a request for JSON ends with its last event, not with its connection', async (t) => {
  const gateway = await start(t, (isStream) => chatReply('unused', isStream));
  await gateway.upstream('a').setFaults(OPEN_END);
  for (const surface of SURFACES)
    for (const stream of [false, true]) {
      const answer = await gateway.settled(ask(gateway, surface, { stream }), 0);
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text.replaceAll(/"\}.*?"content":"|"\}.*?"delta":"|"\}.*?"text":"/gs, ''), /hello/);
      assert.equal(gateway.rows.at(-1)?.state, 'complete');
    }
});

test('an event stream with another content type is read as a stream if the client requested one', async (t) => {
  for (const type of ['application/json', 'text/plain', 'application/octet-stream', ''])
    for (const lead of ['', '\ufeff', ': comment\n\n', '\n\n']) {
      const reply = chatReply('hello there', true);
      const gateway = await start(t, () => ({
        headers: { 'content-type': type },
        body: lead + bodyOf(reply).toString('utf8'),
      }));
      for (const surface of SURFACES) {
        const answer = await gateway.settled(ask(gateway, surface, { stream: true }));
        assert.equal(answer.status, 200, `${type} ${JSON.stringify(lead)}: ${answer.text}`);
        assert.match(answer.headers['content-type'] ?? '', /^text\/event-stream/);
        assert.equal(gateway.rows.at(-1)?.state, 'complete');
      }
    }
});

test('an event stream with another content type that is cut off never looks finished', async (t) => {
  const [first = '', second = ''] = bodyOf(chatReply('hello there', true))
    .toString('utf8')
    .split(/(?<=\n\n)/);
  for (const body of ['', 'da', first, first + second]) {
    const gateway = await start(t, () => ({ headers: { 'content-type': 'text/plain' }, body }));
    for (const surface of SURFACES) {
      const { status, text } = await gateway.settled(ask(gateway, surface, { stream: true }));
      assert.ok(status === 502 || /upstream_stream_broken|"type":"error"|api_error/.test(text), text);
      assert.ok(!/message_stop|response\.completed|\[DONE\]/.test(text), text);
      assert.notEqual(gateway.rows.at(-1)?.state, 'complete');
    }
  }
});

/** Every frame up to and with the finish, then a connection that ends as `by` says. */
function cutBehindFinish(by: 'fin' | 'reset'): InjectedFault {
  return {
    name: `cut-behind-finish/${by}`,
    description: 'sends everything up to the finish, then breaks',
    requestCount: Number.POSITIVE_INFINITY,
    planSteps: () => {
      const frames = bodyOf(chatReply('hello there', true))
        .toString('utf8')
        .split(/(?<=\n\n)/);
      const at = frames.findIndex((frame) => frame.includes('"finish_reason":"stop"'));
      const text = frames.slice(0, at + 1).join('');
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
      const chunk = `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
      return [{ do: 'write', bytes: Buffer.from(head + chunk) }, { do: 'gate' }, { do: by }];
    },
  };
}

test('a stream that breaks after its finish reason is complete in every dialect, forwarded or translated', async (t) => {
  for (const by of ['fin', 'reset'] as const) {
    const gateway = await start(t, (isStream) => chatReply('unused', isStream));
    await gateway.upstream('a').setFaults(cutBehindFinish(by));
    gateway.upstream('a').gate.open();
    for (const surface of SURFACES) {
      const answer = await gateway.settled(ask(gateway, surface, { stream: true }), 0);
      assert.equal(answer.status, 200);
      assert.doesNotMatch(answer.text, /"error":\{|upstream_stream_broken/, `${surface} ${by}`);
      assert.equal(gateway.rows.at(-1)?.state, 'complete', `${surface} ${by}`);
    }
  }
});

test('invalid bytes after the last event are ignored, regardless of how the bytes are split', async (t) => {
  const end = Buffer.from('data: {"x":"\xe9"}\n\n', 'latin1');
  for (const chunking of ['whole', 'frames'] as const) {
    const gateway = await start(t, (isStream) => {
      const reply = chatReply('hello there', isStream);
      return { ...reply, body: Buffer.concat([bodyOf(reply), end]), chunking };
    });
    for (const surface of SURFACES) {
      const { text } = await gateway.settled(ask(gateway, surface, { stream: true }));
      assert.doesNotMatch(text, /upstream_stream_broken|"type":"error"/, `${surface} ${chunking}`);
      assert.equal(gateway.rows.at(-1)?.state, 'complete', `${surface} ${chunking}`);
    }
  }
});

test('a keep-alive connection serves the next request after an error in a stream', async (t) => {
  const gateway = await start(t, (isStream) => chatReply('hello there', isStream));
  const broken: InjectedFault = {
    name: 'error-inside',
    description: 'tells an error after content',
    requestCount: Number.POSITIVE_INFINITY,
    planSteps: () => {
      const [first = '', second = ''] = bodyOf(chatReply('hello there', true))
        .toString('utf8')
        .split(/(?<=\n\n)/);
      const text = `${first}${second}data: {"error":{"message":"broken"}}\n\n`;
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`;
      return [{ do: 'write', bytes: Buffer.from(head + text) }, { do: 'fin' }];
    },
  };
  await gateway.upstream('a').setFaults(broken);
  const ports = new Set<number | undefined>();
  for (let n = 0; n < 5; n += 1) {
    const { localPort, text, connection } = await gateway.settled(raw(gateway), 0);
    ports.add(localPort);
    assert.match(text, /"error"/);
    assert.notEqual(connection, 'close');
  }
  assert.equal(ports.size, 1);
});

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
after(() => agent.destroy());

/** One request over a client that keeps its connection. */
function raw(
  gateway: FakeClockGateway,
): Promise<{ localPort: number | undefined; text: string; connection?: string | undefined }> {
  const body = JSON.stringify({ model: 'm', stream: true, ...BODIES.chat });
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer eis_${'0'.repeat(32)}`, 'content-type': 'application/json' };
    const asked = request(`${gateway.url}/chat`, { method: 'POST', agent, headers }, (answer) => {
      const { localPort } = answer.socket;
      const { connection } = answer.headers;
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => resolve({ localPort, text, connection }));
    });
    asked.on('error', reject).end(body);
  });
}
