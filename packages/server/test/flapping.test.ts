// A provider that is down for a while and then well again: served by the next one meanwhile, and asked again soon.
// Tier: ci. Waits for an upstream that comes and goes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { assertAllServed, ClientLoad, IS_FULL_RUN, PRICED_ANSWER } from './dependency-fleet.ts';
import { buildGuardedConfig } from './guarded-gateway.ts';

/** A minute, with the breaker as it comes; else as many answers as show the same, with one that opens for moments. */
const DOWN_MS = IS_FULL_RUN ? 60_000 : 0;
const DOWN_ANSWERS = 300;
const OPEN_MS = 100;
const BREAKER: JsonObject = IS_FULL_RUN ? {} : { open_ms: OPEN_MS, consecutive_failures: 5 };
/** Returned to within 30 seconds of its recovery. */
const RETURN_MS = 30_000;
/** Failures in a row that open it, those under way by then, and a probe for each open span. */
const callsWhileDown = (ms: number) => (IS_FULL_RUN ? 60 : 40 + ms / OPEN_MS);

test('a provider that is down and recovers costs no response, receives few requests meanwhile, and is used again', async (t) => {
  const [first, second] = [
    await startFakeUpstream({ respond: () => PRICED_ANSWER }),
    await startFakeUpstream({ respond: () => PRICED_ANSWER }),
  ];
  t.after(() => Promise.all([first.close(), second.close()]));
  const provider = (id: string, url: string) => ({
    id,
    kind: 'openai-compatible',
    base_url: `${url}/v1`,
    api_key: 'upstream-secret',
    models: ['model'],
    breaker: BREAKER,
  });
  const floe = await startFloeProcess({
    yaml: JSON.stringify(
      buildGuardedConfig(first.url, {
        providers: [provider('first', first.url), provider('second', second.url)],
        routes: [{ model: 'smart/model', targets: ['first/model', 'second/model'], retries: 0 }],
      }),
    ),
  });
  t.after(() => floe.stop());
  const load = new ClientLoad([floe.url], 'smart');
  t.after(() => load.stop());
  load.start();
  await load.through(50);
  assert.equal(second.requests.length, 0, 'the first serves while it is well');

  const before = first.requests.length;
  await first.setFaults(findInjectedFault('unavailable'));
  const since = performance.now();
  do await load.through(DOWN_ANSWERS);
  while (performance.now() - since < DOWN_MS);
  const probes = first.requests.length - before;
  assert.match(floe.output(), /breaker opened/);
  assert.ok(
    probes <= callsWhileDown(performance.now() - since),
    `it was asked ${probes} times while it was down`,
  );
  assert.ok(second.requests.length >= DOWN_ANSWERS / 2);

  await first.setFaults();
  const backAt = performance.now();
  let took = 0;
  for (let asked = first.requests.length; first.requests.length < asked + 5; ) {
    await load.through(10);
    took = performance.now() - backAt;
    assert.ok(took <= RETURN_MS, 'it is asked again within half a minute');
  }
  // The share that it is given grows until it has all.
  await eventually(async () => {
    const others = second.requests.length;
    await load.through(20);
    return second.requests.length === others ? true : undefined;
  });
  await load.stop();
  assertAllServed(load.all, 'nobody heard of it');
  t.diagnostic(
    `${load.all.length} answers, all served; ${probes} calls to the provider while it was down, back after ${Math.round(took)} ms`,
  );
});
