import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestExchangeRow } from '../../store/test/rows.ts';
import { buildFinalExchangeRow } from './pending-exchange.ts';

const PENDING = {
  row: createTestExchangeRow('req_1', { attempts_json: '[]' }),
  tier: null,
  inputTokens: 7,
  reservedNanoUsd: null,
  charges: [],
};

test('if the provider reports no usage, the output is estimated from the bytes of the content alone', () => {
  const content = [{ type: 'output_text', text: '漢字'.repeat(200), annotations: [] }];
  const output = [{ id: 'msg_1', type: 'message', role: 'assistant', content }];
  const tokensOf = (response: object) => {
    const row = buildFinalExchangeRow(PENDING, { status: 'completed', ...response }, new Map());
    return [row.input_tokens, row.output_tokens, row.usage_source];
  };
  // 400 characters of three bytes, and four bytes for each token.
  assert.deepEqual(tokensOf({ output }), [7, 300, 'estimated']);
  assert.deepEqual(tokensOf({ output: [] }), [0, 0, 'estimated']);
});

test('an implausible count of a background response is estimated', () => {
  const usage = { input_tokens: 1e19, output_tokens: 5, total_tokens: 1e19 };
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'The ice is thick.' }] }];
  const row = buildFinalExchangeRow(PENDING, { status: 'completed', output, usage }, new Map());
  assert.deepEqual([row.input_tokens, row.output_tokens, row.usage_source], [7, 5, 'estimated']);
});
