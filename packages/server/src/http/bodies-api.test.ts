import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { policyDryRunJobResult } from '@floe/contract/api/policies';
import type { MemberRole } from '@floe/contract/roles';
import { eventually } from '@floe/testkit/eventually';
import { API_TEST_NOW, listResponseEntries, type RunningApi, runApi } from './test/running-api.ts';
import { storeTestBodies } from './test/test-bodies.ts';

const HERS = 'ana@acme.example';
const FROM = new Date(API_TEST_NOW - 60_000).toISOString();

let api: RunningApi;
let key: string;
before(async () => {
  api = await runApi();
  key = (await api.addKey('acme')).key;
  const question = (content: string) => ({ model: 'm', messages: [{ role: 'user', content }] });
  const answer = { choices: [{ message: { role: 'assistant', content: 'Ana' }, finish_reason: 'stop' }] };
  for (const [id, bodies] of [
    ['exc_hers', { request: question('Who is it?'), answer, owner: HERS }],
    ['exc_long', { request: question('ice '.repeat(100)), owner: 'bo@acme.example' }],
    [
      'exc_error',
      { request: question('error, write to ada@acme.example'), answer: { error: { message: 'no' } } },
    ],
  ] as const) {
    await api.addExchange('acme', { id, surface: 'chat' });
    await storeTestBodies(api, 'acme', id, bodies);
  }
  await api.addExchange('acme', { id: 'exc_none' });
});
after(() => api.close());

test('bodies are shown completely, and the audit log records who read them', async () => {
  const { status, body } = await api.call('GET', '/api/analytics/requests/exc_hers/bodies', { key });
  assert.equal(status, 200);
  assert.match(String(body.request?.text), /Who is it/);
  assert.match(String(body.answer?.text), /Ana/);
  const { body: audit } = await api.call('GET', '/api/management/audit?limit=10', { key });
  const views = listResponseEntries(audit.data).filter(({ action }) => String(action) === 'requests.bodies');
  assert.deepEqual(
    views.map(({ subject }) => subject),
    ['exc_hers'],
  );
});

test('a request without stored bodies is a 404', async () => {
  for (const id of ['exc_none', 'exc_unknown'])
    assert.equal((await api.call('GET', `/api/analytics/requests/${id}/bodies`, { key })).status, 404);
});

/** What a signed-in member of a role is told of her request and of another's. */
async function seenBy(role: MemberRole): Promise<readonly string[]> {
  const email = role === 'member' ? HERS : `${role}@acme.example`;
  const { key } = await api.addMember('acme', { role, email });
  const answers = ['exc_hers', 'exc_long'].map((id) =>
    api.call('GET', `/api/analytics/requests/${id}/bodies`, { key }),
  );
  return (await Promise.all(answers)).map(({ status, body }) =>
    status === 200 ? 'seen' : String(body.error?.code),
  );
}

test('owners and admins see all bodies, members those of their own keys, viewers none', async () => {
  for (const [role, hers, others] of [
    ['owner', 'seen', 'seen'],
    ['admin', 'seen', 'seen'],
    ['member', 'seen', 'not_found'],
    ['viewer', 'insufficient_role', 'insufficient_role'],
  ] as const)
    assert.deepEqual(await seenBy(role), [hers, others], role);
});

test('draft policies are tested on stored bodies, and no content is shown', async () => {
  const policies = [
    { name: 'short', on: 'request', when: 'size(request.text) > 100', action: 'deny', mode: 'enforce' },
    { name: 'ana', on: 'answer', when: 'answer.text.contains("Ana")', action: 'flag', mode: 'monitor' },
  ];
  const dryRun = (more: object) =>
    api.call('POST', '/api/management/policies/dry-run', { key, body: { policies, ...more } });
  const { status, text, body } = await dryRun({ stored_bodies: { from: FROM } });
  assert.equal(status, 200, text);
  assert.deepEqual(body.stored_bodies, {
    ...{ read: 3, evaluated: 3, skipped: 0, has_more: false },
    redacted_when_stored: 1,
  });
  const outcomes = Object.fromEntries(
    listResponseEntries(body.data).map(({ id, request, answer }) => [
      String(id),
      [String(request?.outcome), listResponseEntries(answer?.decisions).map(({ outcome }) => outcome)],
    ]),
  );
  assert.deepEqual(outcomes, {
    exc_long: ['denied', []],
    exc_hers: ['passed', ['flagged']],
    exc_error: ['passed', []],
  });
  assert.doesNotMatch(text, /Who is it/);
  const bounded = await dryRun({ stored_bodies: { from: FROM, limit: 2 } });
  assert.deepEqual(bounded.body.stored_bodies, {
    ...{ read: 2, evaluated: 2, skipped: 0, has_more: true },
    redacted_when_stored: 0,
  });
  for (const neither of [{}, { stored_bodies: { from: FROM }, samples: [{ request: {} }] }])
    assert.equal((await dryRun(neither)).status, 400);
});

test('a dry run counts the bodies in which detectors cannot find the values that were redacted', async () => {
  const policies = [{ name: 'mail', on: 'request', detect: { pii: ['email'] }, action: 'deny' }];
  const { body } = await api.call('POST', '/api/management/policies/dry-run', {
    key,
    body: { policies, stored_bodies: { from: FROM } },
  });
  const outcomes = listResponseEntries(body.data).map(({ request }) => request?.outcome);
  assert.deepEqual([...new Set(outcomes)], ['passed']);
  assert.equal(body.stored_bodies?.['redacted_when_stored'], 1);
});

test('draft policies are tested on several days in a job, which returns totals and a few requests, and no content', async () => {
  const path = '/api/management/policies/dry-run/jobs';
  const policies = [
    { name: 'short', on: 'request', when: 'size(request.text) > 100', action: 'deny', mode: 'enforce' },
    { name: 'ana', on: 'answer', when: 'answer.text.contains("Ana")', action: 'flag', mode: 'monitor' },
  ];
  const ended = async (more: object) => {
    const started = await api.call('POST', path, { key, body: { policies, from: '2026-11-15', ...more } });
    assert.equal(started.status, 200, started.text);
    return eventually(async () => {
      const { body, text } = await api.call('GET', `/api/jobs/${started.body['id']}`, { key });
      return String(body['state']) === 'running' ? undefined : { body, text };
    });
  };
  const { body, text } = await ended({});
  const result = policyDryRunJobResult.parse(body['result']);
  assert.deepEqual([body['state'], body['done'], body['total']], ['done', 3, 3]);
  assert.deepEqual(
    [result.evaluated, result.matched, result.denied, result.redacted, result.key_count, result.has_more],
    [3, 2, 1, 0, 1, false],
  );
  assert.equal(result.redacted_when_stored, 1);
  assert.deepEqual(
    result.days.map(({ matched }) => matched),
    [0, 0, 0, 0, 0, 0, 2],
  );
  assert.deepEqual(result.samples.map(({ id, policy }) => [id, policy]).sort(), [
    ['exc_hers', 'ana'],
    ['exc_long', 'short'],
  ]);
  assert.doesNotMatch(text, /Who is it/);
  const bounded = policyDryRunJobResult.parse((await ended({ limit: 2 })).body['result']);
  assert.deepEqual([bounded.evaluated, bounded.has_more], [2, true]);
  for (const wrong of [{ from: '2026-11-15', to: '2026-11-15' }, { from: '0001-01-01' }])
    assert.equal((await api.call('POST', path, { key, body: wrong })).body.error?.param, 'from');
});
