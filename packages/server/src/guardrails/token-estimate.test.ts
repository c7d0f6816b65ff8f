import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { test } from 'node:test';
import { hasBytesAt, visitBytePositions } from '../core/visit-byte-positions.ts';
import { estimatePdfPageCount } from './pdf-pages.ts';
import { estimateInputTokens, estimateMaxInputTokens } from './token-estimate.ts';

/** A PDF of so many pages whose objects stand in the open, with so many random bytes for each. */
function pdf(pages: number, bytesEach: number, type = '/Type /Page'): Buffer {
  const parts: (string | Buffer)[] = [`%PDF-1.4\n1 0 obj << /Type /Pages /Kids [] >> endobj\n`];
  for (let page = 0; page < pages; page += 1) {
    parts.push(`${page + 2} 0 obj << ${type} /Parent 1 0 R >> endobj\n`);
    // The high bit keeps random bytes from spelling a mark.
    const noise = randomFillSync(Buffer.alloc(bytesEach)).map((byte) => byte | 0x80);
    parts.push(Buffer.from(noise));
  }
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

function pagesOf(document: Buffer, write = (base64: string) => base64): number {
  return estimatePdfPageCount(Buffer.from(write(document.toString('base64'))));
}

test('the pages of a PDF are its page objects, at any position', () => {
  for (const bytesEach of [100, 3_777, 40_001])
    for (const pages of [1, 7, 100]) assert.equal(pagesOf(pdf(pages, bytesEach)), pages, `${bytesEach}`);
  assert.equal(pagesOf(pdf(12, 500, '/Type/Page')), 12);
  assert.equal(pagesOf(pdf(12, 500, '/Type\n/Page')), 12);
});

test('a PDF in JSON can contain escaped slashes or line breaks', () => {
  const document = pdf(40, 9_000);
  assert.equal(
    pagesOf(document, (text) => text.replaceAll('/', '\\/')),
    40,
  );
  assert.equal(
    pagesOf(document, (text) => text.replaceAll(/.{76}/g, '$&\\r\\n')),
    40,
  );
});

test('the pages of a PDF with compressed page objects are read from its head or page tree, or estimated by size', () => {
  const noise = pdf(0, 0);
  const rest = Buffer.alloc(300_000, 0x91);
  assert.equal(pagesOf(Buffer.concat([noise, rest])), 30);
  const linear = Buffer.from('%PDF-1.6\n9 0 obj <</Linearized 1/L 812/O 11/E 33/N 87/T 99>>');
  assert.equal(pagesOf(Buffer.concat([linear, rest])), 87);
  const tree = Buffer.from('%PDF-1.6\n9 0 obj <</Type /Pages /Count 214 /Kids [3 0 R]>>');
  assert.equal(pagesOf(Buffer.concat([tree, rest])), 214);
  assert.equal(pagesOf(Buffer.concat([noise, Buffer.alloc(30_000_000, 0x91)])), 1_000);
  assert.equal(pagesOf(Buffer.from('%PDF-1.4')), 1);
});

const file = (document: Buffer) => ({ messages: [{ content: [documentPart(document)] }] });
const documentPart = (document: Buffer) => ({
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: document.toString('base64') },
});
const bodyOf = (value: object) => Buffer.from(JSON.stringify(value));

test('a document is estimated by its pages and an image as one page, in every dialect', () => {
  const document = pdf(50, 2_000);
  const url = `data:application/pdf;base64,${document.toString('base64')}`;
  const bodies = [
    file(document),
    { messages: [{ content: [{ type: 'file', file: { filename: 'a.pdf', file_data: url } }] }] },
    { input: [{ content: [{ type: 'input_file', filename: 'a.pdf', file_data: url }] }] },
  ];
  for (const body of bodies) {
    const [about, most] = [estimateInputTokens(bodyOf(body)), estimateMaxInputTokens(bodyOf(body))];
    assert.ok(about >= 150_000 && about < 150_100, `50 pages: ${about}`);
    assert.ok(most >= 250_000 && most < 250_100, `50 pages at most: ${most}`);
  }
  const picture = Buffer.concat([Buffer.from('\x89PNG'), Buffer.alloc(900_000, 0x91)]);
  const shown = {
    messages: [{ content: [{ image_url: { url: `data:image/png;base64,${picture.toString('base64')}` } }] }],
  };
  assert.ok(estimateMaxInputTokens(bodyOf(shown)) < 1_700);
});

