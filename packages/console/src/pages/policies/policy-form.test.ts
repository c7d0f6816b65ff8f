import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  describePolicyCondition,
  NEW_POLICY_FORM,
  POLICY_EXAMPLES,
  type Policy,
  parseJsonObject,
  toDryRunPolicy,
  toPolicyBody,
  toPolicyFormValues,
} from './policy-form.ts';

test('a form that is sent and read back is the same form', () => {
  for (const { form } of [
    ...POLICY_EXAMPLES,
    { form: { ...NEW_POLICY_FORM, name: 'x', pii: ['email', 'iban'] } },
  ]) {
    const shown: Policy = JSON.parse(JSON.stringify(toPolicyBody(form)));
    assert.deepEqual(toPolicyFormValues(shown), form);
  }
});

test('a policy for a dry run has no empty fields, and always a name', () => {
  const tried = toDryRunPolicy({ ...NEW_POLICY_FORM, when: 'true' });
  assert.deepEqual(Object.keys(tried).sort(), ['action', 'enabled', 'mode', 'name', 'on', 'when']);
  assert.equal(tried['name'], 'draft');
});

test('the condition of a policy is described', () => {
  assert.equal(describePolicyCondition({ when: 'true', detect: null }), 'true');
  assert.equal(
    describePolicyCondition({ when: "team == 'a'", detect: { secrets: true, pii: ['us_ssn'] } }),
    "team == 'a' and finds secrets, us ssn",
  );
});

test('JSON text is parsed to an object, or the problem is returned', () => {
  assert.deepEqual(parseJsonObject('{"a":1}'), { object: { a: 1 } });
  for (const text of ['', '{', '[]', '1', 'null']) assert.ok('problem' in parseJsonObject(text), text);
});
