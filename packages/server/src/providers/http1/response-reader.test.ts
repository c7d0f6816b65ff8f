import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ConnectionClosedEarlyError, MalformedResponseError } from '../transport.ts';
import { Http1ResponseReader } from './response-reader.ts';

interface Heard {
  status: number;
  headers: unknown;
  body: string;
  done: boolean;
  restMs: number;
}

const FLOW = { pause: () => undefined, resume: () => undefined };

/** What a listener hears of `pieces`, and then of the end of the connection when `ends`. */
function hear(pieces: readonly Buffer[], { ends = false, isBodiless = false } = {}): Heard {
  const heard: Heard = { status: 0, headers: null, body: '', done: false, restMs: 0 };
  const listener = {
    onHead(status: number, headers: unknown) {
      assert.equal(heard.status, 0, 'one head');
      Object.assign(heard, { status, headers });
    },
    onData(bytes: Buffer) {
      assert.ok(bytes.length > 0);
      heard.body += bytes.toString('latin1');
    },
  };
  const reader = new Http1ResponseReader(listener, FLOW, isBodiless);
  for (const piece of pieces) reader.push(piece);
  if (ends && !reader.done) reader.end();
  return Object.assign(heard, { done: reader.done, restMs: reader.keepAliveMs });
}

const bytes = (text: string) => Buffer.from(text, 'latin1');
const hearText = (text: string, options = {}) => hear([bytes(text)], options);

function bad(text: string, code: string, options = {}): void {
  assert.throws(
    () => hearText(text, options),
    (error) => error instanceof MalformedResponseError && error.code === code,
    text.slice(0, 80),
  );
}

/** Whole answers, each with what must be heard of it. */
const ANSWERS: readonly (readonly [text: string, status: number, body: string])[] = [
  ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello', 200, 'hello'],
  ['HTTP/1.1 204 No Content\r\nx: 1\r\n\r\n', 204, ''],
  ['HTTP/1.1 200\r\nContent-Length:0\r\n\r\n', 200, ''],
  ['HTTP/1.1 429 \r\ncontent-length: 2\t\r\n\r\nno', 429, 'no'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n', 200, 'hello'],
  [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n03;a=b\r\nhel\r\n2 \r\nlo\r\n000\r\nt: 1\r\nu: 2\r\n\r\n',
    200,
    'hello',
  ],
  [
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi',
    200,
    'hi',
  ],
];

test('a response is the same for any chunking', () => {
  for (const [text, status, body] of ANSWERS) {
    const whole = hearText(text);
    assert.deepEqual([whole.status, whole.body, whole.done], [status, body, true]);
    for (let cut = 1; cut < text.length; cut++)
      assert.deepEqual(hear([bytes(text.slice(0, cut)), bytes(text.slice(cut))]), whole, `${cut} of ${text}`);
    assert.deepEqual(hear([...text].map(bytes)), whole);
  }
});

test('any body in any chunks is read unchanged', () => {
  const chunk = fc.uint8Array({ minLength: 1, maxLength: 60 }).map((part) => Buffer.from(part));
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 20 }),
      fc.array(fc.nat(400), { maxLength: 20 }),
      (chunks, cuts) => {
        const framed = chunks.flatMap((part) => [
          bytes(`${part.length.toString(16)}\r\n`),
          part,
          bytes('\r\n'),
        ]);
        const head = bytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
        const all = Buffer.concat([head, ...framed, bytes('0\r\n\r\n')]);
        const edges = [...new Set([0, ...cuts.map((cut) => Math.min(cut, all.length)), all.length])].sort(
          (one, other) => one - other,
        );
        const pieces = edges.slice(1).map((edge, at) => all.subarray(edges[at], edge));
        const heard = hear(pieces.filter((piece) => piece.length > 0));
        assert.equal(heard.body, Buffer.concat(chunks).toString('latin1'));
        assert.equal(heard.done, true);
      },
    ),
  );
});

test('a response that ends early is never complete', () => {
  for (const [text] of ANSWERS)
    for (let cut = 0; cut < text.length; cut++)
      assert.throws(
        () => hearText(text.slice(0, cut), { ends: true }),
        ConnectionClosedEarlyError,
        `${cut} of ${text}`,
      );
});

test('without a length, the end of the connection ends the response, and the connection is not reused', () => {
  const heard = hearText('HTTP/1.1 200 OK\r\n\r\nall of it', { ends: true });
  assert.deepEqual([heard.body, heard.done, heard.restMs], ['all of it', true, 0]);
});

test('a response to HEAD, or with 204 or 304, has no body whatever its length says', () => {
  assert.equal(hearText('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n', { isBodiless: true }).done, true);
  assert.equal(hearText('HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n').done, true);
});

test('repeated headers are all read, with lower-case names', () => {
  const { headers } = hearText(
    'HTTP/1.1 204 x\r\nA: 1\r\nb:  two words\t\r\na: 2\r\nA: 3\r\n__proto__: x\r\n__proto__: y\r\nConstructor: z\r\n\r\n',
  );
  assert.deepEqual(headers, { a: ['1', '2', '3'], b: 'two words', constructor: 'z' });
  assert.equal(Object.getPrototypeOf(headers), Object.prototype);
});

