import assert from 'node:assert/strict';
import { test } from 'node:test';
import { standingOf } from '../breakers/breaker-state.ts';
import { isDifferent, type Simulated, simulationBody, verdictOf } from './simulation-form.ts';

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
  because: '',
});
const SENT: Simulated = {
  outcome: 'sent',
  status: 200,
  code: null,
  message: null,
  steps: [],
  targets: [target('gpt-5')],
  skipped: [],
};

test('a simulated request has what was chosen and nothing else', () => {
  const plain = simulationBody(FORM);
  assert.deepEqual(Object.keys(plain), ['surface', 'request']);
  assert.equal('tools' in plain.request, false);
  const full = simulationBody(
    { ...FORM, key: 'key_1', endUser: 'u', tools: true, images: true },
    { model: 'smart' },
    'old',
  );
  assert.deepEqual(Object.keys(full), ['surface', 'request', 'key_id', 'end_user', 'draft', 'replaces']);
  assert.equal(full.request.tools?.length, 1);
});

test('a prompt is about as long as was asked for, and never endless', () => {
  const length = (tokens: string) => JSON.stringify(simulationBody({ ...FORM, tokens })).length;
  assert.ok(Math.abs(length('12000') - length('1') - 48_000) < 500);
  assert.ok(length('1e12') < 1_000_000);
  assert.equal(length('much'), length('1'));
});

test('the verdict is one line, and a draft that leads elsewhere is told apart', () => {
  assert.deepEqual(verdictOf(SENT), { state: 'healthy', text: 'openai/gpt-5 would be used.' });
  assert.deepEqual(verdictOf({ ...SENT, outcome: 'rejected', status: 403, message: 'No.', targets: [] }), {
    state: 'blocked',
    text: 'Refused with 403: No.',
  });
  // The headline never looks better than the target it names.
  for (const breaker of ['open', 'half_open', 'ramping'] as const)
    for (const wait_ms of [0, 5_000]) {
      const targets = [{ ...target('gpt-5'), breaker, wait_ms }, target('other')];
      const { state, text } = verdictOf({ ...SENT, targets });
      assert.equal(state, standingOf({ state: breaker, forced: null, wait_ms }).state);
      assert.match(text, /breaker|part of the requests/);
    }
  assert.equal(isDifferent(SENT, structuredClone(SENT)), false);
  assert.equal(isDifferent(SENT, { ...SENT, targets: [target('other')] }), true);
  assert.equal(isDifferent(SENT, { ...SENT, outcome: 'rejected', status: 429 }), true);
});
