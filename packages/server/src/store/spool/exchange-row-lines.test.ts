import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import { createTestExchangeRow } from '../test/rows.ts';
import { formatExchangeRowLine, parseExchangeRowLine } from './exchange-row-lines.ts';
import { parseSpoolRows } from './parse-spool-rows.ts';

/** Byte for byte: a later release finds such lines after an upgrade. */
const LINE =
  '2\t\t["stop"]\t[{"n":1}]\t[]\t["exc_a","org_one",1700000000000,"chat","unified","key_one","ci",null,null,null,' +
  '"fast","acme","acme-large",1,200,"complete",null,null,"stop",1200,0,null,300,null,"provider",123456,"table",' +
  'null,null,900.5,210.25,0.5,1600,4000,"codex","s-1",-12]';
const ROW = createTestExchangeRow('exc_a', {
  dropped_json: '["stop"]',
  attempts_json: '[{"n":1}]',
  client: 'codex',
  session: 's-1',
  prompt_saved_nano_usd: -12,
});

test('the format of a line is the same in all releases', () => {
  assert.equal(formatExchangeRowLine(ROW), LINE);
  assert.deepEqual(parseExchangeRowLine(LINE), Object.values(ROW));
});

test('every row is the same from its line and from its JSON object', () => {
  const texts = ['', 'a\tb', 'a\nb', 'a\r\u2028b', '"\\', 'José 🧊', '\u0000', '2\t'];
  for (const text of texts) {
    const json = JSON.stringify({ text });
    const row = createTestExchangeRow(text, {
      end_user: text,
      key_name: text,
      metadata_json: json,
      attempts_json: json,
      decisions_json: JSON.stringify([{ text }], null, '\t'),
    });
    for (const some of [row, { ...row, decisions_json: json }]) {
      const line = formatExchangeRowLine(some);
      assert.doesNotMatch(line, /\n/);
      assert.deepEqual(parseExchangeRowLine(line), Object.values(some), JSON.stringify(text));
      assert.deepEqual(parseExchangeRowLine(line), parseExchangeRowLine(JSON.stringify(some)));
    }
  }
});

test('every column has its position in the table', () => {
  for (const [at, name] of EXCHANGE_COLUMNS.entries()) {
    const values = parseExchangeRowLine(
      formatExchangeRowLine({ ...createTestExchangeRow('exc_a'), [name]: '"here"' }),
    );
    assert.equal(values?.[at], '"here"', name);
  }
});

test('one file can contain lines in both formats', () => {
  const rows = ['exc_a', 'exc_b', 'exc_c', 'exc_d'].map((id) => createTestExchangeRow(id));
  const lines = rows.map((row, n) => (n % 2 === 0 ? JSON.stringify(row) : formatExchangeRowLine(row)));
  const { rows: read, rejected, torn } = parseSpoolRows(Buffer.from(`${lines.join('\n')}\n`), true);
  assert.deepEqual([rejected, torn], [[], false]);
  assert.deepEqual(
    read.map(({ values }) => values),
    rows.map((row) => Object.values(row)),
  );
});

test('a line of a newer release is read without the columns that this release does not have', () => {
  const values = Object.values(ROW);
  assert.deepEqual(parseExchangeRowLine(LINE.replace(/\]$/, ',"more",{"later":[1]}]')), values);
  assert.deepEqual(parseExchangeRowLine(JSON.stringify({ ...ROW, later: 'more' })), values);
});

test('a line with fewer columns than the first release had is not a row', () => {
  const object = JSON.stringify(ROW);
  assert.deepEqual(parseExchangeRowLine(object), Object.values(ROW));
  assert.equal(parseExchangeRowLine(LINE.replace(',"s-1",-12]', ',"s-1"]')), null);
  assert.equal(parseExchangeRowLine(object.replace(/"client":"codex",/, '')), null);
});

test('a line that is truncated, has an invalid value or contains zero bytes is not a row', () => {
  for (let cut = 0; cut < LINE.length; cut++)
    assert.equal(parseExchangeRowLine(LINE.slice(0, cut)), null, `cut at ${cut}`);
  assert.equal(parseExchangeRowLine(LINE.replace('"chat"', 'true')), null);
  assert.equal(parseExchangeRowLine(LINE.replace('"chat"', '{}')), null);
  assert.equal(parseExchangeRowLine(LINE.replace('"stop"', '\u0000\u0000')), null);
  assert.equal(parseExchangeRowLine(`${LINE}\t[]`), null);
  assert.equal(parseExchangeRowLine(LINE.replace('2\t', '3\t')), null);
});
