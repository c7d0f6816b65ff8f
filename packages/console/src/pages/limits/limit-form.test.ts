import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_LIMIT, limitBody, limitForm, limitSentence } from './limit-form.ts';
import { SUBJECT_CHOICES } from './subject.ts';

test('a limit says in a sentence what it will do', () => {
  assert.equal(limitSentence(EMPTY_LIMIT), null);
  assert.equal(
    limitSentence({ ...EMPTY_LIMIT, subject: 'scope:key', who: 'ci', model: 'openai/*', rpm: '60' }),
    'Key ci may send 60 requests in any 60 seconds to openai/*; what is beyond gets 429 with Retry-After.',
  );
  assert.equal(
    limitSentence({ ...EMPTY_LIMIT, subject: 'per:team', rpm: '1', tpm: '20,000', concurrency: '3' }),
    'Each team may send 1 request in any 60 seconds, 20,000 tokens in any 60 seconds and 3 at the same time; what is beyond gets 429 with Retry-After.',
  );
});

test('what a form sends reads back as the same form, whomever it is about', () => {
  for (const { value: subject } of SUBJECT_CHOICES) {
    const who = subject.startsWith('scope') && subject !== 'scope:org' ? 'ci' : '';
    const form = { ...EMPTY_LIMIT, subject, who, name: 'tight', rpm: '60', model: 'openai/*' };
    assert.deepEqual(limitForm(JSON.parse(JSON.stringify(limitBody(form)))), form);
  }
});

test('what is no number is sent as it is, so that the server can say so; nothing clears', () => {
  const body = limitBody({ ...EMPTY_LIMIT, rpm: 'many', tpm: ' 1,000,000 ' });
  assert.equal(body.rpm, 'many');
  assert.equal(body.tpm, 1_000_000);
  assert.equal(body.concurrency, null);
});
