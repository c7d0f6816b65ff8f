import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MultipartField, MultipartScanner } from './multipart-scanner.ts';

const TYPE = 'multipart/form-data; charset=utf-8; boundary="b-0"';
const BODY = Buffer.from(
  [
    'a preamble nobody reads',
    '--b-0  ',
    'Content-Disposition: form-data; name="purpose"',
    '',
    'batch',
    '--b-0',
    'content-type: application/octet-stream',
    'Content-Disposition: form-data; filename="a; name=x.bin"; name=file',
    '',
    'one\r\n--b-\r\n--b\r\n\r\ntwo',
    '--b-0',
    'Content-Disposition: form-data; name=model',
    '',
    'größe/m',
    '--b-0',
    'Content-Disposition: form-data; name="stream"',
    '',
    '',
    '--b-0--',
    'an epilogue --b-0 with a trap',
  ].join('\r\n'),
);

interface Heard {
  readonly fields: Map<string, MultipartField>;
  readonly file: string;
  readonly ended: boolean;
}

function scanned(pieces: readonly Buffer[]): Heard {
  const fields = new Map<string, MultipartField>();
  const file: Buffer[] = [];
  const scan = new MultipartScanner(TYPE, {
    field: (name, field) => void fields.set(name, field),
    file: (piece) => void file.push(piece),
  });
  for (const piece of pieces) scan.push(piece);
  return { fields, file: Buffer.concat(file).toString(), ended: scan.ended };
}

test('fields and files are found for any chunking of the body', () => {
  const whole = scanned([BODY]);
  assert.equal(whole.ended, true);
  assert.equal(whole.fields.get('purpose')?.value, 'batch');
  assert.equal(whole.fields.get('model')?.value, 'größe/m');
  assert.equal(whole.fields.get('stream')?.value, '');
  assert.equal(whole.file, 'one\r\n--b-\r\n--b\r\n\r\ntwo');
  const { start = 0, end = 0 } = whole.fields.get('model') ?? {};
  assert.equal(BODY.toString('utf8', start, end), 'größe/m');
  for (let at = 0; at <= BODY.length; at += 1)
    assert.deepEqual(scanned([BODY.subarray(0, at), BODY.subarray(at)]), whole, `cut at ${at}`);
  assert.deepEqual(scanned([...BODY].map((byte) => Buffer.from([byte]))), whole);
});

test('forms that two parsers could interpret differently are rejected', () => {
  for (const head of [
    'Content-Disposition: form-data; name="x"; name="model"',
    "Content-Disposition: form-data; name*=utf-8''model",
    'Content-Disposition: form-data; name="x"\r\nContent-Disposition: form-data; name="model"',
    'Content-Disposition: form-data; filename="x\\"; name="model"',
    'Content-Disposition: form-data;\r\n name="model"',
    'Content-Disposition: form-data; name="x"\nX: y',
    'Content-Disposition: form-data; name="x"\rX: y',
    'Content-Disposition: form-data',
    'Content-Type: text/plain',
    `Content-Disposition: form-data; name="x"; y="${'z'.repeat(20_000)}"`,
  ])
    assert.throws(() => scanned([Buffer.from(`--b-0\r\n${head}\r\n\r\nm\r\n--b-0--`)]), {
      code: 'invalid_request',
    });
  const long = `--b-0\r\nContent-Disposition: form-data; name="model"\r\n\r\n${'m'.repeat(2000)}\r\n--b-0--`;
  assert.throws(() => scanned([Buffer.from(long)]), { code: 'invalid_request' });
  assert.throws(() => new MultipartScanner('multipart/form-data', {}), { code: 'invalid_request' });
});

test('the ids of resources are found in the fields of a form', () => {
  const found = (head: string, scope: 'prompt' | 'state') => {
    const ids: string[] = [];
    const body = `--b-0\r\nContent-Disposition: form-data; ${head}\r\n\r\nid-1\r\n--b-0--`;
    new MultipartScanner(TYPE, {}, { scope, add: (id) => void ids.push(id) }).push(Buffer.from(body));
    return ids.length > 0;
  };
  for (const name of [
    'file_id',
    'File_ID',
    'skill_id',
    'input_reference[file_id]',
    'input_reference[0][file_id]',
    'input_reference.file_id',
    'file_ids[]',
    'file_ids[0]',
    'container',
    'conversation[id]',
    'video[id]',
  ])
    assert.ok(found(`name="${name}"`, 'prompt'), name);
  for (const name of ['agent_id', 'vault_ids[]', 'assistant_id'])
    assert.deepEqual(
      [found(`name="${name}"`, 'state'), found(`name="${name}"`, 'prompt')],
      [true, false],
      name,
    );
  assert.ok(found('name="file_id"; filename=""', 'prompt'), 'an empty file name');
  assert.ok(!found('name="file_id"; filename="x"', 'prompt'), 'a file');
  for (const name of ['metadata[file_id]', 'prompt', 'id', 'user[id]'])
    assert.ok(!found(`name="${name}"`, 'state'), name);
});
