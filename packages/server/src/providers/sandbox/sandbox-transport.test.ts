import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { FakeClock } from '@floe/testkit/fake-clock';
import type { UpstreamRequest } from '../transport.ts';
import { SANDBOX_ORIGIN } from './sandbox-definition.ts';
import { buildSandboxResponse } from './sandbox-response.ts';
import { createSandboxTransport } from './sandbox-transport.ts';

interface Received {
  readonly status: number | null;
  readonly body: string;
  readonly error: Error | null;
}

function send(request: Pick<UpstreamRequest, 'path' | 'body'>): Promise<Received> {
  const transport = createSandboxTransport(new FakeClock());
  return new Promise((resolve) => {
    let status: number | null = null;
    let body = '';
    const base = { method: 'POST', origin: SANDBOX_ORIGIN, headers: [], connectMs: 1_000 };
    transport.dispatch(
      { ...base, ...request },
      {
        onConnected: () => undefined,
        onHead(received) {
          status = received;
        },
        onData(chunk) {
          body += chunk.toString();
        },
        onEnd: () => resolve({ status, body, error: null }),
        onError: (error) => resolve({ status, body, error }),
      },
    );
  });
}

const echo = (content: string): JsonObject => ({ model: 'echo', messages: [{ role: 'user', content }] });

test('an upload to the sandbox is rejected, and its stream is closed', async () => {
  const upload = Readable.from([Buffer.from('--x')]);
  const { status, error } = await send({ path: '/v1/files', body: upload });
  assert.equal(error, null);
  assert.equal(status, 400);
  assert.equal(upload.destroyed, true);
});

test('a body that is not JSON is rejected', async () => {
  assert.equal((await send({ path: '/v1/chat/completions', body: Buffer.from('{') })).status, 400);
  assert.equal((await send({ path: '/v1/chat/completions', body: null })).status, 400);
});

test('an exception while the response is built fails the request', async () => {
  const body = Object.assign(Buffer.from('{}'), {
    toString() {
      throw new RangeError('the body is too large for a string');
    },
  });
  const { status, error } = await send({ path: '/v1/chat/completions', body });
  assert.equal(status, null);
  assert.ok(error instanceof RangeError);
});

test('the words of a text together are the text', () => {
  for (const text of ['', ' ', 'one', ' one  two \n', 'a\u00a0b', `x${' '.repeat(1_000)}y `])
    assert.equal(buildSandboxResponse('echo', echo(text)).words.join(''), text);
  assert.deepEqual(buildSandboxResponse('echo', echo(' one  two \n')).words, [' one', '  two \n']);
});

test('the time to split a text is proportional to its length', { timeout: 20_000 }, () => {
  const text = ' '.repeat(4_000_000);
  assert.deepEqual(buildSandboxResponse('echo', echo(text)).words, [text]);
});

test('a text is split into at most 10,000 chunks', () => {
  const text = 'a '.repeat(1_000_000);
  const { words } = buildSandboxResponse('echo', echo(text));
  assert.equal(words.length, 10_000);
  assert.equal(words.join(''), text);
});

test('a required property that is listed several times is generated once', { timeout: 20_000 }, () => {
  let schema: JsonObject = { type: 'string' };
  for (let depth = 0; depth < 5; depth++)
    schema = { type: 'object', required: Array<string>(2_000).fill('a'), properties: { a: schema } };
  const format = { type: 'json_schema', json_schema: { schema } };
  const { words } = buildSandboxResponse('echo', { ...echo('x'), response_format: format });
  assert.ok(isJsonObject(JSON.parse(words.join(''))));
});
