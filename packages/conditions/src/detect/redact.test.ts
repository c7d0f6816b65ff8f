import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWrappedBase64 } from './base64-blobs.ts';
import { countFindingsInJson, countFindingsInText, redactJson, redactText } from './redact.ts';
import type { FindingKind } from './sensitive-data-scan.ts';

const ALL: ReadonlySet<FindingKind> = new Set(['secret', 'email', 'phone', 'credit_card', 'iban', 'us_ssn']);
const KEY = 'ghp_aB3dE5gH7jK9mN2pQ4sT6vW8xY1zaB3dE5gH';
const VALUES = [
  'ada@example.org',
  '+49 30 1234567',
  '4111 1111 1111 1111',
  '4111111111111111',
  'DE89 3704 0044 0532 0130 00',
  '123-45-6789',
  KEY,
  `-----BEGIN PRIVATE KEY-----\n${KEY}\n-----END PRIVATE KEY-----`,
];

test('only the value goes: every other byte, number and spelling stays', () => {
  const json = ` {"n": 9007199254740993.10, "a" :[ "mail ada@example.org\\u0021 \\/ é" ,\n"x"], "e":1E5 } `;
  assert.equal(
    redactJson(json, ALL).json,
    ` {"n": 9007199254740993.10, "a" :[ "mail [redacted:email]! / é" ,\n"x"], "e":1E5 } `,
  );
  const clean = json.replace('ada@example.org', 'Ada');
  assert.equal(redactJson(clean, ALL).json, clean);
});

test('member names, parameters and blobs are not read; arguments of tools and their numbers are', () => {
  const blob = `data:image/png;base64,${'+12345678901/4111111111111111/'.repeat(10)}`;
  for (const value of [
    { 'ada@example.org': 1 },
    { seed: 4111111111111111 },
    { content: [{ image_url: { url: blob } }, { signature: blob.slice(22) }] },
  ])
    assert.deepEqual(
      [...countFindingsInJson(JSON.stringify(value), ALL)],
      [],
      JSON.stringify(value).slice(0, 60),
    );
  const args = JSON.stringify({ card: 4111111111111111, to: ['ada@example.org'] });
  const { json } = redactJson(JSON.stringify({ calls: [{ function: { arguments: args } }] }), ALL);
  const told: { calls: { function: { arguments: string } }[] } = JSON.parse(json);
  assert.deepEqual(JSON.parse(told.calls[0]?.function.arguments ?? ''), {
    card: '[redacted:credit_card]',
    to: ['[redacted:email]'],
  });
});

test('whatever the body, redaction leaves nothing to find and JSON with the same shape', () => {
  const text = fc.array(
    fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom(...VALUES, '"', '\\', ' ')),
    { maxLength: 5 },
  );
  const leaf = fc.oneof(
    text.map((pieces) => pieces.join(' ')),
    text.map((pieces) => JSON.stringify({ nested: pieces, deep: JSON.stringify(pieces) })),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constant(4111111111111111),
    fc.boolean(),
  );
  const { body } = fc.letrec((tie) => ({
    body: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('body'), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 6 }), tie('body'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(body, (value) => {
      const json = JSON.stringify({ messages: [value] });
      const redacted = redactJson(json, ALL);
      assert.deepEqual(shapeOf(JSON.parse(redacted.json)), shapeOf(JSON.parse(json)));
      assert.deepEqual([...countFindingsInJson(redacted.json, ALL)], []);
      assert.deepEqual(redacted.counts, countFindingsInJson(json, ALL));
      if (redacted.counts.size === 0) assert.equal(redacted.json, json);
    }),
    { numRuns: process.env['FLOE_TEST_FULL'] ? 20_000 : 300 },
  );
});

