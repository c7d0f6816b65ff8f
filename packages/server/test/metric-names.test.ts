// The exposition of the real server, by the rules of `promtool check metrics`.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { callHttp } from '@floe/testkit/http-client';
import { type RunningGateway, startRunningGateway } from './running-gateway.ts';

/** Abbreviations and units that are not base units. */
const UNITS =
  /_(?:s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d|milliseconds|microseconds|nanoseconds|minutes|hours|days|weeks|kilobytes|megabytes|gigabytes|percent)(?:_|$)/;

let gateway: RunningGateway;
before(async () => {
  gateway = await startRunningGateway();
});
after(() => gateway.stop());

const scrape = async () => (await callHttp(`${gateway.floe.url}/metrics`)).text;

test('every metric follows the rules of promtool', async () => {
  await gateway.chat({ model: 'sandbox/echo' });
  await gateway.call('/api/management/keys');
  const text = await scrape();
  const types = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => ({
    name,
    type,
  }));
  assert.ok(types.length > 40);
  assert.equal(new Set(types.map(({ name }) => name)).size, types.length, 'a metric is declared twice');
  const faults = types.flatMap(({ name, type }) => [
    ...(new RegExp(`^# HELP ${name} \\S`, 'm').test(text) ? [] : [`${name}: no help`]),
    ...(name.endsWith('_total') === (type === 'counter') ? [] : [`${name}: is a ${type}`]),
    ...(/^[a-z][a-z0-9_]*$/.test(name) ? [] : [`${name}: characters`]),
    ...(/_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name) ? [`${name}: names its type`] : []),
    ...(/_(?:count|sum|bucket)$/.test(name) ? [`${name}: reserved suffix`] : []),
    ...(UNITS.test(name) ? [`${name}: not a base unit`] : []),
  ]);
  assert.deepEqual(faults, []);
});

test('usage, cost, attempts and the build are counted', async () => {
  await gateway.chat({ model: 'fake/unknown-model' });
  const text = await eventually(async () => {
    const now = await scrape();
    return now.includes('floe_upstream_attempts_total{') ? now : undefined;
  });
  assert.match(text, /^floe_build_info\{version="[\d.]+",commit="unknown",node="\d+\.[\d.]+"\} 1$/m);
  assert.match(text, /^floe_upstream_attempts_total\{provider="sandbox",result="success"\} 1$/m);
  assert.match(
    text,
    /^floe_tokens_total\{provider="sandbox",model="echo",surface="chat",type="output"\} \d+$/m,
  );
  assert.match(text, /^floe_exchanges_in_flight\{\} 0$/m);
  assert.match(text, /^floe_config_last_reload_success\{\} 1$/m);
  assert.match(text, /^floe_api_request_duration_seconds_count\{operation="keys.list",status="2xx"\} 1$/m);
});

test('the latency of the database and the lag of the event loop are measured', async () => {
  await gateway.call('/api/management/keys');
  const text = await scrape();
  const count = (kind: string) =>
    Number(
      new RegExp(
        `^floe_database_operation_duration_seconds_count\\{engine="sqlite",kind="${kind}"\\} (\\d+)$`,
        'm',
      ).exec(text)?.[1] ?? 0,
    );
  assert.ok(count('read') > 0 && count('transaction') > 0);
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds \d/m);
  assert.doesNotMatch(text, /floe_shared_store_/, 'there is no shared store');
});
