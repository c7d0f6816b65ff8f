import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SUBJECT_CHOICES } from '../limits/subject.ts';
import {
  type Budget,
  budgetBody,
  budgetForm,
  budgetSentence,
  EMPTY_BUDGET,
  forecastOf,
  PERIODS,
} from './budget-form.ts';

test('a budget says what it refuses, and when it only tells', () => {
  assert.equal(budgetSentence(EMPTY_BUDGET), null);
  const form = { ...EMPTY_BUDGET, subject: 'scope:key', who: 'agents', limit_usd: '500' } as const;
  assert.equal(
    budgetSentence(form),
    'The next requests of key agents are refused with 402 once $500.00 in a calendar month are spent. What is under way is finished.',
  );
  assert.equal(
    budgetSentence({ ...form, mode: 'soft', period: 'day', model: 'openai/*' }),
    'Requests of key agents to openai/* go on beyond $500.00 in a day; alerts are sent.',
  );
});

test('what a form sends reads back as the same form', () => {
  for (const { value: subject } of SUBJECT_CHOICES)
    for (const { value: period } of PERIODS) {
      const who = subject.startsWith('scope') && subject !== 'scope:org' ? 'ci' : '';
      const form = {
        ...EMPTY_BUDGET,
        subject,
        who,
        period,
        name: 'm',
        limit_usd: '0.01',
        metadata: 'team=a=b\nx=y',
      };
      assert.deepEqual(budgetForm(JSON.parse(JSON.stringify({ ...budgetBody(form), state: null }))), form);
    }
});

const MONTH: Budget = {
  ...JSON.parse(JSON.stringify(budgetBody({ ...EMPTY_BUDGET, name: 'm', limit_usd: '10' }))),
  state: null,
};
const NOW = new Date('2026-11-16T12:00:00Z');

function forecast(state: Partial<NonNullable<Budget['state']>>) {
  const known = { remaining_nano_usd: 5e9, forecast_nano_usd: null, exhausted_at: null, resets_at: null };
  return forecastOf(JSON.parse(JSON.stringify({ ...MONTH, state: { ...known, ...state } })), NOW);
}

test('a forecast is a sum or a day, and says that it is a straight line', () => {
  const resets_at = '2026-12-01T12:00:00.000Z';
  const within = forecast({ resets_at, forecast_nano_usd: 8e9 });
  assert.match(within.text, /^\$8\.00 by .*Dec/);
  assert.match(within.how, /straight line/);
  const over = forecast({ resets_at, forecast_nano_usd: 20e9, exhausted_at: '2026-11-20T12:00:00.000Z' });
  assert.match(over.text, /^full .*20/);
  assert.equal(over.isOver, true);
  const gone = forecast({ resets_at, forecast_nano_usd: 20e9, spent_nano_usd: 10e9 });
  assert.deepEqual([gone.text, gone.isOver], ['used up', true]);
  assert.match(gone.how, /until .*Dec/);
  const reserved = forecast({ resets_at, forecast_nano_usd: 8e9, spent_nano_usd: 1, remaining_nano_usd: 0 });
  assert.equal(reserved.isOver, false, 'what requests under way reserve is not used up');
  assert.equal(forecast({ resets_at }).text, 'too early');
  assert.match(forecast({}).how, /Without an end/);
  assert.match(forecastOf(MONTH).how, /Each has a sum of its own/);
});
