import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getBreakerStateDisplay } from '../breakers/breaker-state-display.ts';
import {
  describeRouteSimulation,
  doSimulationResultsDiffer,
  findModelToSimulate,
  type RouteSimulation,
  toRouteSimulationBody,
} from './simulation-form.ts';

const FORM = {
  model: 'smart',
  key: '',
  endUser: '',
  tools: false,
  images: false,
  stream: true,
  tokens: '12',
};
const target = (name: string) => ({
  provider: 'openai',
  model: name,
  credential: 'default',
  breaker: 'closed' as const,
  wait_ms: 0,
  reason: '',
});
const SENT: RouteSimulation = {
  outcome: 'sent',
  status: 200,
  code: null,
  message: null,
  steps: [],
  targets: [target('gpt-5')],
  skipped: [],
};

test('a pattern is simulated with a model that matches it', () => {
  const models = [
    { id: 'openai/fast', kind: 'alias' },
    { id: 'anthropic/claude', kind: 'model' },
    { id: 'openai/gpt-5', kind: 'model' },
    { id: 'openai/gpt-5-mini', kind: 'model' },
  ] as const;
  assert.equal(findModelToSimulate('openai/*', models), 'openai/gpt-5');
  assert.equal(findModelToSimulate('groq/*', models), '');
  assert.equal(findModelToSimulate('smart', []), 'smart');
});

test('a simulated request has the chosen fields only', () => {
  const plain = toRouteSimulationBody(FORM);
  assert.deepEqual(Object.keys(plain), ['surface', 'request']);
  assert.equal('tools' in plain.request, false);
  const full = toRouteSimulationBody(
    { ...FORM, key: 'key_1', endUser: 'u', tools: true, images: true },
    { model: 'smart' },
    'old',
  );
  assert.deepEqual(Object.keys(full), ['surface', 'request', 'key_id', 'end_user', 'draft', 'replaces']);
  assert.equal(full.request.tools?.length, 1);
});

test('a prompt has about the requested length, up to a maximum', () => {
  const length = (tokens: string) => JSON.stringify(toRouteSimulationBody({ ...FORM, tokens })).length;
  assert.ok(Math.abs(length('12000') - length('1') - 48_000) < 500);
  assert.ok(length('1e12') < 1_000_000);
  assert.equal(length('much'), length('1'));
});

test('the result is one sentence, and a draft with another result is recognized', () => {
  assert.deepEqual(describeRouteSimulation(SENT), { state: 'healthy', text: 'openai/gpt-5 would be used.' });
  assert.deepEqual(
    describeRouteSimulation({ ...SENT, outcome: 'rejected', status: 403, message: 'No.', targets: [] }),
    {
      state: 'blocked',
      text: 'Rejected with status 403: No.',
    },
  );
  // The status of the result is the status of its first target.
  for (const breaker of ['open', 'half_open', 'ramping'] as const)
    for (const wait_ms of [0, 5_000]) {
      const targets = [{ ...target('gpt-5'), breaker, wait_ms }, target('other')];
      const { state, text } = describeRouteSimulation({ ...SENT, targets });
      assert.equal(state, getBreakerStateDisplay({ state: breaker, forced: null, wait_ms }).state);
      assert.match(text, /breaker|recovered|part of the requests/);
    }
  assert.equal(doSimulationResultsDiffer(SENT, structuredClone(SENT)), false);
  assert.equal(doSimulationResultsDiffer(SENT, { ...SENT, targets: [target('other')] }), true);
  assert.equal(doSimulationResultsDiffer(SENT, { ...SENT, outcome: 'rejected', status: 429 }), true);
});
