import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { isObject, type JsonObject } from '@floe/contract/json';
import { type CallOptions, call } from '@floe/testkit/client';
import { type Floe, startFloe } from '@floe/testkit/process';
import { openDatabase } from '../src/store/open-database.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { beatToken } from '../src/monitoring/beat-token.ts';
import { derivePepper } from '../src/platform/keyring.ts';

const KEY = `eis_all${'0'.repeat(40)}`;
const BEAT_ONLY = `eis_beat${'0'.repeat(40)}`;
const GATEWAY_ONLY = `eis_gateway${'0'.repeat(40)}`;
const OTHERS = `eis_others${'0'.repeat(40)}`;
const SECRET = 'secret'.repeat(8);

const config = {
  orgs: [
    {
      id: 'acme',
      keys: [
        { name: 'all', key: KEY, scopes: ['monitoring'] },
        { name: 'beat', key: BEAT_ONLY, scopes: ['beat'] },
        { name: 'gateway', key: GATEWAY_ONLY, scopes: ['gateway'] },
      ],
      monitors: [
        { id: 'nightly', expected_interval_minutes: 1440, grace_period_minutes: 30 },
        { id: 'cron', schedule: { cron: '0 3 * * *', timezone: 'Europe/Riga' } },
        { id: 'by-url', expected_interval_minutes: 5 },
        { id: 'paused', expected_interval_minutes: 5, paused: true },
      ],
    },
    { id: 'other', keys: [{ name: 'others', key: OTHERS, scopes: ['monitoring'] }] },
  ],
};

let floe: Floe;
let stopped = false;
before(async () => {
  floe = await startFloe({ yaml: JSON.stringify(config), env: { FLOE_SECRET_KEY: SECRET } });
});
after(async () => {
  if (!stopped) await floe.stop();
});

function beat(body: unknown, options: CallOptions = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json', ...options.headers };
  return call(`${floe.url}/api/monitoring/heartbeat`, { method: 'POST', body: text, ...options, headers });
}

function member(body: unknown, name: string): unknown {
  return isObject(body as JsonObject) ? (body as JsonObject)[name] : undefined;
}
