import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SUBJECT_CHOICES } from '../limits/subject.ts';
import { budgetBody, budgetForm, budgetSentence, EMPTY_BUDGET, PERIODS } from './budget-form.ts';

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
