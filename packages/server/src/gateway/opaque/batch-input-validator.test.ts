// Tier: ci. Files of many megabytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json } from '@floe/contract/json';
import { BatchInputValidator } from './batch-input-validator.ts';
import { MultipartScanner } from './multipart-scanner.ts';

const ALLOWED = 'ok-1';
const OTHER = 'bad-1';
const TYPE = 'multipart/form-data; boundary=b0';

/** The outcome of a file in a form, handed over in pieces of `step` bytes. */
function judge(file: Buffer, { purpose = 'batch', purposeFirst = true, step = 7 } = {}): Fault | null {
  const check = new BatchInputValidator((model) => model === ALLOWED);
  const scan = new MultipartScanner(TYPE, check);
  const field = Buffer.from(`--b0\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${purpose}\r\n`);
  const part = Buffer.concat([
    Buffer.from('--b0\r\ncontent-disposition: form-data; name="file"; filename="x.jsonl"\r\n\r\n'),
    file,
    Buffer.from('\r\n'),
  ]);
  const form = Buffer.concat([...(purposeFirst ? [field, part] : [part, field]), Buffer.from('--b0--\r\n')]);
  try {
    for (let at = 0; at < form.length; at += step) scan.push(form.subarray(at, at + step));
    assert.equal(scan.ended, true);
    check.end();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  assert.equal(check.isBatchInput, purpose === 'batch');
  return null;
}

const good = (model = ALLOWED) =>
  JSON.stringify({ custom_id: '1', method: 'POST', url: '/v1/chat/completions', body: { model, n: 1 } });

test('a batch with allowed models is accepted, with any order of the form and any line break', () => {
  const lines = [good(), good(), '', good()];
  for (const text of [lines.join('\n'), `${lines.join('\r\n')}\r\n`, ''])
    for (const purposeFirst of [true, false])
      for (const step of [1, 5, 4096])
        assert.equal(judge(Buffer.from(text), { purposeFirst, step }), null, JSON.stringify(text));
  assert.equal(judge(Buffer.from(`${good()}\n{"custom_id":"2"}`)), null, 'a line that names no model');
});

test('a line with too many values is rejected', () => {
  const fault = judge(Buffer.from(`${good()}\n{"a":[${'{},'.repeat(100_000)}{}]}`), { step: 65_536 });
  assert.equal(fault?.code, 'invalid_request');
  assert.match(
    fault.message,
    /^Line 2 of the batch file is invalid: it has too many JSON values\. The maximum/,
  );
});

test('a line that cannot be parsed is rejected with its number', () => {
  const wrong: readonly (readonly [string, string | Buffer])[] = [
    ['an escaped name of a member', `{"body":{"m\\u006fdel":"${OTHER}"}}`],
    ['NaN', `{"body":{"model":"${ALLOWED}","temperature":NaN}}`],
    ['no object', '"text"'],
    ['carriage returns between lines', `${good()}\r${good(OTHER)}`],
    ['a carriage return inside', `{"body":{"model":"${ALLOWED}"},"x":[\r${good(OTHER)}\r]}`],
    ['two objects in one line', good() + good(OTHER)],
    ['a doubled model', `{"body":{"model":"${ALLOWED}","model":"${ALLOWED}"}}`],
    ['a doubled body, once escaped', `{"body":{"model":"${ALLOWED}"},"b\\u006fdy":{}}`],
    ['a model in other letters', `{"body":{"model":"${ALLOWED}","Model":"${OTHER}"}}`],
    ['a model that is no text', '{"body":{"model":["a"]}}'],
    ['a body that is text', JSON.stringify({ body: good(OTHER) })],
    ['a byte order mark', `\ufeff${good()}`],
    ['a line separator', `{"body":{"model":"${ALLOWED}","x":"\u2028"}}`],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from(good(OTHER), 'utf16le')],
    ['gzip', gzipSync(good(OTHER))],
  ];
  for (const [what, line] of wrong) {
    const file = Buffer.concat([Buffer.from(`${good()}\n`), Buffer.from(line), Buffer.from(`\n${good()}`)]);
    for (const purposeFirst of [true, false]) {
      const fault = judge(file, { purposeFirst });
      assert.ok(fault, what);
      const [status, at] = fault.code === 'model_not_allowed' ? [403, /Line 2/] : [400, /Line 2/];
      assert.equal(fault.status, status, what);
      assert.match(fault.message, at, what);
    }
    assert.ok(judge(Buffer.from(line)), `${what}, in the first line`);
  }
});

test('a file with another purpose is accepted with any content', () => {
  for (const file of [Buffer.from('%PDF-1.7\n\xff', 'latin1'), Buffer.from(good(OTHER), 'utf16le')])
    for (const purposeFirst of [true, false])
      assert.equal(judge(file, { purpose: 'user_data', purposeFirst }), null);
});

