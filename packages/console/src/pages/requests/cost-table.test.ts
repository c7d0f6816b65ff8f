import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExchangeAttempt } from '@floe/contract/api/attempts';
import { buildCostTable, listUnpricedUnits } from './cost-table.ts';

const attempt = (n: number, more: Partial<ExchangeAttempt>): ExchangeAttempt => ({
  n,
  provider: 'a',
  model: 'm',
  credential: 'default',
  started_at: '2026-11-21T12:00:00.000Z',
  status: 200,
  error: null,
  first_token_ms: null,
  duration_ms: 1,
  ...more,
});

const USAGE = {
  input_tokens: 0,
  cached_tokens: null,
  cache_write_tokens: null,
  output_tokens: 0,
  reasoning_tokens: null,
  billed_units: {},
  service_tier: null,
  source: 'provider',
};
const sumOf = ({ parts, roundedNanoUsd }: ReturnType<typeof buildCostTable>) =>
  parts.flatMap(({ lines }) => lines).reduce((sum, { nanoUsd }) => sum + (nanoUsd ?? 0), 0) + roundedNanoUsd;

test('the lines of one attempt are its kinds of tokens, and their sum is the cost', () => {
  const table = buildCostTable({
    usage: { ...USAGE, input_tokens: 18_204, cached_tokens: 15_872, output_tokens: 842 },
    attempts: [
      attempt(1, { status: 503, error: 'upstream_error' }),
      attempt(2, { price: { input: 3, output: 15, cache_read: 0.3 } }),
    ],
    cost_nano_usd: 2_332 * 3_000 + 15_872 * 300 + 842 * 15_000,
  });
  assert.ok(table.isComplete);
  assert.deepEqual(
    table.parts.map(({ attempt: one, lines }) => [one?.n, lines.map(({ kind, tokens }) => [kind, tokens])]),
    [
      [
        2,
        [
          ['Input', 2_332],
          ['Read from the prompt cache', 15_872],
          ['Output', 842],
        ],
      ],
    ],
  );
  assert.equal(sumOf(table), 24_387_600);
});

test('a price below a nano-dollar for a token is rounded up once for each attempt, and the rounding is a line', () => {
  const price = { input: 0.0375, output: 0.15 };
  const table = buildCostTable({
    usage: { ...USAGE, input_tokens: 4, output_tokens: 2 },
    attempts: [
      attempt(1, { price, usage: { input: 1, output: 0 } }),
      attempt(2, { price, usage: { input: 3, output: 2 } }),
    ],
    cost_nano_usd: 38 + 413,
  });
  assert.deepEqual([table.isComplete, table.parts.length, table.roundedNanoUsd], [true, 2, 1]);
  assert.equal(sumOf(table), 451);
});

test('where no price is kept, or it does not explain the cost, tokens alone are told', () => {
  const usage = { ...USAGE, input_tokens: 10, output_tokens: 5 };
  for (const [attempts, cost] of [
    [[attempt(1, {})], 40_000],
    [[attempt(1, {})], null],
    [[attempt(1, { price: { input: 1, output: 2 } })], 99],
  ] as const) {
    const table = buildCostTable({ usage, attempts: [...attempts], cost_nano_usd: cost });
    assert.equal(table.isComplete, false);
    assert.deepEqual(
      table.parts.flatMap(({ lines }) => lines.map(({ tokens, nanoUsd }) => [tokens, nanoUsd])),
      [
        [10, null],
        [5, null],
      ],
    );
  }
});

test('a billed unit has a line of its own, in place of the tokens it is a part of', () => {
  const table = buildCostTable({
    usage: { ...USAGE, input_tokens: 1_000_000, cache_write_tokens: 1_000_000 },
    attempts: [
      attempt(1, {
        price: { input: 3, output: 15, cache_write: 3.75, units: { cache_write_1h: 6, web_search: 10_000 } },
        billed_units: { cache_write_1h: 900_000, web_search: 100, code_execution: 2 },
        unpriced: ['code_execution', 'tier:priority'],
      }),
    ],
    cost_nano_usd: 100_000 * 3_750 + 900_000 * 6_000 + 1_000_000_000,
  });
  assert.ok(table.isComplete);
  assert.deepEqual(
    table.parts.flatMap(({ lines }) => lines.map(({ kind, tokens }) => [kind, tokens])),
    [
      ['Input', 0],
      ['Written to the prompt cache', 100_000],
      ['Output', 0],
      ['Written to the prompt cache for 1 hour', 900_000],
      ['Web searches', 100],
    ],
  );
  const attempts = [attempt(1, { unpriced: ['code_execution', 'tier:priority'] })];
  assert.deepEqual(listUnpricedUnits({ attempts }), ['Code executions', 'service tier “priority”']);
});
