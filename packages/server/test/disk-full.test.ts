// A data directory whose disk is full, while requests with a limit, a hard budget and a cache go on.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import {
  ANSWER_COST_NANO_USD,
  assertAllServed,
  ClientLoad,
  PRICED_ANSWER,
  pricedProviderConfig,
  readHealth,
  readMetric,
} from './dependency-fleet.ts';
import { buildGuardedConfig, createGatewayCalls } from './guarded-gateway.ts';
import { GATEWAY_KEYS } from './running-gateway.ts';
import { fillDisk, mountSmallDisk } from './small-disk.ts';

test('a full disk: requests without a need for it are served, a hard budget rejects, and nothing is lost when there is space', async (t) => {
  const home = mountSmallDisk(t);
  if (home === null) return t.skip('a file system of its own needs root and mount(8)');
  const upstream = await startFakeUpstream({ respond: () => PRICED_ANSWER });
  t.after(() => upstream.close());
  const floe = await startFloeProcess({
    dataDir: join(home, 'data'),
    yaml: JSON.stringify(
      buildGuardedConfig(upstream.url, {
        limits: [{ name: 'all', scope: 'org', rpm: 1_000_000, concurrency: 100 }],
        budgets: [
          { name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd: 1_000, model: 'priced/*' },
          { name: 'soft', scope: 'org', period: 'total', mode: 'soft', limit_usd: 1_000, model: 'soft/*' },
        ],
        cache: { enabled: true, ttl_seconds: 3600, scope: 'org' },
        providers: [pricedProviderConfig('priced', upstream.url), pricedProviderConfig('soft', upstream.url)],
      }),
    ),
  });
  t.after(() => floe.stop());
  const [hard, soft] = [new ClientLoad([floe.url], 'priced'), new ClientLoad([floe.url], 'soft')];
  t.after(() => Promise.all([hard.stop(), soft.stop()]));
  for (const load of [hard, soft]) load.start();
  assertAllServed((await Promise.all([hard.through(), soft.through()])).flat(), 'with room');

  const filler = join(home, 'filler');
  fillDisk(filler);
  await floe.waitForOutput(/spool is not writable/);
  const [refused, served] = await Promise.all([hard.through(), soft.through()]);
  assertAllServed(served, 'what no hard budget pays is served');
  const fresh = refused.filter(({ isCacheHit }) => !isCacheHit);
  for (const { status, text } of refused.filter(({ isCacheHit, status }) => !isCacheHit && status !== 200))
    assert.deepEqual([status, /"code":"overloaded"/.test(text)], [503, true], text);
  assert.ok(
    fresh.some(({ status }) => status === 503),
    'what could not be written down was not sent',
  );
  assert.deepEqual(await readHealth(floe), [200, 200, 200]);
  const waiting = await readMetric(floe, 'floe_spool_pending_rows');
  assert.ok(waiting > 0, 'rows waited');

  rmSync(filler);
  await floe.waitForOutput(/spool is writable again/);
  assertAllServed((await Promise.all([hard, soft].map(served200))).flat(), 'with room again');
  await Promise.all([hard.stop(), soft.stop()]);
  await eventually(async () =>
    (await readMetric(floe, 'floe_spool_pending_rows')) === 0 ? true : undefined,
  );
  const stored = await storedIds(floe.url);
  const answered = [...hard.all, ...soft.all];
  assert.deepEqual(
    answered.filter(({ id }) => !stored.has(id)),
    [],
    'every answer has its row',
  );
  const due = upstream.requests.length * ANSWER_COST_NANO_USD;
  await eventually(async () => ((await spent(floe.url)) === due ? true : undefined));
  const refusals = refused.filter(({ status }) => status === 503).length;
  t.diagnostic(
    `${answered.length} answers, ${refusals} refused by the hard budget, ${waiting} rows waited, 0 lost; ${due / 1e9} USD spent`,
  );
});

/** A hold that was waiting as room came may still be refused: what began later is not. */
async function served200(load: ClientLoad) {
  return eventually(async () => {
    const heard = await load.through(20);
    return heard.every(({ status }) => status === 200) ? heard : undefined;
  });
}

async function spent(url: string): Promise<number> {
  const text = (await createGatewayCalls(url).callApi('/gateway/v1/key')).text;
  return [...text.matchAll(/"spent_nano_usd":(\d+)/g)].reduce((sum, [, nano]) => sum + Number(nano), 0);
}

async function storedIds(url: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (let cursor = ''; ; ) {
    const path = `/api/analytics/requests?limit=500${cursor}`;
    const page = (await callHttp(url + path, { headers: { 'x-api-key': GATEWAY_KEYS.full } })).text;
    for (const [, id] of page.matchAll(/"id":"([^"]+)"/g)) ids.add(id ?? '');
    const [, next] = /"next_cursor":"([^"]+)"/.exec(page) ?? [];
    if (next === undefined) return ids;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}