/** Members and lengths; of values only whether there is one. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return 'value';
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

test('a long key is not taken for base64 data, alone or in an assignment', () => {
  const body = 'aB3dE5gH7jK9mN1pQ'.repeat(10);
  const keys = [`sk-proj-${body.slice(0, 156)}`, `sk-ant-api03-${body.slice(0, 140)}`, `ghp_${body}`];
  for (const key of [...keys, `OPENAI_API_KEY=${keys[0]}`])
    assert.deepEqual([...countFindingsInJson(JSON.stringify({ content: key }), ALL)], [['secret', 1]], key);
  for (const blob of [body, `${body}==`, `data:image/png;base64,${body}`])
    assert.deepEqual([...countFindingsInJson(JSON.stringify({ content: blob }), ALL)], []);
});

test('in truncated JSON, a value after an escape sequence is redacted', () => {
  const values = ['4111 1111 1111 1111', '123-45-6789', '+49 30 1234567', KEY, 'DE89 3704 0044 0532 0130 00'];
  const json = JSON.stringify({ messages: [{ content: values.map((value) => `x\n${value}\t`).join('\\') }] });
  for (let end = json.length - 60; end <= json.length; end += 1) {
    const { text, found } = redactText(json.slice(0, end), ALL);
    for (const value of values) assert.ok(!text.includes(value), text);
    assert.ok([...found.values()].reduce((sum, count) => sum + count, 0) >= 3, text);
  }
});

test('in truncated JSON, JSON in the last string is redacted, too', () => {
  const content = `x\n4111 1111 1111 1111\n${'a line\n'.repeat(50)}`;
  const json = JSON.stringify({ tool_calls: [{ function: { arguments: JSON.stringify({ content }) } }] });
  const { text, found } = redactText(json.slice(0, -40), ALL);
  assert.ok(!text.includes('4111 1111'), text);
  assert.deepEqual([...found], [['credit_card', 1]]);
});

test('text that only starts like JSON is redacted as text', () => {
  for (const text of [
    '[ -f x ] && pay 4111 1111 1111 1111',
    '{"a": "4111 1111 1111 1111", "\\quebecs"',
    '["4111 1111',
  ])
    assert.deepEqual(
      redactText(text, ALL),
      text.length < 12
        ? { text, found: new Map() }
        : {
            text: text.replace('4111 1111 1111 1111', '[redacted:credit_card]'),
            found: new Map([['credit_card', 1]]),
          },
    );
});

test('escape sequences of JSON or code in a text do not hide a value', () => {
  const [first, rest] = [KEY.slice(0, 1), KEY.slice(1)];
  const encoded = `\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}${rest}`;
  const texts = [
    `Result: {"log":"a\\n${KEY}"}`,
    `{"log":"a\\t${KEY}"} is the result`,
    `\`\`\`json\n{"log":"a\\r\\n${KEY}"}\n\`\`\``,
    `{"log":"a\\n${KEY}"}\n{"log":"b"}`,
    `Result: {"log":"{\\"deep\\":\\"a\\\\n${KEY}\\"}"}`,
    `Result: {"key":"${encoded}"}`,
    `print("a\\n${KEY}")`,
    `Result: {"log":"a\\n4111111111111111"}`,
    `Result: {"log":"{\\"secret_access_key\\":\\"wJalrXUtnFEMI/K7MDENG/bPxRfiCYaB3dE5gH7K\\"}"}`,
    `Result: {"to":"ada\\u0040example.org"}`,
    `to = "ada\\x40example.org"`,
    `to = "ada\\u{40}example.org"`,
    `print("\\x00${KEY}")`,
    `print("\\u{1f511}${KEY}")`,
    `print("\\v${KEY}")`,
  ];
  for (const text of texts) {
    assert.equal([...countFindingsInText(text, ALL).values()].join(), '1', text);
    const { json, counts } = redactJson(JSON.stringify({ input: [text] }), ALL);
    assert.equal(counts.size, 1, text);
    const told: { input: string[] } = JSON.parse(json);
    assert.match(told.input[0] ?? '', /\[redacted:\w+\]/);
    assert.doesNotMatch(told.input[0] ?? '', /B3dE5gH7|41111111|example\.org/);
    assert.equal(countFindingsInJson(json, ALL).size, 0, text);
    assert.match(redactText(text, ALL).text, /\[redacted:\w+\]/);
  }
  assert.equal(redactText(texts[0] ?? '', ALL).text, 'Result: {"log":"a\\n[redacted:secret]"}');
  assert.equal(redactText(texts[5] ?? '', ALL).text, 'Result: {"key":"[redacted:secret]"}');
});

test('a value that starts with a letter of an escape sequence is found after a backslash', () => {
  const key = `npm_${KEY.slice(4)}`;
  assert.equal(redactText(`C:\\temp\\${key}`, ALL).text, 'C:\\temp\\[redacted:secret]');
  assert.equal(redactText('CORP\\tom@example.org', ALL).text, 'CORP\\[redacted:email]');
});

test('a value and a part of it that is another kind of value both count, if only one of them is in escape sequences', () => {
  for (const [text, kinds] of [
    ['call +14155552671\\u0040example.com now', ['email', 'phone']],
    ['pay 4111111111111111\\u0040example.com now', ['credit_card', 'email']],
  ] as const) {
    const found = countFindingsInText(text, new Set(kinds));
    assert.deepEqual(
      [...found].sort(),
      kinds.map((kind) => [kind, 1]),
      text,
    );
    const redacted = redactText(text, new Set(kinds));
    assert.doesNotMatch(JSON.stringify(redacted), /4155552671|4111|example/);
  }
});

test('text in base64 data is redacted, and other base64 data is not changed', () => {
  const line = `an ordinary line of a document with ${KEY} in it\n`;
  const encodings = [
    (text: string) => Buffer.from(text).toString('base64'),
    (text: string) => Buffer.from(text).toString('base64url'),
    (text: string) => `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`,
  ];
  for (const encode of encodings) {
    for (const text of [
      line.repeat(3),
      JSON.stringify({ log: line.repeat(3) }),
      `\u00e9\u001b[31m${line}`.repeat(9),
    ]) {
      const body = JSON.stringify({ messages: [{ content: [{ type: 'document', data: encode(text) }] }] });
      const { json, counts } = redactJson(body, ALL);
      assert.ok((counts.get('secret') ?? 0) > 0, text);
      const redacted = text.replaceAll(KEY, '[redacted:secret]');
      const sent = JSON.parse(json).messages[0].content[0].data;
      assert.ok(sent.startsWith(encode('').slice(0, -1)));
      assert.equal(Buffer.from(sent.split(',').at(-1) ?? '', 'base64').toString(), redacted);
    }
    const image = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(line.repeat(9))]);
    for (const bytes of [image, Buffer.from(`%PDF-1.7\n${line.repeat(9)}`), Buffer.from('fffe00', 'hex')]) {
      const body = JSON.stringify({ input: [bytes.toString('base64')] });
      assert.equal(redactJson(body, ALL).json, body);
    }
  }
  assert.equal(
    redactText(`data:text/plain;base64,${btoa(KEY)}`, ALL).text,
    `data:text/plain;base64,${btoa('[redacted:secret]')}`,
  );
  assert.equal(redactText(`data: ${KEY}`, ALL).text, 'data: [redacted:secret]');
});

test('text documents are read in each encoding and in lines, and keep both when they are redacted', () => {
  const text = `name;mail\nM\u00fcller;ana@example.com\n${'x;y@example.org\n'.repeat(12)}`;
  const redacted = text.replace(/[a-z]+@[a-z.]+/g, '[redacted:email]');
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
  const lines = (base64: string, end: string) => base64.replace(/.{76}(?!$)/g, `$&${end}`);
  const documents: readonly (readonly [string, (data: string) => Buffer])[] = [
    [Buffer.from(text, 'latin1').toString('base64'), () => Buffer.from(redacted, 'latin1')],
    [utf16.toString('base64'), () => Buffer.from(`\ufeff${redacted}`, 'utf16le')],
    [
      Buffer.from(utf16).swap16().toString('base64'),
      () => Buffer.from(`\ufeff${redacted}`, 'utf16le').swap16(),
    ],
    [lines(Buffer.from(text).toString('base64'), '\n'), () => Buffer.from(redacted)],
    [lines(Buffer.from(text).toString('base64'), '\r\n'), () => Buffer.from(redacted)],
  ];
  for (const [data, expected] of documents)
    for (const prefix of ['data:text/csv;base64,', '']) {
      const body = JSON.stringify({ input: [{ file_data: prefix + data }] });
      const { json, counts } = redactJson(body, ALL);
      assert.deepEqual([...counts], [['email', 13]], body);
      const sent: string = JSON.parse(json).input[0].file_data;
      assert.ok(sent.startsWith(prefix));
      assert.deepEqual(Buffer.from(sent.slice(prefix.length), 'base64'), expected(data), body);
      assert.equal(sent.includes('\n'), data.includes('\n'));
      assert.equal(sent.includes('\r\n'), data.includes('\r\n'));
    }
  const utf16WithoutMark = Buffer.from('mail ana@example.com', 'utf16le').toString('base64');
  assert.deepEqual(
    [...countFindingsInText(`data:text/plain;base64,${utf16WithoutMark}`, ALL)],
    [['email', 1]],
  );
  const odd = Buffer.concat([Buffer.from('\ufeffmail ana@example.com', 'utf16le'), Buffer.from('A')]);
  const sentOdd = redactText(`data:text/plain;base64,${odd.toString('base64')}`, ALL).text;
  assert.deepEqual(
    Buffer.from(sentOdd.slice(23), 'base64'),
    Buffer.concat([Buffer.from('\ufeffmail [redacted:email]', 'utf16le'), Buffer.from('A')]),
  );
  const escaped = Buffer.from(`{"name":"M\u00fcller \\u0141","mail":"ana@example.com"}`, 'latin1');
  const kept = redactText(`data:text/plain;base64,${escaped.toString('base64')}`, ALL).text;
  const decoded = Buffer.from(kept.slice(23), 'base64').toString('latin1');
  assert.deepEqual(JSON.parse(decoded), { name: 'M\u00fcller \u0141', mail: '[redacted:email]' });
  // Words in lines consist of the same characters as base64 in lines.
  const words = `4111111111111111\n${'word\n'.repeat(40)}`;
  assert.deepEqual([...countFindingsInText(words, ALL)], [['credit_card', 1]]);
});

test('base64 data can have any number of lines', () => {
  const lines = 'A\n'.repeat(8 * 1024 * 1024);
  assert.equal(isWrappedBase64(lines), true);
  assert.equal(isWrappedBase64(`${lines}!`), false);
});

test('text after the end of base64 data, and in the prefix of a data URL, is scanned', () => {
  const found = (text: string) => [...countFindingsInText(text, ALL).keys()].sort();
  assert.deepEqual(
    found('data:text/plain;base64,aGVsbG8=\nmy card is 4111 1111 1111 1111 and mail ana@example.com'),
    ['credit_card', 'email'],
  );
  assert.deepEqual(found('data:;base64,aGVsbG8=, ana@example.com'), ['email']);
  assert.deepEqual(found('data:ana@example.com;base64,aGVsbG8='), ['email']);
  const long = `data:text/plain;base64,${'QUJD'.repeat(200)}= ${'x'.repeat(600)} ana@example.com`;
  assert.deepEqual(found(long), ['email']);
  assert.equal(
    redactText('data:text/plain;base64,aGVsbG8= ana@example.com', ALL).text,
    'data:text/plain;base64,aGVsbG8= [redacted:email]',
  );
});

test('redacted base64 data keeps its alphabet and its padding', () => {
  const text = `${'ÿ¿þ'.repeat(60)} ana@example.com`;
  const standard = Buffer.from(text).toString('base64');
  const redacted = Buffer.from(text.replace('ana@example.com', '[redacted:email]'));
  assert.match(standard, /[+/]/);
  const unpadded = (base64: string) => base64.replace(/=+$/, '');
  assert.equal(redactText(standard, ALL).text, redacted.toString('base64'));
  assert.equal(redactText(unpadded(standard), ALL).text, unpadded(redacted.toString('base64')));
  assert.equal(redactText(Buffer.from(text).toString('base64url'), ALL).text, redacted.toString('base64url'));
});

test('a terminal sequence that is cut off at the end of a string does not join strings', () => {
  const json = JSON.stringify({ a: '41111111111\u001b', '011111': 'x' });
  const { text } = redactText(json, ALL);
  assert.deepEqual(JSON.parse(text), JSON.parse(json));
  const nested = redactJson(JSON.stringify({ arguments: json }), ALL).json;
  assert.deepEqual(JSON.parse(JSON.parse(nested).arguments), JSON.parse(json));
});
