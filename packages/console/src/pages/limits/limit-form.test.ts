import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeLimit, NEW_LIMIT_FORM, toLimitBody, toLimitFormValues } from './limit-form.ts';
import { LIMIT_SUBJECT_OPTIONS } from './limit-subject.ts';

test('a sentence describes what the limit does', () => {
  assert.equal(describeLimit(NEW_LIMIT_FORM), null);
  assert.equal(
    describeLimit({
      ...NEW_LIMIT_FORM,
      subject: 'scope:key',
      subjectName: 'ci',
      model: 'openai/*',
      rpm: '60',
    }),
    'Key ci can send at most 60 requests in any 60 seconds to openai/*. Floe rejects further requests with status 429 and a Retry-After header.',
  );
  assert.equal(
    describeLimit({ ...NEW_LIMIT_FORM, subject: 'per:team', rpm: '1', tpm: '20,000', concurrency: '3' }),
    'Each team can send at most 1 request in any 60 seconds, 20,000 tokens in any 60 seconds and 3 concurrent requests. Floe rejects further requests with status 429 and a Retry-After header.',
  );
});

test('a form that is sent and read back is the same form, for every subject', () => {
  for (const { value: subject } of LIMIT_SUBJECT_OPTIONS) {
    const subjectName = subject.startsWith('scope') && subject !== 'scope:org' ? 'ci' : '';
    const form = { ...NEW_LIMIT_FORM, subject, subjectName, name: 'tight', rpm: '60', model: 'openai/*' };
    assert.deepEqual(toLimitFormValues(JSON.parse(JSON.stringify(toLimitBody(form)))), form);
  }
});

test('text that is not a number is sent unchanged, so that the server reports it; an empty field clears the bound', () => {
  const body = toLimitBody({ ...NEW_LIMIT_FORM, rpm: 'many', tpm: ' 1,000,000 ' });
  assert.equal(body.rpm, 'many');
  assert.equal(body.tpm, 1_000_000);
  assert.equal(body.concurrency, null);
});

test('a limit without a maximum is reported with the labels of the fields', () => {
  assert.throws(() => toLimitBody(NEW_LIMIT_FORM), /requests per minute, tokens per minute or concurrency/);
});
