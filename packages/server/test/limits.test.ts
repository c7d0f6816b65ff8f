// Tier: ci. Waits for real windows of limits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { type GuardedGateway, startGuardedGateway } from './guarded-gateway.ts';
import { GATEWAY_KEYS } from './running-gateway.ts';
import { waitForRows } from './wait-for-rows.ts';

function errorOf(answer: HttpCallResponse): JsonObject {
  const body = answer.json();
  return isJsonObject(body) && isJsonObject(body.error) ? body.error : {};
}

/** What the key is told of its first limit. */
async function limitOf({ callApi }: GuardedGateway): Promise<JsonObject> {
  const body = (await callApi('/gateway/v1/key')).json();
  const limits = isJsonObject(body) && Array.isArray(body.limits) ? body.limits : [];
  return isJsonObject(limits[0]) ? limits[0] : {};
}

test('the third request of a limit of two a minute is a 429 with the exact wait, and reaches no provider', async (t) => {
  const gateway = await startGuardedGateway(t, { org: { limits: [{ name: 'two', scope: 'org', rpm: 2 }] } });
  const first = await gateway.chat();
  assert.equal(first.status, 200, first.text);
  assert.equal(first.headers['x-ratelimit-limit-requests'], '2');
  assert.equal(first.headers['x-ratelimit-remaining-requests'], '1');
  assert.match(first.headers['x-ratelimit-reset-requests'] ?? '', /^(1m0(\.\d+)?s|1m1s|[56]\d(\.\d+)?s)$/);
  const stream = await gateway.chat({ stream: true });
  assert.equal(stream.headers['x-ratelimit-remaining-requests'], '0');
  const third = await gateway.chat();
  assert.equal(third.status, 429);
  assert.equal(errorOf(third).code, 'rate_limit_exceeded');
  assert.match(String(errorOf(third).message), /"two" allows 2 requests in 60 seconds/);
  assert.equal(third.headers['x-floe-error-source'], 'gateway');
  assert.equal(third.headers['x-ratelimit-remaining-requests'], '0');
  const waitMs = Number(third.headers['retry-after-ms']);
  assert.ok(waitMs > 50_000 && waitMs <= 61_000, `about a minute: ${waitMs}`);
  assert.equal(third.headers['retry-after'], String(Math.ceil(waitMs / 1000)));
  assert.equal((await gateway.upstream.waitForRequests(2)).length, 2);
  const id = String(third.headers['x-request-id']);
  const row = (await waitForRows(gateway.floe.url, GATEWAY_KEYS.full, [id])).get(id);
  const decisions = Array.isArray(row?.decisions) ? row.decisions : [];
  const last = decisions.at(-1);
  assert.deepEqual(
    isJsonObject(last) && last.rule,
    { kind: 'limit', id: 'two' },
    'the row leads to the rule',
  );
  assert.equal(isJsonObject(last) && Math.ceil(Number(last.retry_after_ms)), waitMs);
});

test('an invalid request counts for the RPM limit, and a 429 comes before its error', async (t) => {
  const gateway = await startGuardedGateway(t, { org: { limits: [{ scope: 'org', rpm: 3, tpm: 100_000 }] } });
  const broken = await gateway.chat({ messages: 'none' });
  assert.equal(broken.status, 400);
  assert.equal(broken.headers['x-ratelimit-remaining-requests'], '2');
  assert.equal(broken.headers['x-ratelimit-remaining-tokens'], '100000');
  const unknown = await gateway.chat({ model: 'nobody/model' });
  assert.equal(unknown.status, 404);
  assert.equal(unknown.headers['x-ratelimit-remaining-requests'], '1');
  const foreign = await gateway.chat({}, GATEWAY_KEYS.narrow);
  assert.equal(foreign.status, 403);
  assert.equal((await gateway.chat({ messages: 'none' })).status, 429, 'not 400');
  assert.equal((await gateway.chat({}, `eis_none${'0'.repeat(32)}`)).status, 401, 'not 429');
});

