import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExchangeMetrics, type UsageMetricValues } from './exchange-metrics.ts';

const FIGURES: UsageMetricValues = {
  orgId: 'acme',
  surface: 'chat',
  provider: 'p',
  model: 'm',
  team: '',
  costUsd: 0.5,
  inputTokens: 1,
  outputTokens: 2,
  blockedBy: null,
  attempts: [],
};

test('the first 100 models and teams of an organization have their own series, and further ones are `other`', () => {
  const metrics = new ExchangeMetrics();
  for (let n = 0; n < 150; n += 1) metrics.record({ ...FIGURES, model: `m${n}`, team: `t${n}` });
  const text = metrics.render();
  assert.match(text, /^floe_cost_usd_total\{provider="p",model="m99",surface="chat"\} 0\.5$/m);
  assert.match(text, /^floe_cost_usd_total\{provider="p",model="other",surface="chat"\} 25$/m);
  assert.match(text, /^floe_team_cost_usd_total\{team="t0"\} 0\.5$/m);
  assert.match(text, /^floe_team_tokens_total\{team="other",type="output"\} 100$/m);
  assert.doesNotMatch(text, /"m100"|"t100"/);
});

test('a call to the same target is a retry, one to another target is a failover', () => {
  const metrics = new ExchangeMetrics();
  const first = { provider: 'a', model: 'm', credential: 'c', error: 'upstream_error' };
  const attempts = [first, first, { ...first, provider: 'b', error: null }];
  metrics.record({ ...FIGURES, attempts, blockedBy: 'limit' });
  const text = metrics.render();
  assert.match(text, /^floe_upstream_attempts_total\{provider="a",result="upstream_error"\} 2$/m);
  assert.match(text, /^floe_upstream_attempts_total\{provider="b",result="success"\} 1$/m);
  assert.match(text, /^floe_upstream_retries_total\{provider="a"\} 1$/m);
  assert.match(text, /^floe_failovers_total\{provider="a"\} 1$/m);
  assert.match(text, /^floe_exchanges_blocked_total\{surface="chat",reason="limit"\} 1$/m);
});

test('the first 100 providers of an organization have their own series, and further ones are `other`', () => {
  const metrics = new ExchangeMetrics();
  const attempt = { model: 'm', credential: 'c', error: null };
  for (let n = 0; n < 300; n += 1)
    metrics.record({ ...FIGURES, provider: `p${n}`, attempts: [{ ...attempt, provider: `p${n}` }] });
  const text = metrics.render();
  assert.match(text, /^floe_upstream_attempts_total\{provider="p99",result="success"\} 1$/m);
  assert.match(text, /^floe_upstream_attempts_total\{provider="other",result="success"\} 200$/m);
  assert.match(text, /^floe_cost_usd_total\{provider="other",model="m",surface="chat"\} 100$/m);
  assert.doesNotMatch(text, /"p100"/);
});

test('an organization that uses many values of a label leaves values for the others, and uses those of others', () => {
  const metrics = new ExchangeMetrics();
  const record = (orgId: string, model: string) => metrics.record({ ...FIGURES, orgId, model });
  for (let n = 0; n < 1_000; n += 1) record('greedy', `g${n}`);
  for (let n = 0; n < 1_000; n += 1) record('greedy too', `h${n}`);
  for (let n = 0; n < 5; n += 1) record('small', `s${n}`);
  record('small', 'g0');
  const text = metrics.render();
  const ownModels = text.match(/^floe_cost_usd_total\{provider="p",model="s\d",/gm);
  assert.equal(ownModels?.length, 5);
  assert.match(text, /^floe_cost_usd_total\{provider="p",model="g0",surface="chat"\} 1$/m);
  assert.equal(text.match(/^floe_cost_usd_total\{/gm)?.length, 100 + 50 + 5 + 1);
});
