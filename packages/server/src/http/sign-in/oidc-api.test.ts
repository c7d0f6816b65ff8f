import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { getAuditEntryPage } from '../../store/audit-entries.ts';
import { findPlatformKeyById } from '../../store/platform-keys.ts';
import { API_TEST_NOW, type ApiTestResponse } from '../test/running-api.ts';
import { startIssuer, TEST_CLIENT_SECRET, type TestIssuer } from './test/issuer.ts';
import { startTestSignIn, type TestBrowser, type TestSignIn } from './test/test-sign-in.ts';

const BASE = 'https://floe.example/ai';
const CALLBACK = `${BASE}/api/session/oidc/corp/callback`;
const START = '/api/session/oidc/corp/start';

const PARTNER = (url: string) => ({
  name: 'partner',
  issuer: url,
  client_id: 'floe',
  client_secret: TEST_CLIENT_SECRET,
  scopes: ['openid', 'email', 'profile', 'groups'],
  map: [
    { group: 'guests', org: 'other', role: 'viewer' as const },
    { group: 'movers', org: 'acme', role: 'viewer' as const },
  ],
});

/** `auth.oidc` of floe.yaml. */
const oidc = () => [
  {
    name: 'corp',
    issuer: issuer.url,
    client_id: 'floe',
    client_secret: TEST_CLIENT_SECRET,
    scopes: ['openid', 'email', 'profile', 'groups'],
    map: [
      { group: 'sre', org: 'acme', role: 'admin' as const, team: 'platform' },
      { group: 'staff', org: 'acme', role: 'viewer' as const },
      { group: 'auditors', org: 'other', role: 'viewer' as const },
    ],
  },
  { name: 'gone', issuer: 'http://127.0.0.1:9', client_id: 'floe' },
  PARTNER(partner.url),
  {
    name: 'roles',
    issuer: byRoles.url,
    client_id: 'floe',
    client_secret: TEST_CLIENT_SECRET,
    scopes: ['openid', 'email', 'roles'],
    group_claim: 'roles',
    map: [{ group: 'sre', org: 'acme', role: 'viewer' as const }],
  },
];

let issuer: TestIssuer;
/** Of another company, for whom it vouches; Floe joins its people to accounts by their address. */
let partner: TestIssuer;
/** Tells groups by another claim, for a scope of its own. */
let byRoles: TestIssuer;
let harness: TestSignIn;
let people = 0;
before(async () => {
  issuer = await startIssuer(CALLBACK);
  partner = await startIssuer(CALLBACK.replace('corp', 'partner'));
  byRoles = await startIssuer(CALLBACK.replace('corp', 'roles'));
  harness = await startTestSignIn({
    baseUrl: BASE,
    trustedProxies: ['127.0.0.1'],
    auth: { oidc: oidc() },
  });
  // The issuer lives in real time: so does what Floe compares with its words.
  harness.advance(Date.now() - API_TEST_NOW);
});
after(async () => {
  await harness.close();
  await issuer.close();
  await partner.close();
  await byRoles.close();
});

beforeEach(() => {
  people += 1;
  issuer.account = {
    sub: `s${people}`,
    email: `oidc${people}@acme.example`,
    email_verified: true,
    name: 'Jo Lind',
    groups: ['sre'],
  };
});

const told = ({ status, body }: ApiTestResponse) => `${status} ${body?.error?.code ?? ''}`.trim();
const header = (answer: ApiTestResponse, name: string) => String(answer.headers[name] ?? '');

/** To the issuer and back, up to the address that the browser is sent to. */
async function away(browser: TestBrowser, query = '', name = 'corp'): Promise<string> {
  const started = await browser.ask('GET', `${START.replace('corp', name)}${query}`);
  assert.equal(started.status, 303, started.text);
  const visited = { corp: issuer, partner, roles: byRoles }[name] ?? assert.fail(name);
  const back = await visited.visit(header(started, 'location'));
  assert.equal(`${back.origin}${back.pathname}`, CALLBACK.replace('corp', name));
  return `/api/session/oidc/${name}/callback${back.search}`;
}

