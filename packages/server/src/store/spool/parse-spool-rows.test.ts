import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXCHANGE_COLUMNS } from '../schema.ts';
import { createTestExchangeRow } from '../test/rows.ts';
import { formatExchangeRowLine } from './exchange-row-lines.ts';
import { parseSpoolRows } from './parse-spool-rows.ts';

const rows = ['exc_a', 'exc_b', 'exc_c'].map((id) => createTestExchangeRow(id, { end_user: 'José 🧊' }));
const idsOf = (piece: Buffer, last: boolean) =>
  parseSpoolRows(piece, last).rows.map(({ values }) => values[EXCHANGE_COLUMNS.indexOf('id')]);

for (const [format, lineOf] of [
  ['as they are written', formatExchangeRowLine],
  ['as JSON objects', JSON.stringify],
] as const) {
  const lines = rows.map((row) => Buffer.from(`${lineOf(row)}\n`));
  const whole = Buffer.concat(lines);
  const complete = Buffer.concat(lines.slice(0, 2)).length;

  test(`lines ${format}: rows are read in the order of the columns`, () => {
    const { rows: read, rejected, torn, bytesRead } = parseSpoolRows(whole, true);
    assert.deepEqual([rejected, torn, bytesRead], [[], false, whole.length]);
    assert.deepEqual(
      read.map(({ values }) => values),
      rows.map((row) => Object.values(row)),
    );
  });

  test(`lines ${format}: a file that is truncated in its last row loses only this row`, () => {
    for (let cut = complete; cut < whole.length; cut++) {
      const piece = whole.subarray(0, cut);
      // Without its line break the row is whole all the same.
      const isWhole = cut === whole.length - 1;
      assert.deepEqual(
        idsOf(piece, true),
        isWhole ? ['exc_a', 'exc_b', 'exc_c'] : ['exc_a', 'exc_b'],
        `cut at ${cut}`,
      );
      const { torn, rejected, bytesRead } = parseSpoolRows(piece, true);
      assert.deepEqual([torn, rejected, bytesRead], [!isWhole && cut > complete, [], cut]);
    }
  });

  test(`lines ${format}: a growing file is read up to its last line break`, () => {
    for (let cut = 0; cut <= whole.length; cut++) {
      const { bytesRead, torn, rejected } = parseSpoolRows(whole.subarray(0, cut), false);
      assert.deepEqual([torn, rejected], [false, []]);
      const ids = [...idsOf(whole.subarray(0, cut), false), ...idsOf(whole.subarray(bytesRead), true)];
      assert.deepEqual(ids, ['exc_a', 'exc_b', 'exc_c'], `cut at ${cut}`);
    }
  });
}

test('invalid lines are separated and block nothing', () => {
  const bad = ['', 'null', '[]', '{"id":', '{"id":{}}', '{"id":true}', '{"id":"exc_a"}', '\u0000\u0000'];
  const text = bad.map((line) => `${line}\n${JSON.stringify(rows[0])}\n`).join('');
  const { rows: read, rejected } = parseSpoolRows(Buffer.from(text), true);
  assert.equal(read.length, bad.length);
  assert.deepEqual(rejected, bad);
});
