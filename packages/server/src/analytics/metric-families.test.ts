import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CounterFamily, HistogramFamily } from './metric-families.ts';

test('a counter is the sum for each set of labels', () => {
  const counter = new CounterFamily({ name: 'n_total', help: 'Things.', labels: ['a', 'b'] });
  counter.add(1, 'x', 'y');
  counter.add(2, 'x', 'y');
  counter.add(1, 'x', 'z');
  assert.equal(
    counter.render(),
    '# HELP n_total Things.\n# TYPE n_total counter\nn_total{a="x",b="y"} 3\nn_total{a="x",b="z"} 1\n',
  );
});

test('a histogram counts values up to and including each bound, and all values in the last bucket', () => {
  const histogram = new HistogramFamily({ name: 'h', help: 'Times.', labels: ['a'] }, [1, 2]);
  for (const value of [0.5, 1, 1.5, 9]) histogram.observe(value, 'x');
  assert.deepEqual(histogram.render().split('\n').slice(2), [
    'h_bucket{a="x",le="1"} 2',
    'h_bucket{a="x",le="2"} 3',
    'h_bucket{a="x",le="+Inf"} 4',
    'h_sum{a="x"} 12',
    'h_count{a="x"} 4',
    '',
  ]);
});

test('label values with quotes, backslashes and line feeds are escaped', () => {
  const counter = new CounterFamily({ name: 'n', help: 'x', labels: ['a'] });
  counter.add(1, 'q"b\\l\nf');
  assert.ok(counter.render().includes('n{a="q\\"b\\\\l\\nf"} 1'));
});
