import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import { type RunningApi, runApi } from './test/running-api.ts';
import type { TestMember } from './test/test-members.ts';

const MEMBERS = '/api/management/members';
const ended: object[] = [];
let api: RunningApi;
let owner: TestMember;
before(async () => {
  api = await runApi({ endedSessions: ended });
  owner = await api.addMember('acme', { role: 'owner' });
});
after(() => api.close());

async function outcome(method: string, path: string, key: string, body?: unknown): Promise<string> {
  const answer = await api.call(method, path, { key, body });
  return answer.status < 400 ? String(answer.status) : `${answer.status} ${answer.body.error?.code}`;
}
const patch = (by: TestMember | { readonly key: string }, whom: TestMember, body: object) =>
  outcome('PATCH', `${MEMBERS}/${whom.id}`, by.key, body);
const remove = (by: TestMember | { readonly key: string }, whom: TestMember) =>
  outcome('DELETE', `${MEMBERS}/${whom.id}`, by.key);
const createKey = (by: TestMember, body: object) =>
  api.call('POST', '/api/management/keys', { key: by.key, body: { scopes: ['gateway'], ...body } });
const statusOf = async (id: unknown) =>
  (await api.call('GET', `/api/management/keys/${id}`, { key: owner.key })).body.status;

test('only owners who stepped up appoint and remove owners', async () => {
  const admin = await api.addMember('acme', { role: 'admin' });
  const asking = await api.addMember('acme', { role: 'owner', steppedUp: false });
  const other = await api.addMember('acme', { role: 'owner' });
  const plain = await api.addMember('acme', { role: 'member' });
  const manager = await api.addKey('acme');
  for (const by of [admin, manager]) {
    assert.equal(await patch(by, plain, { role: 'owner' }), '403 insufficient_role');
    assert.equal(await patch(by, other, { role: 'member' }), '403 insufficient_role');
    assert.equal(await remove(by, other), '403 insufficient_role');
    assert.equal(await patch(by, plain, { role: 'viewer' }), '200');
  }
  assert.equal(await patch(asking, plain, { role: 'owner' }), '403 step_up_required');
  assert.equal(await remove(asking, other), '403 step_up_required');
  assert.equal(await patch(asking, plain, { role: 'member' }), '200');
  assert.equal(await patch(owner, plain, { role: 'owner' }), '200');
  for (const one of [plain, other, asking]) assert.equal(await remove(owner, one), '204');
});

test('of two owners who remove or demote each other simultaneously, one remains', async () => {
  for (const [round, act] of [
    remove,
    (by: TestMember, whom: TestMember) => patch(by, whom, { role: 'viewer' }),
  ].entries()) {
    const [one, two] = [
      await api.addMember('other', { role: 'owner', email: `one${round}@other.example` }),
      await api.addMember('other', { role: 'owner', email: `two${round}@other.example` }),
    ];
    const outcomes = await Promise.all([act(one, two), act(two, one)]);
    // The one whose request comes second has lost the access with which it was authorized.
    assert.deepEqual(outcomes.sort(), round === 0 ? ['204', '401 session_expired'] : ['200', '409 conflict']);
    const { body } = await api.call('GET', `${MEMBERS}?role=owner`, { key: (await api.addKey('other')).key });
    const left = Object.values(body.data ?? {});
    assert.equal(left.length, 1);
    const last = [one, two].find(({ id }) => id === String(left[0]?.id));
    assert.ok(last);
    assert.equal(await remove(last, last), '409 conflict');
    const heir = await api.addMember('other', { role: 'owner' });
    assert.equal(await remove(heir, last), '204');
    await api.database.transaction((writer) =>
      writer.deleteFrom('members').where('id', '=', heir.id).execute(),
    );
  }
});

test('removing a member ends their sessions and keys, but not keys that they created for others', async () => {
  const leaving = await api.addMember('acme', { role: 'admin' });
  const own = await createKey(leaving, { name: 'leaving, unnamed' });
  const named = await createKey(leaving, { name: 'leaving, named', owner: leaving.email });
  const given = await createKey(owner, { name: 'made for them', owner: leaving.email });
  const others = await createKey(leaving, { name: 'for the fleet', owner: 'fleet@acme.example' });
  const gone = [own, named, given].map(({ body }) => body);
  assert.equal(await remove(owner, leaving), '204');
  assert.deepEqual(ended.at(-1), { orgId: 'acme', memberId: leaving.id, userId: leaving.userId });
  for (const { id, key } of gone) {
    assert.equal(await statusOf(id), 'revoked');
    assert.equal(await outcome('GET', '/api/me', String(key)), '401 key_revoked');
    const { body } = await api.call('GET', `/api/management/audit?subject=${id}&action=keys.revoke`, {
      key: owner.key,
    });
    assert.equal(body.data?.[0]?.actor, owner.id);
    assert.equal(body.data?.[0]?.actor_name, owner.email);
  }
  assert.equal(await statusOf(others.body.id), 'active');
  assert.equal(await outcome('GET', `${MEMBERS}/${leaving.id}`, owner.key), '404 not_found');
});