test('an invalid response is rejected with the reason', () => {
  bad('HTTP/2 200 OK\r\n\r\n', 'status_line');
  bad('HTTP/1.1 20 OK\r\n\r\n', 'status_line');
  bad('HTTP/1.1 2000\r\n\r\n', 'status_line');
  for (const status of ['099', '9e9', '1e2', '0x9', '+99', '99.', ' 99'])
    bad(`HTTP/1.1 ${status} x\r\n\r\n`, 'status_line');
  bad('\r\nHTTP/1.1 200 OK\r\n\r\n', 'status_line');
  bad('ICY 200 OK\r\n\r\n', 'status_line');
  for (const begun of ['\x16\x03\x01', 'HTTq', 'h', '<html>']) bad(begun, 'status_line');
  bad('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n', 'switched_protocols');
  bad('HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'header');
  bad('HTTP/1.1 200 OK\r\nname : x\r\n\r\n', 'header');
  bad('HTTP/1.1 200 OK\r\n: x\r\n\r\n', 'header');
  bad('HTTP/1.1 200 OK\r\na: b\r\n folded\r\n\r\n', 'header');
  bad('HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n', 'header');
  bad('HTTP/1.1 200 OK\r\na: b\rc\r\n\r\n', 'header');
  bad('HTTP/1.1 200 OK\r\na: \0\r\n\r\n', 'header');
  for (const length of ['-1', '+5', '5, 5', '0x5', '1e3', '', '9999999999999999'])
    bad(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`, 'content_length');
  bad('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 5\r\n\r\n', 'content_length');
  bad('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n', 'transfer_encoding');
  bad('HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n', 'transfer_encoding');
  bad('HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', 'transfer_encoding');
  for (const body of [
    'g\r\n',
    '\r\n',
    ';a\r\n',
    '-1\r\n',
    '1\r\nab\r\n',
    '1\nab',
    '1;x\ny',
    '0\r\nx\ny',
    'f'.repeat(14),
  ])
    bad(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`, 'chunk');
  const long = 'x'.repeat(70_000);
  bad(`HTTP/1.1 200 OK\r\na: ${long}\r\n\r\n`, 'header_too_large');
  bad(`HTTP/1.1 200 OK\r\na: ${long}`, 'header_too_large');
  bad(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;${long}`, 'chunk');
  bad(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n${long}`, 'chunk');
});

test('bytes after a response do not change it, and its connection is not reused', () => {
  for (const [text, status, body] of ANSWERS) {
    const heard = hearText(`${text}HTTP/1.1 200 OK\r\n\r\n`);
    assert.deepEqual([heard.status, heard.body, heard.done, heard.restMs], [status, body, true, 0]);
  }
});

test('an idle connection is kept as long as both sides allow', () => {
  const rest = (head: string) => hearText(`HTTP/1.${head}\r\ncontent-length: 0\r\n\r\n`).restMs;
  assert.equal(rest('1 200 OK'), 30_000);
  assert.equal(rest('1 200 OK\r\nkeep-alive: timeout=5, max=100'), 4_000);
  assert.equal(rest('1 200 OK\r\nkeep-alive: timeout=1'), 0);
  assert.equal(rest('1 200 OK\r\nkeep-alive: timeout=600'), 30_000);
  assert.equal(rest('1 200 OK\r\nConnection: Close'), 0);
  assert.equal(rest('0 200 OK'), 0);
});

test('a paused response delivers the rest after it is resumed, and nothing twice', () => {
  let heard = '';
  let reader: Http1ResponseReader | null = null;
  const listener = {
    onHead: () => undefined,
    onData(piece: Buffer) {
      heard += piece.toString('latin1');
      reader?.pause();
    },
  };
  reader = new Http1ResponseReader(listener, FLOW, false);
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  reader.push(bytes(`${head}1\r\na\r\n`));
  reader.push(bytes('1\r\nb\r\n'));
  reader.push(bytes('1\r\nc\r\n0\r\n\r\n'));
  assert.deepEqual([heard, reader.done], ['a', false]);
  reader.resume();
  reader.resume();
  assert.deepEqual([heard, reader.done], ['abc', true]);
});

test('chunks in one read are delivered together, including those before an invalid one', () => {
  const heard: string[] = [];
  const listener = {
    onHead: () => undefined,
    onData: (piece: Buffer) => heard.push(piece.toString('latin1')),
  };
  const reader = new Http1ResponseReader(listener, FLOW, false);
  reader.push(bytes('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n1\r\n'));
  assert.throws(() => reader.push(bytes('d\r\n1\r\ne\r\nnonsense')), MalformedResponseError);
  assert.deepEqual(heard, ['abc', 'de']);
  assert.equal(reader.done, false);
});
