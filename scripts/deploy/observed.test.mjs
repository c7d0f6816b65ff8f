// A real Prometheus reads the metrics of a Floe under load: every query of the dashboards and the rules is valid and has data.
// Tier: deploy. It needs prometheus and promtool, which `npm run test:deploy` installs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { root } from '../setup.mjs';
import { runLoad, startObservedFloe } from './observed-floe.mjs';
import { ensurePrograms } from './programs.mjs';
import { startPrometheus } from './prometheus-server.mjs';

/** The load runs until all queries have data, and at least as long as Floe needs to miss a beat. */
const LOAD_MS = 35_000;
const GIVE_UP_MS = 120_000;
const RULES = join(root, 'deploy/prometheus/rules.yaml');
const DASHBOARDS = join(root, 'deploy/grafana');
const VARIABLES = { $__rate_interval: '15s', $job: 'floe', $provider: '.+' };

const dashboards = readdirSync(DASHBOARDS).map((file) =>
  JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')),
);
const panels = dashboards.flatMap((dashboard) =>
  dashboard.panels.flatMap((panel) =>
    panel.targets.map(({ expr }) => ({ name: `${dashboard.title}: ${panel.title}`, expr })),
  ),
);
const rules = parse(readFileSync(RULES, 'utf8')).groups.flatMap((group) => group.rules);
const documented = new Set(
  [...readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8').matchAll(/^\| `(floe_\w+)` \|/gm)].map(
    ([, name]) => name,
  ),
);
const programs = ensurePrograms();
let observed;
let prometheus;
/** Panels whose query had no data at any time of the load. */
let missing = panels;

before(async () => {
  observed = await startObservedFloe();
  prometheus = await startPrometheus(programs.prometheus, {
    target: observed.metricsTarget,
    rulesFile: RULES,
  });
  const started = Date.now();
  let isOver = false;
  const load = runLoad(observed, () => isOver);
  while (Date.now() - started < LOAD_MS || (missing.length > 0 && Date.now() - started < GIVE_UP_MS)) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    missing = await panelsWithoutData(missing);
  }
  isOver = true;
  await load;
});

after(async () => {
  await prometheus?.stop();
  await observed?.stop();
});

test('every query of the dashboards is valid and has data', async (t) => {
  assert.ok(dashboards.length >= 5 && panels.length > 50);
  t.diagnostic(`${panels.length} queries in ${dashboards.length} dashboards`);
  assert.deepEqual(missing, []);
});

test('a query for a metric that does not exist has no data', async () => {
  const typo = { name: 'typo', expr: 'sum(rate(floe_exchange_total{job=~"$job"}[15s]))' };
  assert.deepEqual(await panelsWithoutData([typo]), [typo]);
});

test('dashboards and rules use documented metrics that Floe exports', async () => {
  const exported = new Set(await prometheus.get('label/__name__/values'));
  const expressions = [...panels.map(({ expr }) => expr), ...rules.map(({ expr }) => expr)];
  const used = new Set(expressions.flatMap((expr) => expr.match(/\b(?:floe|process|nodejs)_\w+/g) ?? []));
  assert.ok(used.size > 30);
  for (const name of used) {
    assert.ok(exported.has(name), `Floe exports no ${name}`);
    const family = name.replace(/_(?:bucket|sum|count)$/, '');
    if (name.startsWith('floe_'))
      assert.ok(documented.has(family), `docs/reference/metrics.md has no ${family}`);
  }
});

test('labels in queries and rules are labels of their metrics', async () => {
  const selectors = [...panels, ...rules].flatMap(({ expr }) => [
    ...expr.matchAll(/\b(floe_\w+)\{([^}]*)\}/g),
  ]);
  assert.ok(selectors.length > 50);
  for (const [selector, name, matchers] of selectors)
    for (const [, label] of matchers.matchAll(/(\w+)\s*(?:=|!=|=~|!~)"/g)) {
      const found = await prometheus.query(`count(${name}{${label}!=""})`);
      assert.notEqual(found.length, 0, `${selector}: ${name} has no label ${label}`);
    }
});

test('Prometheus evaluates every rule', async () => {
  const { groups } = await prometheus.get('rules');
  const evaluated = groups.flatMap((group) => group.rules);
  assert.equal(evaluated.length, rules.length);
  for (const { name, health, lastError } of evaluated) assert.equal(health, 'ok', `${name}: ${lastError}`);
});

test('promtool reports nothing about the metrics', async () => {
  const input = await (await fetch(`http://${observed.metricsTarget}/metrics`)).text();
  assert.ok(input.includes('floe_exchanges_total{'));
  const { status, stdout, stderr } = spawnSync(programs.promtool, ['check', 'metrics'], {
    input,
    encoding: 'utf8',
  });
  assert.equal(`${stdout}${stderr}`, '');
  assert.equal(status, 0);
});

/** The panels whose query has no result, or only results that are not numbers. Throws when a query is not valid. */
async function panelsWithoutData(list) {
  const without = [];
  for (const panel of list) {
    const expression = Object.entries(VARIABLES).reduce(
      (text, [name, value]) => text.replaceAll(name, value),
      panel.expr,
    );
    const result = await prometheus.query(expression);
    if (!result.some(({ value: [, number] }) => number !== 'NaN')) without.push(panel);
  }
  return without;
}
