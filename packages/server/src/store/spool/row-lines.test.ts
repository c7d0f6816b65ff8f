import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import { exchangeRow } from '../test/rows.ts';
import { readRows } from './read-rows.ts';
import { rowLine, rowValues } from './row-lines.ts';

const ID = EXCHANGE_COLUMNS.indexOf('id');

/** Of this release, byte for byte: a later one finds such lines after an upgrade. */
const LINE =
  '2\t\t["stop"]\t[{"n":1}]\t[]\t["exc_a","org_one",1700000000000,"chat","unified","key_one","ci",null,null,null,' +
  '"fast","acme","acme-large",1,200,"complete",null,null,"stop",1200,0,null,300,null,"provider",123456,"table",' +
  'null,null,900.5,210.25,0.5,1600,4000,"codex","s-1",-12]';
/** Of the release before the columns of clients and sessions. */
const EARLIER = LINE.replace(',"codex","s-1",-12]', ']');
const ROW = exchangeRow('exc_a', {
  dropped_json: '["stop"]',
  attempts_json: '[{"n":1}]',
  client: 'codex',
  session: 's-1',
  prompt_saved_nano_usd: -12,
});

test('a line keeps its form from release to release', () => {
  assert.equal(rowLine(ROW), LINE);
  assert.deepEqual(rowValues(LINE), Object.values(ROW));
  const earlier = { ...ROW, client: null, session: null, prompt_saved_nano_usd: null };
  assert.deepEqual(rowValues(EARLIER), Object.values(earlier));
});

test('whatever a row holds, its line gives it back as the object of an earlier release would', () => {
  const texts = ['', 'a\tb', 'a\nb', 'a\r\u2028b', '"\\', 'José 🧊', '\u0000', '2\t'];
  for (const text of texts) {
    const json = JSON.stringify({ text });
    const row = exchangeRow(text, {
      end_user: text,
      key_name: text,
      metadata_json: json,
      attempts_json: json,
      decisions_json: JSON.stringify([{ text }], null, '\t'),
    });
    for (const some of [row, { ...row, decisions_json: json }]) {
      const line = rowLine(some);
      assert.doesNotMatch(line, /\n/);
      assert.deepEqual(rowValues(line), Object.values(some), JSON.stringify(text));
      assert.deepEqual(rowValues(line), rowValues(JSON.stringify(some)));
    }
  }
});

test('every column stands at its place in the table', () => {
  for (const [at, name] of EXCHANGE_COLUMNS.entries()) {
    const values = rowValues(rowLine({ ...exchangeRow('exc_a'), [name]: '"here"' }));
    assert.equal(values?.[at], '"here"', name);
  }
});

test('lines of both formats may stand in one file, as after an upgrade', () => {
  const rows = ['exc_a', 'exc_b', 'exc_c', 'exc_d'].map((id) => exchangeRow(id));
  const lines = rows.map((row, n) => (n % 2 === 0 ? JSON.stringify(row) : rowLine(row)));
  const { rows: read, rejected, torn } = readRows(Buffer.from(`${lines.join('\n')}\n`), true);
  assert.deepEqual([rejected, torn], [[], false]);
  assert.deepEqual(
    read.map(({ values }) => values),
    rows.map((row) => Object.values(row)),
  );
});

test('a line with fewer or more columns than the table has nulls for those it lacks and loses the others', () => {
  const [head, plain] = [LINE.slice(0, LINE.indexOf('["exc_a"')), '["exc_a","org_one",1]'];
  const fewer = rowValues(head + plain);
  assert.deepEqual(fewer?.slice(ID, 4), ['exc_a', 'org_one', 1, null]);
  assert.equal(fewer?.length, EXCHANGE_COLUMNS.length);
  assert.deepEqual(rowValues(LINE.replace(/\]$/, ',"more"]')), Object.values(ROW));
});

test('a line that is cut off anywhere, holds what no row does or has a hole of zeros is no row', () => {
  for (let cut = 0; cut < LINE.length; cut++)
    assert.equal(rowValues(LINE.slice(0, cut)), null, `cut at ${cut}`);
  assert.equal(rowValues(LINE.replace('"chat"', 'true')), null);
  assert.equal(rowValues(LINE.replace('"chat"', '{}')), null);
  assert.equal(rowValues(LINE.replace('"stop"', '\u0000\u0000')), null);
  assert.equal(rowValues(`${LINE}\t[]`), null);
  assert.equal(rowValues(LINE.replace('2\t', '3\t')), null);
});