async function signIn(browser: TestBrowser, query = '', name = 'corp'): Promise<string> {
  const answer = await browser.ask('GET', await away(browser, query, name));
  assert.equal(answer.status, 303, answer.text);
  return header(answer, 'location');
}

const membersOf = (email: string) =>
  harness.api.database.read
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['org_id', 'role', 'team', 'source'])
    .where('email', '=', email)
    .orderBy('org_id')
    .execute();

test('a person with a mapped group signs in with the permissions of their groups, each time', async () => {
  const browser = harness.browser();
  const cross = { 'sec-fetch-site': 'cross-site' };
  const path = await away(browser, '?return_to=/ai/o/acme/requests?range=24h');
  const answer = await browser.ask('GET', path, undefined, cross);
  assert.equal(header(answer, 'location'), '/ai/o/acme/requests?range=24h');
  assert.equal(header(answer, 'referrer-policy'), 'no-referrer');
  const session = (await browser.ask('GET', '/api/session')).body;
  const email = `oidc${people}@acme.example`;
  assert.deepEqual(
    [session.user?.email, session.user?.name, session.role, session.team, session.org?.id],
    [email, 'Jo Lind', 'admin', 'platform', 'acme'],
  );
  assert.ok(issuer.account);
  issuer.account = { ...issuer.account, groups: ['staff', 'auditors'] };
  await signIn(harness.browser());
  assert.deepEqual(await membersOf(email), [
    { org_id: 'acme', role: 'viewer', team: null, source: 'oidc' },
    { org_id: 'other', role: 'viewer', team: null, source: 'oidc' },
  ]);
  issuer.account = { ...issuer.account, groups: ['auditors'], email: 'renamed@acme.example' };
  await signIn(harness.browser());
  assert.deepEqual(await membersOf(email), [{ org_id: 'other', role: 'viewer', team: null, source: 'oidc' }]);
  assert.equal(told(await browser.ask('GET', '/api/me')), '401 session_expired', 'of the org that was left');
  issuer.account = { ...issuer.account, groups: [] };
  assert.equal(await signIn(harness.browser()), '/ai/sign-in?error=not_allowed&provider=corp');
  assert.deepEqual(await membersOf(email), []);
});

test("groups with a lower role remove scopes from the person's keys, in the name of the issuer", async () => {
  await signIn(harness.browser());
  const owner = `oidc${people}@acme.example`;
  const { id } = await harness.api.addKey('acme', { owner, scopes: ['gateway', 'management'] });
  assert.ok(issuer.account);
  issuer.account = { ...issuer.account, groups: ['staff'] };
  await signIn(harness.browser());
  const { read } = harness.api.database;
  const key = await findPlatformKeyById(read, 'acme', id);
  assert.notEqual(key?.revoked_at, null, 'a viewer has no keys');
  const { rows } = await getAuditEntryPage(read, { orgId: 'acme', subject: id, limit: 2 });
  assert.deepEqual(
    rows.map(({ action, actor }) => [action, actor]),
    [['keys.revoke', 'oidc corp']],
  );
});

test('an issuer is asked for the scopes in floe.yaml, and its groups are in the configured claim', async () => {
  const email = `oidc${people}@acme.example`;
  const account = { sub: `r${people}`, email, email_verified: true, name: 'Jo Lind' };
  const started = await harness.browser().ask('GET', START.replace('corp', 'roles'));
  assert.equal(new URL(header(started, 'location')).searchParams.get('scope'), 'openid email roles');
  byRoles.account = { ...account, groups: ['sre'] };
  assert.match(await signIn(harness.browser(), '', 'roles'), /error=not_allowed/);
  byRoles.account = { ...account, roles: ['sre'] };
  assert.doesNotMatch(await signIn(harness.browser(), '', 'roles'), /error=/);
  assert.deepEqual(
    (await membersOf(email)).map(({ org_id, role }) => [org_id, role]),
    [['acme', 'viewer']],
  );
});

