import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { parseFastPathRequestHead } from './fast-path-request-head.ts';

const PLAIN = [
  'POST /gateway/v1/chat/completions HTTP/1.1',
  'Host: 127.0.0.1:4000',
  'Accept: application/json',
  'Content-Type: application/json',
  'User-Agent: OpenAI/JS 4.0',
  'Authorization: Bearer eis_0000',
  'Connection: keep-alive',
  'Content-Length: 5',
];
const BODY = 'hello';

test('a common request head is parsed: lower-case names, values without surrounding spaces', () => {
  assert.deepEqual(parseFastPathRequestHead([...PLAIN, 'x-a:\t b c  '].join('\r\n')), {
    target: '/gateway/v1/chat/completions',
    length: 5,
    headers: {
      host: '127.0.0.1:4000',
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'OpenAI/JS 4.0',
      authorization: 'Bearer eis_0000',
      connection: 'keep-alive',
      'content-length': '5',
      'x-a': 'b c',
    },
  });
});

/** Request lines, and lines for fields that a plain head has. */
const INSTEAD: readonly (readonly [line: number, instead: string])[] = [
  [0, 'GET /gateway/v1/chat/completions HTTP/1.1'],
  [0, 'POST /gateway/v1/chat/completions HTTP/1.0'],
  [0, 'POST /gateway/v1/chat/completions?a=b HTTP/1.1'],
  [0, 'POST /gateway/v1/chat/completions#a HTTP/1.1'],
  [0, 'POST http://a/gateway/v1/chat/completions HTTP/1.1'],
  [0, 'POST /a b HTTP/1.1'],
  [0, 'POST /%41 HTTP/1.1'],
  [0, 'POST  HTTP/1.1'],
  [0, 'POST /a  HTTP/1.1'],
  [1, 'Host: a, b'],
  [1, 'Host:'],
  [6, 'Connection: close'],
  [6, 'Connection: keep-alive, upgrade'],
  [7, 'Content-Length: 05'],
  [7, 'Content-Length: +5'],
  [7, 'Content-Length: 5, 5'],
  [7, 'Content-Length: 0x5'],
  [7, 'Content-Length: 5 5'],
  [7, 'Content-Length: 65537'],
  [7, 'Content-Length: 99999999999999999999'],
  [7, 'Content-Length:'],
];
const BESIDE: readonly string[] = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding:',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'Proxy-Connection: close',
  'authorization: Bearer another',
  'x-a : b',
  'x a: b',
  'x_a: b',
  ' folded',
  'no colon',
  ': no name',
  'constructor: a',
  '__proto__: a',
  'x-a: b\rc',
  'x-a: b\nc',
  'x-a: b\0c',
  'x-a: b\x7fc',
  'x-a: é',
];

test('all other request heads are left to node:http', () => {
  for (const [line, instead] of INSTEAD) {
    assert.equal(parseFastPathRequestHead(PLAIN.with(line, instead).join('\r\n')), null, instead);
    if (line === 1 || line === 7)
      assert.equal(parseFastPathRequestHead(PLAIN.toSpliced(line, 1).join('\r\n')), null, `no ${instead}`);
  }
  for (const line of BESIDE)
    assert.equal(parseFastPathRequestHead([...PLAIN, line].join('\r\n')), null, line);
});

let read: ((req: IncomingMessage | null, body: string) => void) | undefined;
const server = createServer({ joinDuplicateHeaders: true, requireHostHeader: false }, (req, res) => {
  let body = '';
  req
    .setEncoding('latin1')
    .on('data', (text: string) => {
      body += text;
    })
    .on('end', () => {
      read?.(req, body);
      res.end();
    });
});
server.on('clientError', (_, socket) => {
  read?.(null, '');
  socket.destroy();
});
before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
after(() => server.close());

/** What node:http reads of these bytes; null when it refuses them. */
async function readByNode(bytes: string): Promise<{ req: IncomingMessage | null; body: string }> {
  const address = server.address();
  const socket = connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1');
  const reading = new Promise<{ req: IncomingMessage | null; body: string }>((resolve) => {
    read = (req, body) => resolve({ req, body });
  });
  socket.end(bytes, 'latin1');
  const heard = await reading;
  socket.destroy();
  return heard;
}

/** Heads near the plain one: lines left out, doubled, replaced, their characters changed. */
const nearPlain = fc
  .array(
    fc.oneof(
      fc.record({
        at: fc.nat(9),
        line: fc.constantFrom(
          ...INSTEAD.map(([, line]) => line),
          ...BESIDE,
          ...PLAIN,
          'x-b: 1',
          'Cookie: a=b',
          'TE: trailers',
        ),
      }),
      fc.record({
        at: fc.nat(400),
        put: fc.constantFrom(' ', '\t', '\r', '\n', '\r\n', ':', ',', '\0', 'é', '5', '-', '_'),
      }),
      fc.record({ at: fc.nat(400), cut: fc.nat(3) }),
    ),
    { maxLength: 3 },
  )
  .map((changes) => {
    let lines = [...PLAIN];
    for (const change of changes)
      if ('line' in change) lines = lines.toSpliced(change.at, change.at % 2, change.line);
    let text = lines.join('\r\n');
    for (const change of changes) {
      if ('put' in change) text = text.slice(0, change.at) + change.put + text.slice(change.at);
      if ('cut' in change) text = text.slice(0, change.at) + text.slice(change.at + change.cut);
    }
    return text;
  });

test('node:http parses every accepted request head in the same way', async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(nearPlain, async (text) => {
      const head = parseFastPathRequestHead(text);
      if (head === null) return;
      taken += 1;
      const { req, body } = await readByNode(`${text}\r\n\r\n${BODY.padEnd(head.length, '.')}`);
      assert.ok(req, 'it is good HTTP');
      assert.equal(req.method, 'POST');
      assert.equal(req.url, head.target);
      assert.deepEqual({ ...req.headers }, head.headers);
      assert.equal(body.length, head.length);
      assert.equal(req.headers.connection?.toLowerCase() ?? 'keep-alive', 'keep-alive');
    }),
    { numRuns: process.env['FLOE_TEST_FULL'] ? 100_000 : 2_000 },
  );
  assert.ok(taken > 200, `${taken} heads were plain`);
});
