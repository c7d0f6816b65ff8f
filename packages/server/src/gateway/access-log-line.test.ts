// The lines of the access log are the JSON of a plain object, whatever the values are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyExchangeOutcome } from '@floe/contract/exchange-outcome';
import { Fault } from '@floe/contract/faults';
import fc from 'fast-check';
import {
  type ExchangeLogFields,
  type FinishedExchangeLogValues,
  formatExchangeLine,
  formatNonExchangeRequestLine,
  type LoggedNonExchangeRequest,
} from './access-log-line.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('gpt-5', 'a "b" \\ c', 'line\nbreak', '\u2028\ud800', ''),
);
const milliseconds = fc.oneof(
  fc.double({ min: 0, max: 1e12, noNaN: true }),
  fc.integer({ min: 0, max: 200_000 }).map((n) => n / 100),
  fc.constantFrom(0, 0.004, 0.005, 0.1, 1.1, 99.995, 2 ** 40 / 100, 1e15),
);
const nano = fc.oneof(fc.nat(), fc.constantFrom(1, 999, 2 ** 52));
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const request = fc.record({ model: orNull(text), stream: fc.boolean() });
const key = fc.record({ orgId: text, id: text, name: text, team: orNull(text) });
const target = fc.record({
  provider: fc.record({ id: text }),
  model: text,
  credential: fc.record({ name: text }),
});
const result = fc.record({
  state: fc.constantFrom(...(['complete', 'partial', 'aborted', 'failed', 'blocked', 'cached'] as const)),
  status: fc.integer({ min: 200, max: 599 }),
  fault: orNull(text.map((model) => new Fault('model_not_found', 'x', { model }))),
});
const source: fc.Arbitrary<ExchangeLogFields> = fc.record({
  id: fc.constant('exc_1'),
  gateway: fc.nat().map((now) => ({ clock: { now: () => now } })),
  surface: fc.constant({ name: 'chat', routeMode: 'unified' } as const),
  caller: orNull(fc.record({ key })),
  request: fc.record({ prompt: orNull(request), opaque: orNull(request) }),
  target: orNull(target),
  attempts: fc.array(fc.constant({}), { maxLength: 3 }),
  cache: orNull(fc.constantFrom(...(['hit', 'miss', 'bypass', 'refresh'] as const))),
  result,
  client: fc.record({ isDisconnected: fc.boolean() }),
});
const figures: fc.Arbitrary<FinishedExchangeLogValues> = fc.record({
  usageAndCost: fc.record({
    usage: orNull(fc.record({ units: fc.record({ input: fc.nat(), output: fc.nat() }) })),
    source: fc.constant('provider' as const),
    nanoUsd: orNull(nano),
    costSource: fc.constant(null),
  }),
  latencyMs: milliseconds,
  firstTokenMs: orNull(milliseconds),
});

const round = (ms: number | null) => (ms === null ? null : Math.round(ms * 100) / 100);

function buildPlainObject(
  x: ExchangeLogFields,
  { usageAndCost, ...times }: FinishedExchangeLogValues,
): object {
  const { caller, target: sent, result: ended } = x;
  const asked = x.request.prompt ?? x.request.opaque;
  const model = asked?.model ?? ended.fault?.detail.model ?? null;
  return {
    level: 'info',
    time: new Date(x.gateway.clock.now()),
    msg: 'exchange',
    request_id: x.id,
    org: caller?.key.orgId ?? null,
    key_id: caller?.key.id ?? null,
    key_name: caller?.key.name ?? null,
    team: caller?.key.team ?? null,
    surface: x.surface.name,
    route_mode: x.surface.routeMode,
    model_requested: model?.slice(0, 200) ?? null,
    model: sent?.model || null,
    target: sent && `${sent.provider.id}/${sent.model}@${sent.credential.name}`,
    stream: asked?.stream === true,
    status: ended.status,
    outcome: classifyExchangeOutcome({ ...ended, error_code: ended.fault?.code ?? null }),
    error_code: ended.fault?.code ?? null,
    input_tokens: usageAndCost.usage?.units.input ?? null,
    output_tokens: usageAndCost.usage?.units.output ?? null,
    cost_usd: usageAndCost.nanoUsd === null ? null : usageAndCost.nanoUsd / 1e9,
    cache: x.cache,
    attempts: x.attempts.length,
    client_disconnected: x.client.isDisconnected,
    duration_ms: round(times.latencyMs),
    first_token_ms: round(times.firstTokenMs),
  };
}

test('a line is the JSON of a plain object, also when the template is reused', () => {
  fc.assert(
    fc.property(source, figures, (x, values) => {
      const expected = `${JSON.stringify(buildPlainObject(x, values))}\n`;
      assert.equal(formatExchangeLine(x, values), expected);
      assert.equal(formatExchangeLine(x, values), expected);
    }),
    { numRuns: 2000 },
  );
});

test('a provider with several models and credentials has the line of the current ones', () => {
  const provider = { id: 'p' };
  const [x, values] = fc.sample(fc.tuple(source, figures), 1)[0] ?? assert.fail();
  for (const [model, name] of [
    ['a', 'one'],
    ['b', 'one'],
    ['b', 'two'],
    ['a', 'one'],
  ] as const) {
    const changed = { ...x, target: { provider, model, credential: { name } } };
    assert.equal(JSON.parse(formatExchangeLine(changed, values)).target, `p/${model}@${name}`);
  }
});

const gatewayCall: fc.Arbitrary<LoggedNonExchangeRequest> = fc.record({
  nowMs: fc.nat(),
  requestId: fc.constant('req_1'),
  key: orNull(key),
  routeMode: fc.constantFrom(...(['unified', 'ide'] as const)),
  operation: orNull(fc.constant('models.list')),
  method: text,
  status: fc.integer({ min: 200, max: 599 }),
  errorCode: orNull(fc.constant('not_found')),
  isDisconnected: fc.boolean(),
  durationMs: milliseconds,
});

test('a line of a request without a model call is the JSON of a plain object', () => {
  fc.assert(
    fc.property(gatewayCall, (call) => {
      const expected = {
        level: 'info',
        time: new Date(call.nowMs),
        msg: 'gateway_call',
        request_id: call.requestId,
        org: call.key?.orgId ?? null,
        key_id: call.key?.id ?? null,
        key_name: call.key?.name ?? null,
        team: call.key?.team ?? null,
        route_mode: call.routeMode,
        operation: call.operation,
        method: call.method,
        status: call.status,
        error_code: call.errorCode,
        client_disconnected: call.isDisconnected,
        duration_ms: round(call.durationMs),
      };
      assert.equal(formatNonExchangeRequestLine(call), `${JSON.stringify(expected)}\n`);
    }),
  );
});
