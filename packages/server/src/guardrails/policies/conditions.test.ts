import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PolicySchema } from '@floe/contract/config/limits-cache-policies';
import type { JsonObject } from '@floe/contract/json';
import { holds, judged, requestOf } from '../test/policy-requests.ts';
import { findPolicyError } from './policies.ts';
import type { PolicyRequest } from './policy-request-view.ts';

const SAYS = 'Mail me at the office, and keep the launch code 0000 to yourself';
const DIALECTS: Record<string, PolicyRequest> = {
  chat: requestOf({
    model: 'up/m',
    max_completion_tokens: 9000,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: SAYS }] },
    ],
    tools: [{ type: 'function', function: { name: 'search' } }],
  }),
  responses: requestOf(
    {
      model: 'up/m',
      max_output_tokens: 9000,
      instructions: 'Be brief.',
      input: [{ role: 'user', content: [{ type: 'input_text', text: SAYS }] }],
      tools: [{ type: 'function', name: 'search' }],
    },
    { surface: 'responses' },
  ),
  messages: requestOf(
    {
      model: 'up/m',
      max_tokens: 9000,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: SAYS }] }],
      tools: [{ name: 'search', input_schema: {} }],
    },
    { surface: 'messages' },
  ),
};

for (const [surface, request] of Object.entries(DIALECTS))
  test(`a condition reads the same values from a ${surface} body as from any other`, () => {
    for (const [when, expected] of [
      ['request.max_tokens > 8000', true],
      ['request.max_tokens > 9000', false],
      ['request.text.contains("launch code")', true],
      ['request.text.matches("(?i)LAUNCH  code")', false],
      ['request.messages.exists(m, m.role == "user" && m.text.contains("launch code"))', true],
      ['request.messages.exists(m, m.role == "user" && m.text.contains("brief"))', false],
      ['request.system == "Be brief."', true],
      ['request.tools == ["search"]', true],
      ['["alpha", "launch"].exists(w, request.messages.exists(m, m.text.contains(w)))', true],
      ['request.model.startsWith("up/") && !request.stream && request.bytes > 100', true],
      ['key == "ci" && team == "platform" && owner == "" && end_user == ""', true],
      [`surface == "${surface}"`, true],
      ['has(metadata.project)', false],
    ] as const)
      assert.equal(holds(when, request), expected, when);
  });

test('embedding inputs are messages, and absent values are zero or empty', () => {
  const one = requestOf({ model: 'up/m', input: 'launch code' }, { surface: 'embeddings' });
  const many = requestOf({ model: 'up/m', input: ['a', 'launch code'] }, { surface: 'embeddings' });
  for (const request of [one, many]) assert.ok(holds('request.text.contains("launch code")', request));
  assert.ok(holds('request.max_tokens == 0 && request.temperature == 0.0 && request.tools.size() == 0', one));
});

test('metadata contains what the caller sent', () => {
  const request = requestOf({ messages: [] }, { metadata: { project: 'x', n: 3, deep: { a: [1] } } });
  assert.ok(holds('metadata.project == "x" && metadata.n > 2 && metadata.deep.a[0] == 1', request));
});

test('if a condition cannot be evaluated, deny and redact apply, and allow and flag do not', () => {
  const request = requestOf({ messages: [{ role: 'user', content: 'ada@example.org' }] });
  const when = 'metadata.project == "x"';
  const outcomes = (action: string, more: JsonObject = {}) =>
    judged([{ name: 'rule', on: 'request', when, action, ...more }], request).decisions.map(
      ({ outcome, reason }) => `${outcome}: ${reason}`,
    );
  const why = '"rule": its condition could not be evaluated (field not found: project)';
  assert.deepEqual(outcomes('deny'), [`denied: ${why}, so the policy applies`]);
  assert.deepEqual(outcomes('flag'), [`not_evaluated: ${why}`]);
  assert.deepEqual(outcomes('allow'), [`not_evaluated: ${why}`]);
  assert.deepEqual(outcomes('redact', { detect: { pii: ['email'] } }), [
    `redacted: ${why}; found 1 email in messages[0].content, so the policy applies`,
  ]);
  assert.deepEqual(outcomes('deny', { mode: 'monitor' }), [`would_deny: ${why}, so the policy applies`]);
});

test('a decision states the kind and position of a finding, and never its value', () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const messages = [0, 1, 2, 3].map((n) => ({
    role: 'user',
    content: n === 0 ? `Use ${secret}` : `a${n}@b.example`,
  }));
  const rule = { name: 'rule', on: 'request', action: 'deny', detect: { secrets: true, pii: ['email'] } };
  const [decision] = judged(
    [rule],
    requestOf({ messages: [...messages, { role: 'user', content: 'z@b.example' }] }),
  ).decisions;
  assert.equal(
    decision?.reason,
    '"rule": found 1 secret (API key) in messages[0].content; 4 emails in messages[1].content, messages[2].content, messages[3].content and 1 more',
  );
});

