import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toDecimalUsd } from '../decimal-usd.ts';
import { usd } from './money.ts';

test('nano-USD become exact decimal text without trailing zeros', () => {
  const table: readonly [number, string][] = [
    [0, '0'],
    [1, '0.000000001'],
    [12_500_000, '0.0125'],
    [1_000_000_000, '1'],
    [-1_500_000_000, '-1.5'],
    [Number.MAX_SAFE_INTEGER, '9007199.254740991'],
  ];
  for (const [amount, text] of table) assert.equal(toDecimalUsd(amount), text);
});

test('the text always says the same amount', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (amount) => {
      const text = usd.parse(toDecimalUsd(amount));
      const [whole = '', fraction = ''] = text.replace('-', '').split('.');
      assert.equal(BigInt(whole + fraction.padEnd(9, '0')), BigInt(Math.abs(amount)));
    }),
  );
});
