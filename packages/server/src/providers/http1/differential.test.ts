// Our reader beside Node's: what both take for an answer, both take for the same one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import type { UpstreamHeaders } from '../transport.ts';
import { Http1ResponseReader } from './response-reader.ts';

interface Heard {
  readonly status: number;
  /** Each as `name: value`, names in lower case, sorted. */
  readonly headers: readonly string[];
  readonly body: string;
}

const FLOW = { pause: () => undefined, resume: () => undefined };

/** What our reader hears of `pieces` and the end behind them; null when that is no whole answer. */
function ours(pieces: readonly Buffer[]): Heard | null {
  let [status, body] = [0, ''];
  let headers: UpstreamHeaders = {};
  const listener = {
    onHead(code: number, fields: UpstreamHeaders) {
      [status, headers] = [code, fields];
    },
    onData(bytes: Buffer) {
      body += bytes.toString('latin1');
    },
  };
  const reader = new Http1ResponseReader(listener, FLOW, false);
  try {
    for (const piece of pieces) if (!reader.done) reader.push(piece);
    if (!reader.done) reader.end();
  } catch {
    return null;
  }
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${name}: ${one}`),
  );
  return { status, headers: lines.sort(), body };
}

/** The same of Node's own client. */
async function nodes(pieces: readonly Buffer[]): Promise<Heard | null> {
  const [ends, upstream] = duplexPair();
  const sent = request({ createConnection: () => ends, host: 'x', path: '/' });
  const failed = new Promise<null>((resolve) => {
    sent.on('error', () => resolve(null)).on('upgrade', () => resolve(null));
  });
  const answered = new Promise<Heard | null>((resolve) => {
    sent.on('response', (answer) => resolve(readWhole(answer)));
  });
  sent.end();
  upstream.resume();
  for (const piece of pieces) upstream.write(piece);
  upstream.end();
  const heard = await Promise.race([answered, failed]);
  ends.destroy();
  upstream.destroy();
  return heard;
}

async function readWhole(answer: IncomingMessage): Promise<Heard | null> {
  let body = '';
  answer
    .on('error', () => undefined)
    .on('data', (bytes: Buffer) => {
      body += bytes.toString('latin1');
    });
  await once(answer, 'close');
  const lines: string[] = [];
  for (let at = 0; at < answer.rawHeaders.length; at += 2)
    lines.push(`${answer.rawHeaders[at]?.toLowerCase()}: ${answer.rawHeaders[at + 1]}`);
  return answer.complete ? { status: answer.statusCode ?? 0, headers: lines.sort(), body } : null;
}

const STARTS = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 404',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 204 x',
  'HTTP/1.1 304 x',
  'HTTP/1.1 999 \xff',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK',
  'HTTP/1.1 103 x\r\nlink: <a>\r\n\r\nHTTP/1.1 500 x',
  'HTTP/1.1  200 OK',
  'HTTP/2 200 OK',
  'HTTP/1.1 2e2 OK',
];
const FIELDS = [
  'content-length: 5',
  'Content-Length:\t5 ',
  'content-length: 05',
  'content-length: +5',
  'content-length: 5, 5',
  'content-length: 0',
  'transfer-encoding: chunked',
  'Transfer-Encoding:  Chunked',
  'transfer-encoding: identity',
  'transfer-encoding: gzip, chunked',
  'connection: close',
  'connection: keep-alive',
  'x: \x80\xff',
  'x:',
  ': x',
  'x : y',
  ' folded',
  'x: a\x01b',
  'x: a\rb',
  'Constructor: x',
  "x!#$%&'*+.^_`|~1: y",
  'x(y): z',
  'upgrade: h2c',
  'trailer: x',
];
const BODIES = [
  '',
  'hello',
  'hell',
  'hello world',
  '5\r\nhello\r\n0\r\n\r\n',
  '5;a=b\r\nhello\r\n0\r\n\r\n',
  '005\r\nhello\r\n00\r\nt: x\r\n\r\n',
  '5 \r\nhello\r\n0\r\n\r\n',
  '5\nhello\n0\n\n',
  '5\r\nhello0\r\n\r\n',
  'a\r\n0123456789\r\n0\r\n\r\n',
  '5\r\nhello\r\n0\r\n',
  '5\r\nhello\r\n',
  '0x5\r\nhello\r\n0\r\n\r\n',
  '-5\r\nhello\r\n0\r\n\r\n',
  '\r\n5\r\nhello\r\n0\r\n\r\n',
  '1\r\na\r\n1\r\nb\r\n0\r\n\r\n',
];
const SLIPS = ['\r', '\n', '\0', ' ', ':', 'x', ''];

const answers = fc.record({
  start: fc.constantFrom(...STARTS),
  fields: fc.array(fc.constantFrom(...FIELDS), { maxLength: 3 }),
  body: fc.constantFrom(...BODIES),
  slip: fc.option(fc.tuple(fc.nat(120), fc.constantFrom(...SLIPS)), { freq: 4 }),
  cuts: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
});

test('responses that both Floe and node:http accept as complete are equal, for any chunking', async (t) => {
  let both = 0;
  const property = fc.asyncProperty(answers, async ({ start, fields, body, slip, cuts }) => {
    const right = Buffer.from([start, ...fields, '', body].join('\r\n'), 'latin1').toString('latin1');
    const text = slip ? right.slice(0, slip[0]) + slip[1] + right.slice(slip[0] + 1) : right;
    const pieces: Buffer[] = [];
    let at = 0;
    for (const length of [...cuts, text.length]) {
      if (at < text.length) pieces.push(Buffer.from(text.slice(at, at + length), 'latin1'));
      at += length;
    }
    const heard = ours(pieces);
    assert.deepEqual(heard, ours([Buffer.from(text, 'latin1')]));
    const other = heard && (await nodes(pieces));
    if (!heard || !other) return;
    both += 1;
    assert.deepEqual(heard, other, JSON.stringify(text));
  });
  await fc.assert(property, { numRuns: process.env['FLOE_TEST_FULL'] === '1' ? 20_000 : 500 });
  t.diagnostic(`${both} answers taken by both`);
  assert.ok(both > 30);
});