test('no one can sign in without a mapped group, and no account is created', async () => {
  assert.ok(issuer.account);
  issuer.account = { ...issuer.account, groups: ['interns'] };
  const browser = harness.browser();
  assert.equal(await signIn(browser), '/ai/sign-in?error=not_allowed&provider=corp');
  assert.equal(browser.cookies.size, 0);
  const { email = '' } = issuer.account;
  const users = await harness.api.database.read
    .selectFrom('users')
    .selectAll()
    .where('email', '=', email)
    .execute();
  assert.deepEqual(users, []);
});

test('roles from one issuer are unaffected by another, and end when the issuer removes them', async () => {
  const email = `oidc${people}@acme.example`;
  const [first, second] = [harness.browser(), harness.browser()];
  assert.ok(issuer.account);
  partner.account = { ...issuer.account, sub: `p${people}`, groups: [] };
  await signIn(second);
  await signIn(second, '?step_up=true');
  assert.equal(await signIn(second, '', 'partner'), '/ai/sign-in?error=not_allowed&provider=partner');
  await signIn(first);
  partner.account = { ...partner.account, groups: ['guests'] };
  await signIn(second, '', 'partner');
  const ofCorp = { org_id: 'acme', role: 'admin', team: 'platform', source: 'oidc' };
  const ofPartner = { org_id: 'other', role: 'viewer', team: null, source: 'oidc' };
  assert.deepEqual(await membersOf(email), [ofCorp, ofPartner]);
  assert.equal((await first.ask('GET', '/api/me')).status, 200, 'the session at the first one goes on');
  const seen = (await second.ask('GET', '/api/session')).body;
  assert.equal(seen.org?.id, 'other');
  const own = await second.ask('GET', '/api/me');
  const ids = (orgs: unknown) => JSON.stringify(orgs).match(/"id":"[^"]*"/g);
  for (const orgs of [seen['orgs'], own.body['orgs']]) assert.deepEqual(ids(orgs), ['"id":"other"']);
  const crossing = await second.ask('POST', '/api/session/org', { org_id: 'acme' });
  assert.equal(told(crossing), '404 not_found');
  // Both grant a role in one org: each session has what its own issuer grants, and the weaker one demotes nobody.
  partner.account = { ...partner.account, groups: ['movers'] };
  await signIn(second, '', 'partner');
  assert.deepEqual(await membersOf(email), [ofCorp]);
  assert.equal((await second.ask('GET', '/api/session')).body.role, 'viewer');
  assert.equal((await first.ask('GET', '/api/session')).body.role, 'admin', 'its session goes on as it was');
  harness.setAuth({ oidc: [PARTNER(partner.url)] });
  assert.equal(told(await first.ask('GET', '/api/me')), '401 session_expired', 'its issuer is switched off');
  partner.account = { ...partner.account, groups: ['guests'] };
  await signIn(harness.browser(), '', 'partner');
  harness.setAuth({ oidc: oidc() });
  assert.deepEqual(await membersOf(email), [ofPartner], 'nobody can ask corp any more');
});

/** Proves an account with a password and the issuer's word for its address in one browser. */
async function connect(browser: TestBrowser, email: string): Promise<string> {
  await browser.signIn(email);
  return signIn(browser);
}

test('roles that a member granted remain, whatever the groups say', async () => {
  assert.ok(issuer.account?.email);
  const { email } = issuer.account;
  await harness.addPerson(email, { acme: 'owner' });
  issuer.account = { ...issuer.account, groups: ['staff'] };
  const browser = harness.browser();
  assert.equal(await connect(browser, email), '/ai/');
  assert.equal((await browser.ask('GET', '/api/session')).body.role, 'owner');
  assert.deepEqual(await membersOf(email), [
    { org_id: 'acme', role: 'owner', team: null, source: 'console' },
  ]);
});