test('a condition on more text or messages than allowed cannot be evaluated', () => {
  const long = requestOf({ messages: [{ role: 'user', content: 'x '.repeat(2_000_001) }] });
  const many = requestOf({
    messages: Array.from({ length: 10_001 }, () => ({ role: 'user', content: 'x' })),
  });
  for (const request of [long, many]) {
    const [decision] = judged(
      [{ name: 'rule', on: 'request', when: 'request.text.contains("nothing")', action: 'deny' }],
      request,
    ).decisions;
    assert.match(
      decision?.reason ?? '',
      /could not be evaluated \((?:the text is longer|the request has more) than/,
    );
    assert.equal(
      holds('request.max_tokens > 1', request),
      false,
      'which another condition need not care about',
    );
  }
});

test('policies apply in order: the first enforced allow or deny ends the evaluation, and monitor mode only records', () => {
  const request = requestOf({ messages: [{ role: 'user', content: 'ada@example.org 123-45-6789' }] });
  const outcomes = (...policies: JsonObject[]) => {
    const { decisions, deniedBy, redact } = judged(
      policies.map((policy, at) => ({ name: `r${at}`, on: 'request', when: 'true', ...policy })),
      request,
    );
    return [decisions.map(({ outcome }) => outcome).join(' '), deniedBy?.name ?? '', [...redact].join(' ')];
  };
  assert.deepEqual(outcomes({ action: 'allow' }, { action: 'deny' }), ['allowed', '', '']);
  assert.deepEqual(outcomes({ action: 'deny' }, { action: 'allow' }), ['denied', 'r0', '']);
  assert.deepEqual(outcomes({ action: 'allow', mode: 'monitor' }, { action: 'flag' }, { action: 'deny' }), [
    'would_allow flagged denied',
    'r2',
    '',
  ]);
  assert.deepEqual(outcomes({ action: 'deny', when: 'false' }, { action: 'flag', when: 'key == "no"' }), [
    '',
    '',
    '',
  ]);
  const detect = (pii: string) => ({ action: 'redact', detect: { pii: [pii] } });
  assert.deepEqual(outcomes(detect('email'), detect('us_ssn'), detect('iban')), [
    'redacted redacted',
    '',
    'email us_ssn',
  ]);
});

test('an invalid condition is rejected with the reason', () => {
  for (const [when, words] of [
    ['request.max_tokens >', /end of input|expecting/],
    ['request.maxtokens > 1', /"request" has no field "maxtokens"; its fields are model, /],
    ['requests.model == "x"', /unknown variable "requests"/],
    ['request.model', /must evaluate to true or false/],
    ['request.max_tokens > "many"', /no matching overload/],
    ['request.messages.exists(m, request.messages.exists(n, n.text == m.text))', /cannot be nested/],
    ['request.messages.map(m, m.role).exists(r, r == "user")', /use exists/],
    ['request.messages.exists(m, m.txt == "a")', /field not found: txt/],
    ['answer.text == "x"', /not available in a policy that evaluates requests/],
    ['nothing(request.model)', /./],
    ['{"a": 1}.a == 1', /cannot create maps/],
  ] as const) {
    const problem = findPolicyError(PolicySchema.parse({ name: 'x', on: 'request', when, action: 'deny' }));
    assert.match(problem ?? 'none', words, when);
  }
});

test('a session that never called the relay can be denied from its second request, and one without an id is allowed', () => {
  const when = "session.id != '' && !session.relayed && session.requests > 1";
  const asks = (session: NonNullable<PolicyRequest['session']> | null) =>
    holds(when, requestOf({ model: 'up/m' }, { session }));
  assert.equal(asks({ id: 's', relayed: false, requests: 2 }), true);
  assert.equal(asks({ id: 's', relayed: false, requests: 1 }), false);
  assert.equal(asks({ id: 's', relayed: true, requests: 9 }), false);
  assert.equal(asks({ id: '', relayed: false, requests: 9 }), false);
  assert.equal(asks(null), false);
});

test('a policy in monitor mode does not change what an enforced policy finds', () => {
  const key = `${'aB3dE5gH7jK9mN2pQ4sT6vW8'.repeat(3)}\n`;
  for (const [enforced, monitored, text] of [
    ['email', { secrets: true }, `-----BEGIN PRIVATE KEY-----\n${key}${key}ana@example.com`],
    ['email', { secrets: true }, `-----BEGIN PRIVATE KEY----- is a header.\nana@example.com`],
    ['email', { secrets: true }, "['http://localhost:8080','foo@bar.com']"],
    ['us_ssn', { pii: ['phone'] }, '+1 123-45-6789'],
    ['credit_card', { pii: ['phone'] }, '+378282246310005'],
    ['phone', { pii: ['email'] }, '212-555-0147@example.com'],
  ] as const) {
    const policies = [
      { name: 'enforced', on: 'request', action: 'deny', detect: { pii: [enforced] } },
      { name: 'new', on: 'request', action: 'deny', mode: 'monitor', detect: { ...monitored } },
    ];
    const request = requestOf({ messages: [{ role: 'user', content: text }] });
    assert.equal(judged(policies, request).deniedBy?.name, 'enforced', text);
    assert.equal(judged(policies.toReversed(), request).deniedBy?.name, 'enforced', text);
  }
});