test('a form that parsers could interpret differently is rejected', () => {
  const part = (head: string, body: string) => `--b0\r\n${head}\r\n\r\n${body}\r\n`;
  const purpose = part('content-disposition: form-data; name="purpose"', 'batch');
  const hidden = `--b0\ncontent-disposition: form-data; name="file"; filename="x"\n\n${good(OTHER)}\n`;
  for (const form of [
    purpose + part('content-disposition: form-data; name="file"', good(OTHER)),
    `${purpose}${part('content-disposition: form-data; name="x"', `x\n${hidden}`)}--b0--`,
    `${hidden}${purpose}--b0--`,
    `${purpose}--b0--\r\n${hidden}`,
    `${purpose}${part('content-disposition: form-data; name="file"; filename=x', good(OTHER)).trimEnd()}`,
    `${purpose}${part('content-disposition: form-data; name="file"; filename=x\r\ncontent-transfer-encoding: base64', 'e30=')}--b0--`,
  ])
    assert.throws(() => {
      const check = new BatchInputValidator((model) => model === ALLOWED);
      const scan = new MultipartScanner(TYPE, check);
      scan.push(Buffer.from(form));
      if (!scan.ended) throw new Fault('invalid_request', 'not closed');
      check.end();
    }, Fault);
  assert.throws(() => new MultipartScanner(`${TYPE}; boundary=b1`, {}), Fault);
});

// Readers that forgive more than JSON Lines allows. Whatever one of them finds, the check must not let through.
const ENCODINGS: readonly ((file: Buffer) => string)[] = [
  (file) => file.toString('utf8'),
  (file) => file.toString('latin1'),
  (file) => file.toString('utf16le'),
  (file) =>
    Buffer.from(file.subarray(0, file.length & ~1))
      .swap16()
      .toString('utf16le'),
];
const SPLITS = [
  /\n/,
  /\r\n|\r|\n/,
  // Python's str.splitlines.
  new RegExp(
    `\\r\\n|[\\n\\r\\v\\f${String.fromCharCode(0x1c)}-${String.fromCharCode(0x1e)}\\x85\\u2028\\u2029]`,
  ),
  /(?<=\})\s*(?=\{)/,
];
const REPAIRS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/^\ufeff/, ''),
  (text) => text.replace(/\bNaN\b|-?\bInfinity\b/g, '0'),
  (text) => text.replace(/,\s*([}\]])/g, '$1').replace(/\/\*.*?\*\//g, ''),
  (text) => text.replaceAll("'", '"'),
  (text) => text.slice(0, text.lastIndexOf('}') + 1),
];

function modelsSeen(file: Buffer): Set<string> {
  const seen = new Set<string>();
  for (const decode of ENCODINGS)
    for (const split of SPLITS)
      for (const line of decode(file).split(split))
        for (const repair of REPAIRS) look(repair(line.trim()), seen);
  return seen;
}

function look(text: string, seen: Set<string>): void {
  // Every value a member ever had, for readers that keep the first one.
  const every = (name: string, value: Json) => {
    const folded = name.trim().toLowerCase();
    if (folded === 'body' || folded === 'params' || folded === '') note(value, seen);
    return value;
  };
  try {
    note(JSON.parse(text, every), seen);
  } catch {
    // This reader gives up; another may not.
  }
  for (const [, value = ''] of text.matchAll(/"body":\{"model":"[^"]*","model":"([^"]*)"/g)) seen.add(value);
}

function note(value: Json, seen: Set<string>): void {
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    const folded = name.trim().toLowerCase();
    if (folded === 'model' && typeof member === 'string') seen.add(member);
  }
}

/** A small generator with a seed: a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function pick<T>(next: (below: number) => number, from: readonly [T, ...T[]]): T {
  return from[next(from.length)] ?? from[0];
}

function generated(seed: number): Buffer {
  const next = random(seed);
  const model = () => pick(next, [ALLOWED, ALLOWED, OTHER]);
  const name = () => pick(next, ['model', 'm\\u006fdel', 'Model', 'model ', '\\u006dodel']);
  const extra = () =>
    pick(next, [
      '',
      ',"t":NaN',
      ',"x":"\u2028"',
      ',',
      ',"s":[1e400]',
      `,"model":"${model()}"`,
      ',"x":"\u0085"',
      '/**/',
    ]);
  const inner = () => `{"${name()}":"${model()}"${extra()}}`;
  const request = () =>
    pick(next, [
      `{"custom_id":"1","${pick(next, ['body', 'params', 'Body', 'b\\u006fdy'])}":${inner()}${extra()}}`,
      `{"body":{"model":"${ALLOWED}"}, "x":[${pick(next, ['\r', '\n', '\v', '\u2028', ' '])}{"body":${inner()}}${pick(next, ['\r', '\n', ' '])}]}`,
      inner(),
      pick(next, ['', '# comment', '[]', 'null', '{}']),
    ]);
  const lines = Array.from({ length: 1 + next(4) }, request);
  const text = lines.join(pick(next, ['\n', '\n', '\r\n', '\r', '\v', '\u2028', '\x1e', ' ', '']));
  const marked = pick(next, ['', '', '', '\ufeff']) + text;
  const bytes = Buffer.from(marked, pick(next, ['utf8', 'utf8', 'utf8', 'utf16le']));
  if (next(6) === 0 && bytes.length > 0) bytes[next(bytes.length)] = next(256);
  return pick(next, [bytes, bytes, bytes, bytes, Buffer.from(bytes).subarray(0, next(bytes.length + 1))]);
}

