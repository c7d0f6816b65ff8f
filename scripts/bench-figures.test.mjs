// What the bench computes from its samples, and the tables that it writes into docs/benchmarks.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarizePairs } from '../bench/src/compare/ratios.ts';
import { FEATURES, formatOrgFields } from '../bench/src/features.ts';
import { featureMetricId } from '../bench/src/metrics.ts';
import { writeResultTables } from '../bench/src/results-page.ts';

const RESULTS = {
  name: 'example',
  date: '2026-11-24',
  commit: 'abcdef0',
  machine: { cpu: 'CPU', cores: 2, kernel: '6.18', node: 'v26.10.0', pinned: 'pinned', loadBefore: 0.5 },
  reps: 2,
  seconds: 3,
  mock: 'C',
  load: 'wrk',
  candidates: [
    { id: 'nginx', about: 'nginx/1.22.1' },
    { id: 'floe', about: 'this project' },
  ],
  absent: [{ id: 'litellm', why: 'it needs Python 3.11 to 3.14 with venv' }],
  failed: [],
  samples: {
    'cpu 1.6 KB, c=64': { floe: [81, 80, 95], nginx: [20, 21] },
    [featureMetricId('plain', '1.6 KB')]: { floe: [70] },
    [featureMetricId('limits', '1.6 KB')]: { floe: [140] },
  },
};
const page = (tables) => `<!-- results file: bench/results/a.json -->\n${tables}`;
const write = (text) => writeResultTables(text, (path) => JSON.stringify({ ...RESULTS, name: path }));

test('the ratio of two commits is the median of the ratios of each round', () => {
  const summary = summarizePairs([
    { baseUs: 100, treeUs: 110 },
    { baseUs: 200, treeUs: 200 },
    { baseUs: 50, treeUs: 60 },
  ]);
  const quartiles = { lowerQuartile: 1.05, upperQuartile: 1.15 };
  assert.deepEqual(summary, { baseUs: 100, treeUs: 110, ratio: 1.1, ...quartiles, lowest: 1, highest: 1.2 });
  assert.equal(
    summarizePairs([
      { baseUs: 1, treeUs: 1 },
      { baseUs: 1, treeUs: 3 },
    ]).ratio,
    2,
  );
});

test('nothing measured is an error, not a ratio', () => {
  assert.throws(() => summarizePairs([]), /nothing was measured/);
});

test('a table of a page has the best sample of each cell and the ratios', () => {
  const written = write(page('<!-- results: cpu -->\nold\n<!-- end -->\nafter'));
  assert.match(written, /<!-- results: cpu -->\n\n\| +\| nginx \| Floe \| Floe ÷ nginx \|/);
  assert.match(
    written,
    /\| CPU per request, 1\.6 KB, c=64, µs \| +20 \| +80 \| +4\.00 \|\n\n<!-- end -->\nafter$/,
  );
  assert.doesNotMatch(written, /old/);
});

test('features have a ratio to Floe without them, and sizes without samples have no column', () => {
  const written = write(page('<!-- results: features -->\n<!-- end -->'));
  assert.match(written, /\| two limits, a hard and a soft budget +\| +140 \| +2\.00 \|/);
  assert.doesNotMatch(written, /30 KB/);
});

test('the facts of a run name the file, each candidate, and why one is missing', () => {
  const written = write(page('<!-- results: run -->\n<!-- end -->'));
  for (const fact of [
    '| File | `bench/results/a.json` |',
    '| nginx | nginx/1.22.1 |',
    '| Not measured | LiteLLM: it needs Python 3.11 to 3.14 with venv |',
    '| Not measured | Portkey: not part of this run |',
  ])
    assert.ok(written.includes(fact), written);
});

test('a table may name a file of its own, and a table without figures is an error', () => {
  const paths = [];
  const read = (path) => {
    paths.push(path);
    return JSON.stringify(RESULTS);
  };
  writeResultTables(page('<!-- results: cpu bench/results/b.json -->\n<!-- end -->'), read);
  assert.deepEqual(paths, ['bench/results/b.json']);
  assert.throws(
    () => write(page('<!-- results: memory -->\n<!-- end -->')),
    /a\.json contains no figure of the table "memory"/,
  );
  assert.throws(
    () => write(page('<!-- results: speed -->\n<!-- end -->')),
    /"speed": choose from run, features, cpu/,
  );
  assert.throws(() => write('<!-- results: cpu -->\n<!-- end -->'), /names no results file/);
});

test('features are lines of an organization in floe.yaml', () => {
  const condition = FEATURES.find(({ id }) => id === 'condition');
  assert.match(formatOrgFields(condition.org), /^ {4}policies: \[\{"name":"cap",.*\}\]\n$/);
  assert.equal(formatOrgFields({}), '');
});