test("a lower role removes scopes from the member's keys that it does not allow", async () => {
  const admin = await api.addMember('acme', { role: 'admin' });
  const wide = (await createKey(admin, { name: 'wide', scopes: ['gateway', 'management'] })).body;
  const only = (await createKey(admin, { name: 'only', scopes: ['management'] })).body;
  const beats = (await createKey(admin, { name: 'beats', scopes: ['beat'] })).body;
  assert.equal(await patch(owner, admin, { role: 'member' }), '200');
  const scopes = async (id: unknown) =>
    (await api.call('GET', `/api/management/keys/${id}`, { key: owner.key })).body.scopes;
  assert.deepEqual(await scopes(wide.id), ['gateway']);
  assert.equal(await statusOf(only.id), 'revoked');
  assert.deepEqual(await scopes(beats.id), ['beat']);
  assert.equal(await outcome('GET', '/api/management/members', String(wide.key)), '403 insufficient_scope');
  assert.equal(await patch(owner, admin, { role: 'viewer' }), '200');
  assert.equal(await statusOf(wide.id), 'revoked');
});

test('access that needs no step-up itself is granted only after one', async () => {
  const [fresh, asking] = [await api.addMember('acme'), await api.addMember('acme', { steppedUp: false })];
  const plain = await api.addMember('acme', { role: 'member' });
  const scopes = ['management'];
  const { body: made } = await createKey(fresh, { name: 'of a fresh admin', scopes });
  const { body: weak } = await createKey(fresh, { name: 'weak' });
  const keys = '/api/management/keys';
  const variables = { DECLARED: `eis_${'d'.repeat(40)}` };
  const declared = { name: 'declared', key: `\${DECLARED}`, scopes };
  const yaml = JSON.stringify({ orgs: [{ id: 'acme', keys: [declared] }] });
  for (const [method, path, body, status] of [
    ['POST', keys, { name: 'new', scopes }, '201'],
    ['PATCH', `${keys}/${weak.id}`, { scopes }, '200'],
    ['POST', `${keys}/${made.id}/rotate`, {}, '200'],
    ['POST', '/api/management/config/apply', { yaml, variables }, '200'],
    ['POST', '/api/management/invitations', { email: 'adm@acme.example', role: 'admin' }, '201'],
    ['PATCH', `${MEMBERS}/${plain.id}`, { role: 'admin' }, '200'],
  ] as const) {
    assert.equal(await outcome(method, path, asking.key, body), '403 step_up_required', `${method} ${path}`);
    assert.equal(await outcome(method, path, fresh.key, body), status, `${method} ${path}`);
  }
  const other = { name: 'of an asking admin', scopes: ['gateway', 'read'] };
  assert.equal(await outcome('POST', keys, asking.key, other), '201');
  assert.equal(await outcome('PATCH', `${keys}/${made.id}`, asking.key, { models: ['a/*'] }), '200');
  assert.equal(await patch(asking, plain, { role: 'viewer' }), '200');
});

test('the team of a member exists or is empty', async () => {
  const plain = await api.addMember('acme', { role: 'member' });
  assert.equal(await patch(owner, plain, { team: 'nowhere' }), '400 invalid_request');
  assert.equal(await patch(owner, plain, { team: 'platform' }), '200');
  const listed = await api.call('GET', `${MEMBERS}?team=platform`, { key: owner.key });
  assert.deepEqual(
    Object.values(listed.body.data ?? {}).map(({ id }) => String(id)),
    [plain.id],
  );
  assert.equal(await patch(owner, plain, { team: null }), '200');
});

test('the permissions in `can` match what is allowed', async () => {
  const asking = await Promise.all(
    MEMBER_ROLES.map((role) => api.addMember('acme', { role, steppedUp: false })),
  );
  const can = async (key: string) => (await api.call('GET', '/api/me', { key })).body.can;
  const names = [
    'orgs.create',
    'members.update',
    'keys.create',
    'teams.list',
    'me.update',
    'keys.report_leak',
  ];
  const said: Readonly<Record<MemberRole, readonly unknown[]>> = {
    owner: [false, true, true, true, true, false],
    admin: [false, true, true, true, true, false],
    member: [false, false, true, true, true, false],
    viewer: [false, false, false, true, true, false],
  };
  for (const [index, role] of MEMBER_ROLES.entries()) {
    const answer = await can(asking[index]?.key ?? '');
    assert.deepEqual(
      names.map((name) => answer?.[name]),
      said[role],
    );
    assert.deepEqual(Object.keys(answer ?? {}).sort(), api.operations.map(({ name }) => name).sort());
  }
  const operator = await api.addMember('acme', { role: 'viewer', steppedUp: false, operator: true });
  assert.equal((await can(operator.key))?.['orgs.create'], 'step_up');
  const reading = await can((await api.addKey('acme', { scopes: ['read'] })).key);
  assert.deepEqual(
    names.map((name) => reading?.[name]),
    [false, false, false, true, false, true],
  );
});