test('an account is connected after proof of both sides, and its other sessions end', async () => {
  assert.ok(issuer.account?.email);
  const { email } = issuer.account;
  await harness.addPerson(email, { acme: 'owner' });
  for (const email_verified of [false, undefined]) {
    const { email_verified: _, ...account } = issuer.account;
    issuer.account = {
      ...account,
      sub: `thief ${email_verified}`,
      ...(email_verified === false && { email_verified }),
    };
    const browser = harness.browser();
    assert.equal(await signIn(browser), '/ai/sign-in?error=email_not_verified&provider=corp');
    assert.equal(told(await browser.ask('GET', '/api/me')), '401 missing_api_key');
  }
  issuer.account = { ...issuer.account, sub: 'the same person', email_verified: true };
  const exists = '/ai/sign-in?error=account_exists&provider=corp';
  assert.equal(await signIn(harness.browser()), exists, 'the word of the issuer is one proof');
  const [before, stale, browser] = [harness.browser(), harness.browser(), harness.browser()];
  await before.signIn(email);
  await stale.signIn(email);
  harness.advance(10 * 60_000);
  assert.equal(await signIn(stale), exists, 'signed in, but not a moment ago');
  harness.advance(-10 * 60_000);
  const ended = harness.browser();
  await ended.signIn(email);
  const callback = await away(ended);
  const { data } = (await ended.ask('GET', '/api/me/sessions')).body;
  const session = String(Object.values(data ?? {}).find(({ current }) => String(current) === 'true')?.id);
  await harness.api.database.rowTransaction((writer) =>
    writer.deleteFrom('sessions').where('id', '=', session).execute(),
  );
  assert.equal(header(await ended.ask('GET', callback), 'location'), exists, 'ended by another process');
  assert.equal(await connect(browser, email), '/ai/');
  assert.equal((await browser.ask('GET', '/api/session')).body.user?.email, email);
  assert.equal(told(await before.ask('GET', '/api/me')), '401 session_expired');
  assert.equal(await signIn(harness.browser()), '/ai/', 'from now on the identity is enough');
});

test('no account is created for an unverified or invalid address', async () => {
  const spoiled = [
    { email_verified: false },
    { email_verified: undefined },
    ...[
      `oidc${people}@acme.example `,
      `oidc${people}@acme.example\u0000`,
      `oidc${people}@acme.e\u212aample`,
      `o\u0131dc@acme.example`,
      `oidc\u202e@acme.example`,
      '<img src=x>@acme.example',
      `${'a'.repeat(250)}@acme.example`,
      'no address',
    ].map((email) => ({ email })),
  ];
  const count = async () =>
    (await harness.api.database.read.selectFrom('users').select('id').execute()).length;
  const before = await count();
  assert.ok(issuer.account);
  const { account } = issuer;
  for (const [n, claims] of spoiled.entries()) {
    const { email_verified: _, ...rest } = account;
    const given = { ...rest, email_verified: true, ...claims, sub: `${account.sub} ${n}` };
    issuer.account = JSON.parse(JSON.stringify(given));
    const place = await signIn(harness.browser());
    assert.equal(place, '/ai/sign-in?error=email_not_verified&provider=corp', JSON.stringify(claims));
  }
  assert.equal(await count(), before);
});

test('an issuer does not need to state that addresses are verified if floe.yaml trusts it', async () => {
  assert.ok(issuer.account);
  const { email_verified: _, ...account } = issuer.account;
  issuer.account = account;
  harness.setAuth({ oidc: oidc().map((one) => ({ ...one, trust_email: true })) });
  const browser = harness.browser();
  assert.equal(await signIn(browser), '/ai/');
  issuer.account = { ...account, sub: 'another', email: `not-${account.email}`, email_verified: false };
  assert.equal(await signIn(harness.browser()), '/ai/sign-in?error=email_not_verified&provider=corp');
  harness.setAuth({ oidc: oidc() });
});

