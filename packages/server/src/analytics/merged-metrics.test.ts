import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MergedMetrics } from './merged-metrics.ts';

const buildText = (requests: number, inFlight: number | string) => `# HELP requests_total Number of requests.
# TYPE requests_total counter
requests_total{path="a b",code="200"} ${requests}
# HELP duration_seconds Time.
# TYPE duration_seconds histogram
duration_seconds_bucket{le="1"} ${requests}
duration_seconds_bucket{le="+Inf"} ${requests + 1}
duration_seconds_sum{} 0.5
duration_seconds_count{} ${requests + 1}
# HELP in_flight Now.
# TYPE in_flight gauge
in_flight ${inFlight}
# HELP info Build.
# TYPE info gauge
info{version="1"} 1
`;

test('counters and histograms are summed, and each gauge has the label process', () => {
  const merged = new MergedMetrics();
  merged.add('1', buildText(3, 7));
  merged.add('2', buildText(4, 'Nan'));
  assert.equal(
    merged.render(),
    `# HELP requests_total Number of requests.
# TYPE requests_total counter
requests_total{path="a b",code="200"} 7
# HELP duration_seconds Time.
# TYPE duration_seconds histogram
duration_seconds_bucket{le="1"} 7
duration_seconds_bucket{le="+Inf"} 9
duration_seconds_sum{} 1
duration_seconds_count{} 9
# HELP in_flight Now.
# TYPE in_flight gauge
in_flight{process="1"} 7
in_flight{process="2"} NaN
# HELP info Build.
# TYPE info gauge
info{process="1",version="1"} 1
info{process="2",version="1"} 1
`,
  );
});

test('the counters of an ended process stay, its gauges do not', () => {
  const merged = new MergedMetrics();
  merged.addCounters(buildText(3, 7));
  assert.match(merged.render(), /^requests_total\{path="a b",code="200"\} 3$/m);
  assert.doesNotMatch(merged.render(), /in_flight|info/);
  const again = new MergedMetrics();
  again.addCounters(merged.render());
  again.add('1', buildText(1, 1));
  assert.match(again.render(), /^requests_total\{path="a b",code="200"\} 4$/m);
  assert.match(again.render(), /^in_flight\{process="1"\} 1$/m);
});