test('no file is accepted in which a lenient parser finds a model that is not allowed', () => {
  let [passed, hidden] = [0, 0];
  for (let seed = 1; seed <= 6000; seed += 1) {
    const file = generated(seed);
    const fault = judge(file, { purposeFirst: seed % 2 === 0, step: 1 + (seed % 61) });
    if (fault === null) passed += 1;
    if (!modelsSeen(file).has(OTHER)) continue;
    hidden += 1;
    assert.ok(fault, `seed ${seed} passes: ${JSON.stringify(file.toString('latin1'))}`);
  }
  assert.ok(passed > 50 && hidden > 1000, `the generator makes both kinds: ${passed} and ${hidden}`);
});

test('a long line in small chunks uses memory for its bytes only, and a line above the limit is rejected', () => {
  const head = Buffer.from('{"body":{"model":"ok-1","x":"');
  const check = new BatchInputValidator(() => true);
  check.field('purpose', { value: 'batch', start: 0, end: 0 });
  check.file(head);
  const piece = Buffer.alloc(1024 * 1024, 0x61);
  assert.throws(
    () => {
      for (let n = 0; n < 33; n += 1) check.file(piece);
    },
    { code: 'request_too_large' },
  );
});

test('the ids of resources in the lines are collected', () => {
  const idsOf = (line: object) => {
    const check = new BatchInputValidator(null);
    check.field('purpose', { value: 'batch', start: 0, end: 0 });
    check.file(Buffer.from(JSON.stringify(line)));
    check.fileEnd();
    return check.ids.list();
  };
  const file = { type: 'input_file', file_id: 'file-1' };
  const content = [{ role: 'user', content: [file, file] }];
  const url = '/v1/responses';
  assert.deepEqual(idsOf({ url, body: { model: OTHER, input: content } }), ['file-1']);
  assert.deepEqual(idsOf({ url, body: { previous_response_id: 'resp_1', conversation: { id: 'conv_1' } } }), [
    'resp_1',
    'conv_1',
  ]);
  assert.deepEqual(idsOf({ url, body: { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] } }), [
    'cntr_1',
  ]);
  assert.deepEqual(idsOf({ body: { agent_id: 'ag_1', messages: [] } }), ['ag_1']);
  assert.deepEqual(
    idsOf({ url, body: { agent_id: 'ag_1' } }),
    ['ag_1'],
    'the batch can replace the endpoint',
  );
  assert.deepEqual(idsOf({ url: '/v1/agents/completions', body: { agent_id: 'ag_1' } }), ['ag_1']);
  for (const prompt of [url, '/chat/completions', 'https://api.test/openai/v1/embeddings'])
    assert.deepEqual(
      idsOf({ url: prompt, body: { input: 'x', prompt: { variables: { session_id: 's' } } } }),
      [],
    );
  assert.deepEqual(idsOf({ url: '/v1/videos', body: { session_id: 's' } }), ['s']);
});

test('a batch file that refers to too many objects, or whose id is too long, is rejected', () => {
  const check = new BatchInputValidator(null);
  check.field('purpose', { value: 'batch', start: 0, end: 0 });
  assert.throws(
    () => {
      for (let at = 0; at <= 50_000; at += 1)
        check.file(Buffer.from(`{"body":{"file_ids":["file-${at}"]}}\n`));
    },
    { code: 'invalid_request', message: /Line 50001 of the batch file is invalid: .*50,000 different/ },
  );
  const long = new BatchInputValidator(null);
  long.field('purpose', { value: 'batch', start: 0, end: 0 });
  assert.throws(() => long.file(Buffer.from(`{"body":{"file_ids":["${'x'.repeat(513)}"]}}\n`)), {
    code: 'invalid_request',
  });
});
