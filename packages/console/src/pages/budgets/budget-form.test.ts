import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMIT_SUBJECT_OPTIONS } from '../limits/limit-subject.ts';
import {
  BUDGET_PERIODS,
  type Budget,
  describeBudget,
  describeForecast,
  NEW_BUDGET_FORM,
  toBudgetBody,
  toBudgetFormValues,
} from './budget-form.ts';

test('a sentence describes what a hard and a soft budget do', () => {
  assert.equal(describeBudget(NEW_BUDGET_FORM), null);
  const form = {
    ...NEW_BUDGET_FORM,
    subject: 'scope:key',
    subjectName: 'agents',
    limit_usd: '500',
  } as const;
  assert.equal(
    describeBudget(form),
    'Floe rejects new requests from key agents with status 402 after $500.00 has been spent in one calendar month. It also rejects a request whose maximum possible cost exceeds the remaining amount. Requests in progress continue. Requests to models without a price are rejected.',
  );
  assert.equal(
    describeBudget({ ...form, mode: 'soft', period: 'day', model: 'openai/*' }),
    'Requests from key agents to openai/* are still accepted after $500.00 has been spent in one day. Floe only sends alerts.',
  );
});

test('a form that is sent and read back is the same form', () => {
  for (const { value: subject } of LIMIT_SUBJECT_OPTIONS)
    for (const { value: period } of BUDGET_PERIODS) {
      const subjectName = subject.startsWith('scope') && subject !== 'scope:org' ? 'ci' : '';
      const form = {
        ...NEW_BUDGET_FORM,
        subject,
        subjectName,
        period,
        name: 'm',
        limit_usd: '0.01',
        metadata: 'team=a=b\nx=y',
      };
      assert.deepEqual(
        toBudgetFormValues(JSON.parse(JSON.stringify({ ...toBudgetBody(form), state: null }))),
        form,
      );
    }
});

const MONTH: Budget = {
  ...JSON.parse(JSON.stringify(toBudgetBody({ ...NEW_BUDGET_FORM, name: 'm', limit_usd: '10' }))),
  state: null,
};
const NOW = new Date('2026-11-16T12:00:00Z');

function forecast(state: Partial<NonNullable<Budget['state']>>) {
  const known = { remaining_nano_usd: 5e9, forecast_nano_usd: null, exhausted_at: null, resets_at: null };
  return describeForecast(JSON.parse(JSON.stringify({ ...MONTH, state: { ...known, ...state } })), NOW);
}

test('a forecast is an amount or a date, and explains that it is linear', () => {
  const resets_at = '2026-12-01T12:00:00.000Z';
  const within = forecast({ resets_at, forecast_nano_usd: 8e9 });
  assert.match(within.summary, /^\$8\.00 by .*Dec/);
  assert.match(within.explanation, /is linear/);
  const soon = forecast({ resets_at: '2026-11-17T12:00:00.000Z', forecast_nano_usd: 8e9 });
  assert.match(soon.summary, /^\$8\.00 by 1[678] Nov$/);
  const over = forecast({ resets_at, forecast_nano_usd: 20e9, exhausted_at: '2026-11-20T12:00:00.000Z' });
  assert.match(over.summary, /^Projected to be used up by .*20/);
  assert.equal(over.isOver, true);
  const gone = forecast({ resets_at, forecast_nano_usd: 20e9, spent_nano_usd: 10e9 });
  assert.deepEqual([gone.summary, gone.isOver], ['Used up', true]);
  assert.match(gone.explanation, /resets on .*Dec/);
  const reserved = forecast({ resets_at, forecast_nano_usd: 8e9, spent_nano_usd: 1, remaining_nano_usd: 0 });
  assert.equal(reserved.isOver, false, 'reservations of running requests are not spent');
  assert.equal(forecast({ resets_at }).summary, 'Not enough data');
  assert.match(forecast({}).explanation, /never resets has no forecast/);
  assert.match(describeForecast(MONTH).explanation, /counted separately/);
});
