// docs/reference/metrics.md has a row for every metric, with its type and labels, and no other row.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startFloeProcess } from '../packages/testkit/src/floe-process.ts';
import { listSourceFiles } from './source-files.mjs';

const PAGE = 'docs/reference/metrics.md';
const rows = new Map(
  [...readFileSync(PAGE, 'utf8').matchAll(/^\| `(floe_\w+)` \| (\w+) \| (.+?) \| \S.*\|$/gm)].map(
    ([, name, type, labels]) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label) },
    ],
  ),
);

test('every metric that the code declares has a row, and every row is declared', () => {
  const declared = new Set(
    listSourceFiles('packages/server/src', ['.ts'])
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .flatMap((text) => [...text.matchAll(/(?:name: |[gG]auge\(\s*)'(floe_\w+)'(?=,\s*(?:help:|['"`]))/g)])
      .map(([, name]) => name),
  );
  assert.deepEqual([...rows.keys()].sort(), [...declared].sort());
});

test('the metrics that a server exposes have the documented types and labels', async (t) => {
  const key = 'eis_key_of_the_test_of_the_metrics_page_1';
  const floe = await startFloeProcess({
    yaml: `orgs:
  - id: acme
    cache: { enabled: true }
    keys: [{ name: test, key: "${key}", scopes: [gateway, beat] }]
    providers: [{ id: sandbox, kind: sandbox }]
    monitors: [{ id: backup, expected_interval_minutes: 5 }]`,
  });
  t.after(() => floe.stop());
  const authorization = `Bearer ${key}`;
  const headers = { authorization, 'content-type': 'application/json' };
  const post = (path, body) =>
    fetch(`${floe.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const messages = [{ role: 'user', content: 'hello' }];
  await (
    await post('/gateway/v1/chat/completions', { model: 'sandbox/echo', messages, stream: true })
  ).text();
  assert.equal((await post('/api/monitoring/heartbeat', { monitor_id: 'backup' })).status, 200);
  const text = await (await fetch(`${floe.url}/metrics`)).text();
  const exposed = [...text.matchAll(/^# TYPE (floe_\w+) (\w+)$/gm)];
  assert.ok(exposed.length > 10, 'too few metrics were exposed');
  for (const [, name, type] of exposed) {
    assert.equal(rows.get(name)?.type, type, `${PAGE}: type of ${name}`);
    const sample = new RegExp(`^${name}(?:_bucket)?\\{(.+?)\\} `, 'm').exec(text)?.[1];
    if (sample === undefined) continue;
    const labels = [...sample.matchAll(/(\w+)="/g)]
      .map(([, label]) => label)
      .filter((label) => label !== 'le');
    assert.deepEqual(labels.sort(), [...rows.get(name).labels].sort(), `${PAGE}: labels of ${name}`);
  }
});