test('tokens are reserved by estimate, settled with the reported usage, and returned without a response', async (t) => {
  const gateway = await startGuardedGateway(t, { org: { limits: [{ scope: 'org', tpm: 10_000 }] } });
  const answer = await gateway.chat({ max_tokens: 5_000 });
  assert.equal(answer.status, 200);
  const left = Number(answer.headers['x-ratelimit-remaining-tokens']);
  assert.ok(left < 5_000 && left > 4_900, `5,000 and the input are reserved: ${left}`);
  assert.equal((await limitOf(gateway)).tpm_used, 48, '17 in, 31 out');
  await gateway.upstream.setFaults(findInjectedFault('unavailable'));
  assert.equal((await gateway.chat({ max_tokens: 5_000 })).status, 502);
  assert.equal((await limitOf(gateway)).tpm_used, 48, 'a failed request spent none');
  await gateway.upstream.setFaults();
  const huge = await gateway.chat({ max_tokens: 1_000_000 });
  assert.equal(huge.status, 429, 'all that may be asked for is the whole limit, and 48 are spent');
});

test('a limit on a model applies to its aliases, and a limit per key counts each key', async (t) => {
  const limits = [
    { name: 'priced', scope: 'org', model: 'priced/*', rpm: 2 },
    { name: 'each', per: 'key', rpm: 3 },
  ];
  const routes = [{ model: 'smart', targets: ['priced/model'], retries: 0 }];
  const gateway = await startGuardedGateway(t, { org: { limits, routes } });
  assert.equal((await gateway.chat({ model: 'smart' })).status, 200);
  assert.equal((await gateway.chat()).status, 200);
  const refused = await gateway.chat({ model: 'smart' });
  assert.match(String(errorOf(refused).message), /"priced"/);
  assert.equal(
    (await gateway.chat({ model: 'sandbox/echo' })).status,
    200,
    'another model, the third of the key',
  );
  assert.match(String(errorOf(await gateway.chat({ model: 'sandbox/echo' })).message), /"each"/);
  assert.equal(
    (await gateway.chat({ model: 'sandbox/echo' }, GATEWAY_KEYS.narrow)).status,
    200,
    'another key',
  );
});

test('concurrent requests are limited, and a disconnected client releases its slot', async (t) => {
  const gateway = await startGuardedGateway(t, {
    org: { limits: [{ name: 'one', scope: 'org', concurrency: 1 }] },
    upstream: { script: [{}], faults: [findInjectedFault('accept-and-silence')] },
  });
  const leave = new AbortController();
  const hanging = callHttp(`${gateway.floe.url}/gateway/v1/chat/completions`, {
    headers: { authorization: `Bearer ${GATEWAY_KEYS.full}` },
    body: { model: 'priced/model', messages: [{ role: 'user', content: 'Hello' }] },
    signal: leave.signal,
  });
  const [request] = await gateway.upstream.waitForRequests(1);
  const second = await gateway.chat({ model: 'sandbox/echo' });
  assert.equal(second.status, 429);
  assert.match(String(errorOf(second).message), /"one" allows 1 concurrent request\./);
  leave.abort();
  await assert.rejects(hanging);
  await request?.settled;
  await eventually(async () => {
    assert.equal((await gateway.chat({ model: 'sandbox/echo' })).status, 200, 'the place is given back');
    return true;
  });
});

test('clients of the Messages dialect read their limits in its own headers', async (t) => {
  const gateway = await startGuardedGateway(t, { org: { limits: [{ scope: 'org', rpm: 5, tpm: 50_000 }] } });
  const answer = await callHttp(`${gateway.floe.url}/gateway/v1/messages`, {
    headers: { 'x-api-key': GATEWAY_KEYS.full },
    body: { model: 'sandbox/echo', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] },
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['anthropic-ratelimit-requests-limit'], '5');
  assert.equal(answer.headers['anthropic-ratelimit-requests-remaining'], '4');
  assert.ok(Date.parse(answer.headers['anthropic-ratelimit-tokens-reset'] ?? '') > 0);
  assert.equal(answer.headers['x-ratelimit-limit-tokens'], '50000');
});

test('an organization without limits receives no limit headers', async (t) => {
  const gateway = await startGuardedGateway(t, { org: {} });
  const answer = await gateway.chat();
  assert.equal(answer.status, 200);
  assert.deepEqual(
    Object.keys(answer.headers).filter((name) => name.includes('ratelimit')),
    [],
  );
});
