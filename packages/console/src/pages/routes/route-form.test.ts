import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  computeTargetShares,
  findRouteWarnings,
  NEW_ROUTE_FORM,
  type Route,
  toRouteBody,
  toRouteFormValues,
} from './route-form.ts';

const ROUTE: Route = {
  id: 'smart',
  model: 'smart',
  enabled: true,
  strategy: 'weighted',
  targets: [
    { model: 'openai/gpt-5', weight: 3 },
    { model: 'groq/llama', weight: 1 },
  ],
  retries: 0,
  rescue: 'replay',
  timeouts: { first_token_ms: 30_000, connect_ms: 250 },
  chat_reasoning: null,
  cache: 'off',
  position: 0,
  source: { kind: 'console', file: null, line: null },
  created_at: null,
  updated_at: null,
  updated_by: null,
};

test('a route that is opened and saved unchanged is the same route', () => {
  const { id, chat_reasoning, position, source, created_at, updated_at, updated_by, ...fields } = ROUTE;
  assert.deepEqual(toRouteBody(toRouteFormValues(ROUTE)), fields);
});

test('timeouts are seconds in the form and milliseconds in the API; text that is not a number is sent unchanged', () => {
  assert.equal(toRouteFormValues(ROUTE).timeouts.connect_ms, '0.25');
  const body = toRouteBody({
    ...NEW_ROUTE_FORM,
    timeouts: { ...NEW_ROUTE_FORM.timeouts, idle_ms: '1.5', total_ms: 'long' },
  });
  assert.deepEqual(body.timeouts, { idle_ms: 1500, total_ms: 'long' });
});

test('shares add up to one, or are all zero while there is no weight', () => {
  const shares = (...weights: string[]) => computeTargetShares(weights.map((weight) => ({ weight })));
  assert.deepEqual(shares('3', '1'), [0.75, 0.25]);
  assert.deepEqual(shares('', '1'), [0.5, 0.5]);
  assert.deepEqual(shares('0', 'x'), [0, 0]);
  assert.deepEqual(shares(), []);
});

test('one provider for all targets and a duplicate target cause warnings', () => {
  const warnings = (...models: string[]) =>
    findRouteWarnings({
      targets: models.map((model, index) => ({ key: String(index), model, weight: '1' })),
    });
  assert.deepEqual(warnings('a/x'), []);
  assert.deepEqual(warnings('a/x', 'b/x'), []);
  assert.deepEqual(warnings('a/x', 'a/y'), [
    'All targets use the provider a. If it fails, this route fails too.',
  ]);
  assert.deepEqual(warnings('a/x', 'b/x', 'a/x'), ['The target a/x is listed twice.']);
});
