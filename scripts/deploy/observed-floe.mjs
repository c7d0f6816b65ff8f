// A Floe with everything that the dashboards show: providers that fail, limits, budgets, teams, a cache, monitors, alerts.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { startFloeProcess } from '../../packages/testkit/src/floe-process.ts';
import { startDedicatedRedis } from '../../packages/testkit/src/redis.ts';
import { freePort } from './prometheus-server.mjs';

const KEYS = {
  full: `eis_full${'0'.repeat(32)}`,
  limited: `eis_limited${'0'.repeat(32)}`,
};

function configuration(metricsPort, webhook) {
  const prices = { echo: { input: 1000, output: 1000 } };
  return {
    server: { listeners: [{ host: '127.0.0.1', port: metricsPort, surfaces: ['metrics'] }] },
    orgs: [
      {
        id: 'acme',
        teams: [{ id: 'search' }],
        cache: { enabled: true },
        keys: [
          { name: 'full', key: KEYS.full, team: 'search', scopes: ['gateway', 'beat', 'read', 'management'] },
          { name: 'limited', key: KEYS.limited, scopes: ['gateway'] },
        ],
        limits: [{ name: 'limited', scope: 'key', key: 'limited', rpm: 1 }],
        providers: [
          { id: 'sandbox', kind: 'sandbox', prices },
          { id: 'spare', kind: 'sandbox', prices },
        ],
        routes: [{ model: 'smart', targets: ['sandbox/flaky', 'spare/echo'], retries: 1 }],
        channels: [{ name: 'hook', kind: 'webhook', url: webhook }],
        monitors: [
          { id: 'backup', expected_interval_minutes: 60, channels: ['hook'] },
          { id: 'report', expected_interval_minutes: 60, channels: ['hook'] },
          { id: 'overdue', expected_interval_minutes: 0.5, grace_period_minutes: 0 },
        ],
      },
    ],
  };
}

/** Starts Floe with Redis and a receiver of alerts. `metricsTarget` is host:port of its listener for metrics. */
export async function startObservedFloe() {
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const redis = await startDedicatedRedis();
  const port = await freePort();
  const webhook = `http://127.0.0.1:${receiver.address().port}/`;
  const floe = await startFloeProcess({
    yaml: JSON.stringify(configuration(port, webhook)),
    env: { FLOE_REDIS_URL: redis.url },
  });
  return {
    floe,
    redis,
    metricsTarget: `127.0.0.1:${port}`,
    async stop() {
      await floe.stop();
      await redis.stop();
      receiver.close();
    },
  };
}

/** Requests, beats and API calls until `isOver` returns true; Redis fails once, and floe.yaml changes once. */
export async function runLoad({ floe, redis }, isOver) {
  const call = (path, body, key = KEYS.full, headers = {}) =>
    fetch(floe.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const chat = async (model, content, { stream = false, key = KEYS.full } = {}) => {
    const body = { model, stream, messages: [{ role: 'user', content }] };
    // A stream that the sandbox cuts ends with an error, which is what the test wants.
    await (await call('/gateway/v1/chat/completions', body, key)).text().catch(() => '');
  };
  const { beat_url: beatUrl } = await (await call('/api/monitoring/monitors/report')).json();
  await call('/api/monitoring/heartbeat', { monitor_id: 'overdue' });
  for (let round = 0; !isOver(); round += 1) {
    await chat('sandbox/echo', `request ${round}`);
    await chat('sandbox/echo', `stream ${round}`, { stream: true });
    await chat('sandbox/echo', 'the same request');
    await chat('sandbox/flaky', `fail cut in round ${round}`, { stream: true });
    await chat('smart', `fail 500 in round ${round}`);
    await chat('sandbox/echo', `limited ${round}`, { key: KEYS.limited });
    await call('/api/monitoring/heartbeat', { monitor_id: 'backup' });
    await call('/api/management/keys');
    if (round % 20 === 0) await fetch(`${beatUrl}/fail`, { method: 'POST' });
    if (round === 10) await redis.crash();
    if (round === 25) await redis.start();
    if (round === 30) appendFileSync(floe.configFile, '\n# changed\n');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
