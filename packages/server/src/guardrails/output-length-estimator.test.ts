import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutputLengthEstimator } from './output-length-estimator.ts';

const after = (lengths: OutputLengthEstimator) => lengths.percentile('acme', 'p', 'm');

test('a length is known after eight responses, separately for each organization, provider and model', () => {
  const lengths = new OutputLengthEstimator();
  for (let n = 0; n < 7; n++) lengths.record('acme', 'p', 'm', 300);
  assert.equal(after(lengths), null);
  lengths.record('acme', 'p', 'm', 300);
  assert.ok((after(lengths) ?? 0) >= 300);
  assert.equal(lengths.percentile('other', 'p', 'm'), null);
  assert.equal(lengths.percentile('acme', 'q', 'm'), null);
  assert.equal(lengths.percentile('acme', 'p', 'n'), null);
});

test('the expected length is at least the actual length and at most 20% above it', () => {
  for (let tokens = 16; tokens < 2_000_000; tokens = Math.ceil(tokens * 1.37)) {
    const lengths = new OutputLengthEstimator();
    for (let n = 0; n < 20; n++) lengths.record('acme', 'p', 'm', tokens);
    const expected = after(lengths) ?? 0;
    assert.ok(expected >= tokens && expected <= tokens * 1.2, `${tokens}: ${expected}`);
  }
});

test('the longest of fifty responses determines the length, and is forgotten after hundreds of responses', () => {
  const lengths = new OutputLengthEstimator();
  for (let n = 0; n < 49; n++) lengths.record('acme', 'p', 'm', 100);
  lengths.record('acme', 'p', 'm', 5_000);
  assert.ok((after(lengths) ?? 0) >= 5_000);
  for (let n = 0; n < 400; n++) lengths.record('acme', 'p', 'm', 100);
  assert.ok((after(lengths) ?? 0) <= 120);
});

test('after a million responses, precision and memory are unchanged', () => {
  const lengths = new OutputLengthEstimator();
  for (let n = 0; n < 1_000_000; n++) lengths.record('acme', 'p', 'm', n % 20 === 0 ? 900 : 40);
  const expected = after(lengths) ?? 0;
  assert.ok(expected >= 900 && expected <= 1_080, `${expected}`);
  for (let n = 0; n < 5_000; n++) for (let m = 0; m < 8; m++) lengths.record('acme', 'p', `m${n}`, 10);
  assert.equal(lengths.percentile('acme', 'p', 'm0'), null, 'the least recently used is forgotten');
  assert.equal(lengths.percentile('acme', 'p', 'm4999'), 16);
});
