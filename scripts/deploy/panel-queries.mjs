// Panels and queries that the dashboards have in common.

/** Selectors of the variables of a dashboard. */
export const J = '{job=~"$job"}';
export const JP = '{job=~"$job", provider=~"$provider"}';
export const RATE = '[$__rate_interval]';

export const chart = (title, unit, queries, description) => ({
  type: 'timeseries',
  title,
  unit,
  queries,
  description,
});
export const stat = (title, unit, expression, red) => ({
  type: 'stat',
  title,
  unit,
  queries: [[expression, '']],
  red,
});
export const table = (title, unit, expression, description) => ({
  type: 'table',
  title,
  unit,
  queries: [[expression, '']],
  description,
});
export const rate = (metric, by, selector = J) => `sum by (${by}) (rate(${metric}${selector}${RATE}))`;
export const quantile = (q, metric, by, selector = J) =>
  `histogram_quantile(${q}, sum by (${by}) (rate(${metric}_bucket${selector}${RATE})))`;
/** Share of the rate of a metric with these labels, between 0 and 1. */
export const share = (metric, labels) =>
  `sum(rate(${metric}{job=~"$job", ${labels}}${RATE})) / sum(rate(${metric}${J}${RATE}))`;
