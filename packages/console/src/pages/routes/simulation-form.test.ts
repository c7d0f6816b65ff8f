import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  assert.equal(verdictOf(SENT), 'openai/gpt-5 would be used.');
  assert.equal(
    verdictOf({ ...SENT, outcome: 'refused', status: 403, message: 'No.', targets: [] }),
    'Refused with 403: No.',
  );
  assert.equal(isDifferent(SENT, structuredClone(SENT)), false);
  assert.equal(isDifferent(SENT, { ...SENT, targets: [target('other')] }), true);
  assert.equal(isDifferent(SENT, { ...SENT, outcome: 'refused', status: 429 }), true);
});