test('a person has one name and can access each of their organizations', async () => {
  const email = 'mara@acme.example';
  const here = await api.addMember('acme', { role: 'admin', email });
  const there = await api.addMember('other', { role: 'viewer', email });
  assert.equal(here.userId, there.userId);
  const renamed = await api.call('PATCH', '/api/me', {
    key: here.key,
    body: { name: 'Mara Koch', preferences: { theme: 'dark' } },
  });
  assert.deepEqual([renamed.body.member?.name, renamed.body.preferences], ['Mara Koch', { theme: 'dark' }]);
  const { body } = await api.call('GET', '/api/me', { key: there.key });
  assert.deepEqual([body.org?.id, body.member?.name], ['other', 'Mara Koch']);
  assert.deepEqual(
    Object.values(body.orgs ?? {})
      .map(({ id, role, member_id }) => [id, role, member_id].map(String))
      .sort(),
    [
      ['acme', 'admin', here.id],
      ['other', 'viewer', there.id],
    ],
  );
  const large = { preferences: { much: 'x'.repeat(16_400) } };
  assert.equal(await outcome('PATCH', '/api/me', here.key, large), '400 invalid_request');
});

test('operators grant and revoke the role, each change is audited, and the last operator remains', async () => {
  const [first, second] = await Promise.all(
    ['first', 'second'].map((name) =>
      api.addMember('acme', { role: 'admin', email: `${name}-op@acme.example`, operator: name === 'first' }),
    ),
  );
  assert.ok(first && second);
  const path = '/api/management/operators';
  const grant = (key: string, email: string) => outcome('POST', path, key, { email });
  const { userId } = first;
  assert.equal((await api.call('GET', '/api/me', { key: first.key })).body['operator'], true);
  assert.equal((await api.call('GET', '/api/me', { key: second.key })).body['operator'], false);
  assert.equal(
    await grant(second.key, second.email),
    '403 insufficient_role',
    'nobody grants it to themselves',
  );
  assert.equal(await grant(first.key, 'nobody@acme.example'), '404 not_found');
  assert.equal(await grant(first.key, second.email), '201');
  assert.equal(await grant(first.key, second.email), '409 conflict');
  const others = (await api.database.read.selectFrom('operators').select('user_id').execute())
    .map(({ user_id }) => user_id)
    .filter((id) => id !== userId);
  for (const id of others) assert.equal(await outcome('DELETE', `${path}/${id}`, first.key), '204');
  assert.equal(await outcome('DELETE', `${path}/${userId}`, first.key), '409 conflict', 'the last one');
  const { body } = await api.call('GET', '/api/management/audit?limit=100', { key: owner.key });
  const actions = Object.values(body.data ?? {}).map(({ action }) => String(action));
  assert.equal(actions.filter((action) => action === 'operators.grant').length, 1);
  assert.equal(actions.filter((action) => action === 'operators.revoke').length, others.length);
});

test('an operator creates another organization and owns it, and its first key works', async () => {
  const operator = await api.addMember('acme', { role: 'member', operator: true });
  assert.equal(
    await outcome('POST', '/api/management/orgs', owner.key, { id: 'lab' }),
    '403 insufficient_role',
  );
  const answer = await api.call('POST', '/api/management/orgs', {
    key: operator.key,
    body: { id: 'lab', name: 'The Lab', timezone: 'Europe/Berlin' },
  });
  assert.equal(answer.status, 201);
  const key = String(answer.body.key?.key);
  const me = await api.call('GET', '/api/me', { key });
  assert.deepEqual(me.body.org, { id: 'lab', name: 'The Lab' });
  const members = await api.call('GET', MEMBERS, { key });
  assert.deepEqual(
    Object.values(members.body.data ?? {}).map(({ user_id, role }) => [user_id, role]),
    [[operator.userId, 'owner']],
  );
  const audit = await api.call('GET', '/api/management/audit', { key });
  const actions = Object.values(audit.body.data ?? {}).map(({ action }) => String(action));
  assert.deepEqual(actions.sort(), ['keys.create', 'members.create', 'orgs.create']);
  const changed = await api.call('PATCH', '/api/management/org', { key, body: { name: 'Lab' } });
  assert.deepEqual([changed.body.name, changed.body.timezone], ['Lab', 'Europe/Berlin']);
  assert.equal(await outcome('POST', '/api/management/orgs', operator.key, { id: 'lab' }), '409 conflict');
  assert.equal(
    await outcome('PATCH', '/api/management/org', key, { timezone: 'Mars/Olympus' }),
    '400 invalid_request',
  );
});
