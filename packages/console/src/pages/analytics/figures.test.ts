import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeOf, csvOf, rowsOf, type Sums } from './figures.ts';

const sums = (requests: number, cost: number): Sums => ({
  requests,
  errors: 0,
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  cost_nano_usd: cost,
});

test('rows and the rest are exactly the total, to the nano', () => {
  const groups = [
    { ...sums(3, 700), value: 'key_1', name: 'agents', previous: sums(1, 350) },
    { ...sums(1, 100), value: null, name: null, previous: null },
  ];
  const total = sums(6, 1001);
  const rows = rowsOf(groups, total, 'cost_nano_usd');
  assert.deepEqual(
    rows.map(({ label, sums: { cost_nano_usd }, change }) => [label, cost_nano_usd, change]),
    [
      ['agents', 700, 1],
      ['none', 100, null],
      ['Other', 201, null],
    ],
  );
  assert.equal(
    rows.reduce((sum, row) => sum + row.sums.cost_nano_usd, 0),
    total.cost_nano_usd,
  );
});

test('there is no change against nothing', () => {
  assert.equal(changeOf(5, 0), null);
  assert.equal(changeOf(5, undefined), null);
  assert.equal(changeOf(5, 10), -0.5);
});

test('the file has raw numbers, and a name is never a formula', () => {
  const rows = rowsOf([{ ...sums(2, 5), value: 'k', name: '=SUM(A1,"x")' }], sums(2, 5), 'requests');
  const [head, first, last] = csvOf('key', rows, sums(2, 5)).split('\r\n');
  assert.equal(head, 'key,id,requests,errors,input_tokens,cached_tokens,output_tokens,cost_nano_usd');
  assert.equal(first, `"'=SUM(A1,""x"")",k,2,0,0,0,0,5`);
  assert.equal(last, 'Total,,2,0,0,0,0,5');
});
