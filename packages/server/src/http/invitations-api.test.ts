import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { createId } from '../core/ids.ts';
import { acceptInvitation, requireInvitationDetails } from '../platform/invitations.ts';
import { findUserByEmail, insertUser } from '../store/members.ts';
import { API_TEST_NOW, type RunningApi, runApi } from './test/running-api.ts';

const INVITATIONS = '/api/management/invitations';
const DAY_MS = 24 * 60 * 60 * 1000;
const mails: { readonly to: string; readonly text: string }[] = [];
let api: RunningApi;
let admin: { readonly key: string; readonly id: string };
before(async () => {
  api = await runApi({ mail: async (mail) => (mails.push(mail) % 2 === 1 ? 'sent' : 'failed') });
  admin = await api.addMember('acme', { role: 'admin' });
});
after(() => api.close());

const invite = (body: object, key = admin.key) => api.call('POST', INVITATIONS, { key, body });
const tokenOf = (link: unknown) => String(link).split('#t=')[1] ?? '';
const account = async (email: string) => {
  const found = await findUserByEmail(api.database.read, email);
  if (found) return found.id;
  const times = { created_at: API_TEST_NOW, updated_at: API_TEST_NOW };
  const user = {
    id: createId('usr', API_TEST_NOW),
    email,
    name: '',
    password_hash: null,
    preferences_json: null,
  };
  await api.database.transaction((writer) => insertUser(writer, { ...user, ...times }));
  return user.id;
};
const accept = (token: string, userId: string, nowMs = API_TEST_NOW) =>
  api.database.transaction((writer) => acceptInvitation(writer, { token, userId, nowMs }));