test('a removed member does not return through a group until the removal is undone', async () => {
  assert.ok(issuer.account?.email);
  const { email } = issuer.account;
  const browser = harness.browser();
  await signIn(browser);
  const owner = harness.browser();
  await harness.addPerson(`remover${people}@acme.example`, { acme: 'owner' });
  await owner.signIn(`remover${people}@acme.example`);
  const id = (await browser.ask('GET', '/api/session')).body.member_id;
  assert.equal((await owner.ask('DELETE', `/api/management/members/${id}`)).status, 204);
  const refused = '/ai/sign-in?error=not_allowed&provider=corp';
  for (let n = 0; n < 2; n++) assert.equal(await signIn(harness.browser()), refused);
  assert.deepEqual(await membersOf(email), []);
  const removals = await owner.ask('GET', '/api/management/removed-members');
  const listed: readonly { readonly user_id: string; readonly email: string }[] = JSON.parse(
    removals.text,
  ).data;
  const removal = listed.find((one) => one.email === email);
  assert.ok(removal, 'the removal is listed');
  const undo = `/api/management/removed-members/${removal.user_id}`;
  assert.equal((await owner.ask('DELETE', undo)).status, 204);
  assert.equal(told(await owner.ask('DELETE', undo)), '404 not_found');
  assert.equal(await signIn(harness.browser()), '/ai/');
});

test('a callback that this browser did not start does not count as an attempt', async () => {
  const proxied = { 'x-forwarded-for': '203.0.113.77' };
  const foreign = '/api/session/oidc/corp/callback?code=c&state=s';
  const pending = harness.browser();
  const path = await away(pending);
  const kept = new Map(pending.cookies);
  for (let n = 0; n < 40; n++) {
    for (const [name, value] of kept) pending.cookies.set(name, value);
    await harness.browser().ask('GET', foreign, undefined, proxied);
    await pending.ask('GET', foreign, undefined, proxied);
  }
  assert.equal((await harness.audited('sign_in.throttle')).length, 0);
  const answer = await harness.browser().signIn('nobody@acme.example', 'a wrong one indeed', proxied);
  assert.equal(told(answer), '401 sign_in_failed', 'nobody at this address was slowed');
  assert.ok(path);
});

test('a step-up by another person is rejected, and the session is unchanged', async () => {
  assert.ok(issuer.account);
  const browser = harness.browser();
  await signIn(browser);
  const mine = issuer.account;
  issuer.account = { ...mine, sub: 'a colleague', email: `colleague${people}@acme.example` };
  await signIn(harness.browser());
  const before = browser.token;
  assert.equal(await signIn(browser, '?step_up=true'), '/ai/sign-in?error=account_mismatch&provider=corp');
  assert.equal(browser.token, before);
  const { body } = await browser.ask('GET', '/api/session');
  assert.deepEqual([body.user?.email, body.stepped_up_until], [mine.email, null]);
  issuer.account = mine;
  assert.equal(
    await signIn(harness.browser(), '?step_up=true'),
    '/ai/sign-in?error=account_mismatch&provider=corp',
  );
});

test('a callback is valid once, in the same browser, for ten minutes, and for its purpose', async () => {
  const expired = '/ai/sign-in?error=expired&provider=corp';
  const browser = harness.browser();
  const path = await away(browser);
  const kept = new Map(browser.cookies);
  const other = harness.browser();
  assert.equal(header(await other.ask('GET', path), 'location'), expired, 'another browser');
  assert.equal(other.cookies.size, 0);
  const twins = [harness.browser(), harness.browser()];
  const places = await Promise.all(
    twins.map(async (twin) => {
      for (const [name, value] of kept) twin.cookies.set(name, value);
      return header(await twin.ask('GET', path), 'location');
    }),
  );
  assert.deepEqual(places.sort(), ['/ai/', expired]);
  assert.equal(header(await browser.ask('GET', path), 'location'), expired, 'replayed');
  const late = await away(browser);
  harness.advance(10 * 60_000);
  assert.equal(header(await browser.ask('GET', late), 'location'), expired);
  harness.advance(-10 * 60_000);
  for (const spoil of [
    (query: URLSearchParams) => query.set('state', 'mine'),
    (query: URLSearchParams) => query.set('iss', 'https://evil.example'),
    (query: URLSearchParams) => query.set('code', 'guessed'),
    (query: URLSearchParams) => query.append('state', query.get('state') ?? ''),
    (query: URLSearchParams) => query.delete('iss'),
  ]) {
    const url = new URL(await away(browser), BASE);
    spoil(url.searchParams);
    const answer = await browser.ask('GET', `${url.pathname}${url.search}`);
    assert.equal(header(answer, 'location'), '/ai/sign-in?error=failed&provider=corp', url.search);
    assert.equal(browser.cookies.size, 0);
  }
});