test('the bare base64 of a generated image is estimated as one image, wherever its type is', () => {
  const result = Buffer.alloc(900_000, 0x91).toString('base64');
  const type = 'image_generation_call';
  for (const item of [
    { type, id: 'ig_1', result },
    { id: 'ig_1', result, status: 'completed', type },
  ]) {
    const most = estimateMaxInputTokens(bodyOf({ input: [item, item] }));
    assert.ok(most > 3_200 && most < 3_400, `${most}`);
  }
  const text = { input: [{ type }, { type: 'other', result: 'some text; '.repeat(9_000) }] };
  assert.ok(estimateInputTokens(bodyOf(text)) > 24_000);
  assert.ok(estimateInputTokens(bodyOf({ input: [{ type: 'other', result }] })) > 300_000);
});

test('a file reference counts as several pages, and all attachments count as at most one context', () => {
  const named = { input: [{ content: [{ type: 'input_file', file_id: 'file-1' }] }] };
  assert.ok(estimateInputTokens(bodyOf(named)) >= 30_000);
  const many = { messages: Array.from({ length: 9 }, () => ({ content: [documentPart(pdf(90, 200))] })) };
  const most = estimateMaxInputTokens(bodyOf(many));
  assert.ok(most >= 1_000_000 && most < 1_001_000, `${most}`);
});

test('text is estimated by its bytes', () => {
  const text = { messages: [{ role: 'user', content: 'x'.repeat(40_000) }] };
  assert.ok(Math.abs(estimateInputTokens(bodyOf(text)) - 10_000) < 20);
  assert.ok(Math.abs(estimateMaxInputTokens(bodyOf(text)) - 13_333) < 20);
});

/** What `estimateInputTokens` counts, without its fast search. */
function countNaively(body: Buffer): number {
  const text = body.toString('latin1');
  const pages = (text.match(/"file_(?:id|url|uri)"/g) ?? []).length * 10;
  let [left, images] = [body.length, 0];
  if (body.length > 16 * 1024)
    for (const { 0: mark, index } of text.matchAll(/;base64,|"base64"/g)) {
      const length = attachmentLength(text, index + mark.length);
      left -= length;
      images += length > 0 ? 1 : 0;
    }
  return Math.ceil(left / 4) + Math.min(1_000_000, images * 1_600 + pages * 3_000);
}

function attachmentLength(text: string, from: number): number {
  const end = text.indexOf('"', from);
  if (end - from > 64) return end - from;
  const data = text.indexOf('"data"', from);
  if (data === -1 || data - from > 256) return 0;
  return /^[^"]*"([^"]+)"/.exec(text.slice(data + 6))?.[1]?.length ?? 0;
}

test('the search for attachments and references finds what a simple search finds', () => {
  const data = 'QUJD6'.repeat(30);
  const pieces = [
    '"file_id":"a"',
    '"file_url":"b"',
    '"file_uri": "c"',
    '"file_ide":"d"',
    '_file_id"',
    '______',
    '66666666',
    `"url":"data:image/png;base64,${data}"`,
    `"type":"base64","data":"${data}"`,
    'base64 and "6" of 64',
    ' text '.repeat(100),
  ];
  let [estimated, seed] = [0, 7];
  for (let round = 0; round < 300; round += 1) {
    const parts = Array.from({ length: 1 + (round % 40) }, () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return pieces[seed % pieces.length];
    });
    const filler = round % 3 === 0 ? '_6'.repeat(2_000) : 'lorem ipsum '.repeat((round % 7) * 500);
    const body = Buffer.from(`{${parts.join(',')},"t":"${filler}",${parts.join(',')}}`);
    assert.equal(estimateInputTokens(body), countNaively(body), body.toString('latin1').slice(0, 200));
    estimated += body.length > 16 * 1024 ? 1 : 0;
  }
  assert.ok(estimated > 100);
});

test('every position of a byte is found, however frequent the byte is', () => {
  for (const length of [0, 1, 999, 1_000, 1_001, 5_000])
    for (const every of [1, 2, 7]) {
      const bytes = Buffer.alloc(length, 0x61);
      for (let at = 0; at < length; at += every) bytes[at] = 0x5f;
      const seen: number[] = [];
      visitBytePositions(bytes, 0x5f, (at) => seen.push(at) && at + 1);
      assert.deepEqual(
        seen,
        Array.from({ length: Math.ceil(length / every) }, (_, index) => index * every),
      );
    }
  assert.equal(hasBytesAt(Buffer.from('abc'), -1, Buffer.from('a')), false);
  assert.equal(hasBytesAt(Buffer.from('abc'), 2, Buffer.from('cd')), false);
  assert.equal(hasBytesAt(Buffer.from('abc'), 1, Buffer.from('bc')), true);
});