const refusal = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test('an invitation link creates one membership for its address, and no store or log has its token', async () => {
  const made = await invite({ email: 'Ana@Acme.example', role: 'member', team: 'platform' });
  assert.equal(made.status, 201);
  const { link, email_status: mail, ...shown } = made.body;
  assert.match(String(link), /^https:\/\/floe\.example\/invite#t=[\w-]{43}$/);
  assert.deepEqual([mail, mails.at(-1)?.to], ['sent', 'ana@acme.example']);
  assert.ok(mails.at(-1)?.text.includes(String(link)));
  const token = tokenOf(link);
  const listed = await api.call('GET', `${INVITATIONS}?status=pending`, { key: admin.key });
  assert.deepEqual(listed.body.data?.[0], shown);
  const rows = await api.database.read.selectFrom('invitations').selectAll().execute();
  const audit = await api.database.read.selectFrom('audit').selectAll().execute();
  assert.ok(![listed.text, JSON.stringify(rows), JSON.stringify(audit)].some((text) => text.includes(token)));

  const open = await requireInvitationDetails(api.database.read, token, API_TEST_NOW);
  assert.deepEqual([open.orgName, open.email, open.role], ['Acme', 'ana@acme.example', 'member']);
  const stranger = await account('eve@acme.example');
  await assert.rejects(accept(token, stranger), refusal('not_found'));
  const ana = await account('ana@acme.example');
  const member = await accept(token, ana);
  assert.deepEqual([member.org_id, member.role, member.team], ['acme', 'member', 'platform']);
  await assert.rejects(accept(token, ana), refusal('not_found'));
  await assert.rejects(
    requireInvitationDetails(api.database.read, token, API_TEST_NOW),
    refusal('not_found'),
  );
  const entries = await api.call('GET', `/api/management/audit?action=invitations.accept`, {
    key: admin.key,
  });
  assert.deepEqual(
    [entries.body.data?.[0]?.actor, entries.body.data?.[0]?.actor_name, entries.body.data?.[0]?.subject],
    [member.id, 'ana@acme.example', shown['id']],
  );
  assert.equal((await invite({ email: 'ana@acme.example' })).body.error?.code, 'conflict');
});

test('two simultaneous uses of one link create one member', async () => {
  const token = tokenOf((await invite({ email: 'twice@acme.example' })).body.link);
  const user = await account('twice@acme.example');
  const outcomes = await Promise.allSettled([accept(token, user), accept(token, user)]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('a link ends when it expires, is revoked, or its address is invited again', async () => {
  const late = tokenOf((await invite({ email: 'late@acme.example', expires_in_days: 1 })).body.link);
  const user = await account('late@acme.example');
  await assert.rejects(accept(late, user, API_TEST_NOW + DAY_MS), refusal('not_found'));
  const first = await invite({ email: 'again@acme.example' });
  const second = await invite({ email: 'again@acme.example' });
  const again = await account('again@acme.example');
  await assert.rejects(accept(tokenOf(first.body.link), again), refusal('not_found'));
  const path = `${INVITATIONS}/${second.body.id}`;
  for (let times = 0; times < 2; times++)
    assert.equal((await api.call('DELETE', path, { key: admin.key })).status, 204);
  await assert.rejects(accept(tokenOf(second.body.link), again), refusal('not_found'));
  const revoked = await api.call('GET', `${INVITATIONS}?status=revoked`, { key: admin.key });
  assert.equal(Object.keys(revoked.body.data ?? {}).length, 2);
});

test('an earlier link does not bring a removed member back', async () => {
  const email = 'rejoin@acme.example';
  const earlier = await invite({ email, role: 'admin' });
  const member = await api.addMember('acme', { role: 'viewer', email });
  const path = `/api/management/members/${member.id}`;
  assert.equal((await api.call('DELETE', path, { key: admin.key })).status, 204);
  await assert.rejects(accept(tokenOf(earlier.body.link), member.userId), refusal('not_found'));
  const { body } = await api.call('GET', `/api/management/audit?subject=${earlier.body.id}`, {
    key: admin.key,
  });
  assert.deepEqual(
    Object.values(body.data ?? {})
      .map(({ action, actor }) => [String(action), actor])
      .sort(),
    [
      ['invitations.create', admin.id],
      ['invitations.revoke', admin.id],
    ],
  );
  const later = await invite({ email });
  assert.equal((await accept(tokenOf(later.body.link), member.userId)).role, 'member');
});

test('an invitation ends when the member or key that created it may no longer create it', async () => {
  const owner = await api.addMember('acme', { role: 'owner' });
  const members = '/api/management/members';
  const keys = '/api/management/keys';
  const ends: Readonly<Record<string, readonly [string, string, object?]>> = {
    removed: ['DELETE', members],
    demoted: ['PATCH', members, { role: 'member' }],
    revoked: ['DELETE', keys],
    restricted: ['PATCH', keys, { scopes: ['read'] }],
  };
  const statusOf = async (id: unknown) => {
    const found: string[] = [];
    for (const filter of ['', '&status=pending', '&status=revoked']) {
      const { body } = await api.call('GET', `${INVITATIONS}?limit=500${filter}`, { key: owner.key });
      const listed = Object.values(body.data ?? {}).find((one) => one['id'] === id);
      found.push(String(listed?.['status']));
    }
    return found;
  };
  for (const [name, [method, path, body]] of Object.entries(ends)) {
    const creator = await (path === keys ? api.addKey('acme') : api.addMember('acme', { role: 'admin' }));
    const email = `${name}@acme.example`;
    const { id, link } = (await invite({ email }, creator.key)).body;
    const user = await account(email);
    assert.deepEqual(await statusOf(id), ['pending', 'pending', 'undefined']);
    const { status } = await api.call(method, `${path}/${creator.id}`, { key: owner.key, body });
    assert.ok(status < 300, `${name} ${status}`);
    await assert.rejects(accept(tokenOf(link), user), refusal('not_found'), name);
    assert.deepEqual(await statusOf(id), ['revoked', 'undefined', 'revoked'], name);
    const later = await invite({ email }, owner.key);
    assert.equal((await accept(tokenOf(later.body.link), user)).role, 'member');
  }
  const former = await api.addMember('acme', { role: 'owner' });
  const heir = await invite({ email: 'heir2@acme.example', role: 'owner' }, former.key);
  const helper = await invite({ email: 'helper@acme.example', role: 'admin' }, former.key);
  await api.call('PATCH', `${members}/${former.id}`, { key: owner.key, body: { role: 'admin' } });
  await assert.rejects(
    accept(tokenOf(heir.body.link), await account('heir2@acme.example')),
    refusal('not_found'),
  );
  assert.equal((await accept(tokenOf(helper.body.link), await account('helper@acme.example'))).role, 'admin');
});

test('an invitation that ended because of its creator blocks neither its team nor a new invitation', async () => {
  const owner = await api.addMember('acme', { role: 'owner' });
  const former = await api.addMember('acme', { role: 'owner' });
  const call = (method: string, path: string, body?: object) =>
    api.call(method, `/api/management/${path}`, { key: owner.key, body });
  const email = 'ended@acme.example';
  await call('POST', 'teams', { id: 'ended' });
  const { link } = (await invite({ email, role: 'owner', team: 'ended' }, former.key)).body;
  assert.equal((await call('DELETE', 'teams/ended')).status, 409);
  assert.equal((await invite({ email }, admin.key)).status, 403);
  await call('PATCH', `members/${former.id}`, { role: 'member' });
  assert.equal((await call('DELETE', 'teams/ended')).status, 204);
  await call('PATCH', `members/${former.id}`, { role: 'owner' });
  await assert.rejects(accept(tokenOf(link), await account(email)), refusal('not_found'), 'has no team');

  const other = await invite({ email, role: 'owner' }, former.key);
  await call('PATCH', `members/${former.id}`, { role: 'admin' });
  assert.equal((await invite({ email }, admin.key)).status, 201);
  await call('PATCH', `members/${former.id}`, { role: 'owner' });
  await assert.rejects(accept(tokenOf(other.body.link), await account(email)), refusal('not_found'));
});

test('an admin cannot replace an invitation of an owner', async () => {
  const owner = await api.addMember('acme', { role: 'owner' });
  const email = 'heir@acme.example';
  const { body } = await invite({ email, role: 'owner' }, owner.key);
  assert.equal((await invite({ email, role: 'viewer' })).body.error?.code, 'insufficient_role');
  assert.equal((await accept(tokenOf(body.link), await account(email))).role, 'owner');
});

test('an invitation looks the same with and without an existing account', async () => {
  await api.addMember('other', { role: 'owner', email: 'known@other.example' });
  const shape = async (email: string) => {
    const { status, body } = await invite({ email });
    const { id: _, email: __, link: ___, email_status: ____, ...rest } = body;
    return { status, rest };
  };
  assert.deepEqual(await shape('known@other.example'), await shape('unknown@other.example'));
});

test('a repeated Idempotency-Key creates no second link and names the first one', async () => {
  const call = { key: admin.key, body: { email: 'idem@acme.example' }, headers: { 'idempotency-key': 'k1' } };
  const first = await api.call('POST', INVITATIONS, call);
  const again = await api.call('POST', INVITATIONS, call);
  assert.deepEqual([first.status, again.status], [201, 409]);
  assert.equal(again.body.error?.param, 'Idempotency-Key');
  assert.match(String(again.body.error?.message), new RegExp(String(first.body.id)));
  const user = await account('idem@acme.example');
  assert.equal((await accept(tokenOf(first.body.link), user)).role, 'member');
});

test('admins cannot invite owners, and if the email fails, the link works', async () => {
  assert.equal(
    (await invite({ email: 'o@acme.example', role: 'owner' })).body.error?.code,
    'insufficient_role',
  );
  const asking = await api.addMember('acme', { role: 'owner', steppedUp: false });
  const refused = await invite({ email: 'o@acme.example', role: 'owner' }, asking.key);
  assert.equal(refused.body.error?.code, 'step_up_required');
  if (mails.length % 2 === 0) await invite({ email: 'even@acme.example' });
  const failed = await invite({ email: 'failed@acme.example' });
  assert.deepEqual([failed.status, failed.body.email_status], [201, 'failed']);
  assert.equal(tokenOf(failed.body.link).length, 43);
  assert.equal((await invite({ email: 'x', role: 'member' })).body.error?.param, 'email');
  assert.equal((await invite({ email: 'x@acme.example', team: 'none' })).body.error?.param, 'team');
});

test('an organization can create 200 invitations per hour', async () => {
  const other = await api.addMember('other', { role: 'admin' });
  for (let n = 0; n < 200; n += 1)
    assert.equal((await invite({ email: `p${n}@other.example` }, other.key)).status, 201);
  const refused = await invite({ email: 'late@other.example' }, other.key);
  assert.deepEqual([refused.status, refused.body.error?.code], [429, 'rate_limit_exceeded']);
  assert.equal(
    mails.some(({ to }) => to === 'late@other.example'),
    false,
  );
  assert.equal(
    (await invite({ email: 'late@acme.example' })).status,
    201,
    'other organizations are not affected',
  );
  api.setNow(API_TEST_NOW + 60 * 60 * 1000 + 1);
  assert.equal((await invite({ email: 'late@other.example' }, other.key)).status, 201);
});