test('the return URL is always below this installation', async () => {
  const hostile = [
    'https://evil.example/',
    '//evil.example/ai/',
    '/\\evil.example/ai/',
    '/ai//..//..//evil.example',
    '/aisle',
    '/other',
    '/ai/../etc',
    '/\t/evil.example',
    'javascript:alert(1)',
    'evil',
    '',
  ];
  for (const target of hostile) {
    const place = await signIn(harness.browser(), `?return_to=${encodeURIComponent(target)}`);
    const url = new URL(place, BASE);
    assert.equal(url.origin, 'https://floe.example', target);
    assert.ok(url.pathname.startsWith('/ai/'), `${target} led to ${place}`);
  }
});

test('a rejection by the issuer and an unavailable issuer lead to the sign-in page with the reason', async () => {
  issuer.account = null;
  assert.equal(await signIn(harness.browser()), '/ai/sign-in?error=access_denied&provider=corp');
  const away = await harness.browser().ask('GET', '/api/session/oidc/gone/start');
  assert.equal(header(away, 'location'), '/ai/sign-in?error=unavailable&provider=gone');
  assert.equal(told(await harness.browser().ask('GET', '/api/session/oidc/nobody/start')), '404 not_found');
  const { body } = await harness.browser().ask('GET', '/api/session');
  assert.deepEqual(body.methods?.oidc, [
    { name: 'corp' },
    { name: 'gone' },
    { name: 'partner' },
    { name: 'roles' },
  ]);
});

test('a step-up with the issuer requires authentication again, and only this counts as fresh', async () => {
  const browser = harness.browser();
  await signIn(browser);
  const plain = (await browser.ask('GET', '/api/session')).body;
  assert.equal(plain.stepped_up_until, null, 'an old session at the issuer proves nothing new');
  const before = browser.token;
  const started = await browser.ask('GET', `${START}?step_up=true`);
  const asked = new URL(header(started, 'location')).searchParams;
  assert.deepEqual([asked.get('prompt'), asked.get('max_age')], ['login', '600']);
  const back = await issuer.visit(header(started, 'location'));
  await browser.ask('GET', `/api/session/oidc/corp/callback${back.search}`);
  const { body } = await browser.ask('GET', '/api/session');
  assert.ok(body.stepped_up_until);
  assert.notEqual(browser.token, before);
});

test('the request to the issuer has PKCE and a nonce, and the browser stores no secret', async () => {
  const browser = harness.browser();
  const started = await browser.ask('GET', START);
  const asked = new URL(header(started, 'location')).searchParams;
  assert.equal(asked.get('code_challenge_method'), 'S256');
  for (const name of ['state', 'nonce', 'code_challenge'])
    assert.ok((asked.get(name) ?? '').length >= 40, name);
  const [kept = ''] = browser.cookies.values();
  for (const name of ['state', 'nonce']) assert.ok(!kept.includes(asked.get(name) ?? 'none'));
  assert.match(
    started.headers['set-cookie']?.[0] ?? '',
    /^floe_sign_in=\S+; Max-Age=600; Path=\/ai; HttpOnly; SameSite=Lax; Secure$/,
  );
});
