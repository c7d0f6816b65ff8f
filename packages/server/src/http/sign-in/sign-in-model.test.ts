// Tier: ci. A model of all ways to sign in, with slow password hashes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import fc from 'fast-check';
import { type ScriptedIssuer, startScriptedIssuer } from '../../platform/sign-in/test/scripted-issuer.ts';
import { API_TEST_NOW } from '../test/running-api.ts';
import { startTestSignIn, TEST_PASSWORD, type TestBrowser, type TestSignIn } from './test/test-sign-in.ts';

/**
 * Two people, two issuers and an owner do anything in any order. `strong` vouches for the addresses of its people and grants
 * roles; `weak` vouches for whatever it is told and grants the least role. The model knows nothing of accounts: it notes which
 * roles each person was given, by an invitation that they accepted or by a group that an issuer said they are in. No browser of
 * theirs may ever have more.
 */
const PEOPLE = ['boss', 'mallory'] as const;
type Person = (typeof PEOPLE)[number];
const ISSUERS = ['strong', 'weak'] as const;
type Issuer = (typeof ISSUERS)[number];
const ORGS = ['acme', 'other'] as const;
type Org = (typeof ORGS)[number];

/** What the issuers say of the groups of each, which is all that they may grant, in `acme`. */
const GROUPS: Readonly<Record<Issuer, Readonly<Record<Person, MemberRole>>>> = {
  strong: { boss: 'admin', mallory: 'viewer' },
  weak: { boss: 'viewer', mallory: 'viewer' },
};

type Step =
  | {
      readonly does: 'issuer';
      readonly who: Person;
      readonly issuer: Issuer;
      readonly email: Person;
      readonly verified: boolean;
      readonly inGroup: boolean;
      readonly stepUp: boolean;
      readonly again: boolean;
    }
  | { readonly does: 'password'; readonly who: Person; readonly email: Person }
  | { readonly does: 'set password'; readonly who: Person }
  | {
      readonly does: 'invite';
      readonly who: Person;
      readonly org: Org;
      readonly role: MemberRole;
      readonly signedIn: boolean;
    }
  | { readonly does: 'remove' | 'undo'; readonly email: Person };

/** True mostly: what goes through leads further than what is refused. */
const mostly = fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false));
const seldom = mostly.map((yes) => !yes);
const person = fc.constantFrom(...PEOPLE);
const issuer = fc.constantFrom(...ISSUERS);
const role = fc.constantFrom<MemberRole>('admin', 'member', 'viewer');
const of = <Does extends string>(does: Does) => fc.constant(does);
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        who: person,
        issuer,
        own: mostly,
        verified: mostly,
        inGroup: mostly,
        stepUp: seldom,
        again: mostly,
      })
      .map(({ own, ...rest }): Step => {
        const [other = rest.who] = PEOPLE.filter((name) => name !== rest.who);
        return { ...rest, does: 'issuer', email: own ? rest.who : other };
      }),
  },
  { weight: 3, arbitrary: fc.record({ does: of('password'), who: person, email: person }) },
  { weight: 3, arbitrary: fc.record({ does: of('set password'), who: person }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: of('invite'),
      who: person,
      org: fc.constantFrom(...ORGS),
      role,
      signedIn: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('remove' as const, 'undo' as const), email: person }),
  },
);

const byIssuer = (who: Person, issuer: Issuer, email: Person, again = false): Step => ({
  does: 'issuer',
  ...{ who, issuer, email, again },
  ...{ verified: true, inGroup: true, stepUp: false },
});
/** What takes many steps to reach, and where much can go wrong. */
const PLOTS: readonly (readonly Step[])[] = [
  // One account of both issuers, used by each.
  [
    byIssuer('boss', 'strong', 'boss'),
    byIssuer('boss', 'weak', 'boss', true),
    byIssuer('boss', 'strong', 'boss'),
    byIssuer('boss', 'weak', 'boss'),
    { does: 'set password', who: 'boss' },
    { does: 'invite', who: 'boss', org: 'other', role: 'viewer', signedIn: true },
  ],
  // Somebody else has the account first, and the person whose address it is comes later.
  [
    byIssuer('mallory', 'weak', 'boss'),
    { does: 'set password', who: 'mallory' },
    { does: 'remove', email: 'boss' },
    { does: 'undo', email: 'boss' },
    byIssuer('boss', 'strong', 'boss'),
    { does: 'password', who: 'mallory', email: 'boss' },
    byIssuer('mallory', 'weak', 'boss'),
  ],
];
/** Random steps, or most of a plot with random ones in between. */
const STEPS: fc.Arbitrary<readonly Step[]> = fc.oneof(
  fc.array(STEP, { minLength: 6, maxLength: 18 }),
  fc
    .tuple(fc.constantFrom(...PLOTS), fc.array(fc.tuple(mostly, fc.option(STEP, { freq: 2 })), fullLength()))
    .map(([plot, around]) =>
      plot.flatMap((step, at) => {
        const [isKept, extra] = around[at] ?? [true, null];
        return [...(isKept ? [step] : []), ...(extra === null ? [] : [extra])];
      }),
    ),
);

function fullLength() {
  return { minLength: 7, maxLength: 7 };
}

interface Seat {
  readonly browser: TestBrowser;
  readonly who: Person;
  /** That its session began by; null for other methods. */
  readonly issuer: Issuer | null;
}

const passwordOf = (who: Person) => `${TEST_PASSWORD} of ${who}`;
const atLeast = (one: MemberRole, other: MemberRole) =>
  MEMBER_ROLES.indexOf(one) <= MEMBER_ROLES.indexOf(other);

let harness: TestSignIn;
let issuers: Readonly<Record<Issuer, ScriptedIssuer>>;
let owners: Readonly<Record<Org, TestBrowser>>;
before(async () => {
  issuers = {
    strong: await startScriptedIssuer('127.0.0.1'),
    weak: await startScriptedIssuer('127.0.0.1'),
  };
  const oidc = ISSUERS.map((name) => ({
    name,
    issuer: `http://127.0.0.1:${issuers[name].port}`,
    client_id: 'floe',
    map: MEMBER_ROLES.map((role) => ({ group: role, org: 'acme', role })),
  }));
  harness = await startTestSignIn({ trustedProxies: ['127.0.0.1'], auth: { oidc } });
  harness.advance(Date.now() - API_TEST_NOW);
  owners = { acme: harness.browser(), other: harness.browser() };
  for (const org of ORGS) {
    await harness.addPerson(`owner@${org}.example`, { [org]: 'owner' });
    assert.equal((await owners[org].signIn(`owner@${org}.example`)).status, 200);
  }
});
after(async () => {
  await harness.close();
  for (const issuer of Object.values(issuers)) issuer.close();
});

let runs = 0;
/** How often what matters happened at all: a model that is always refused proves nothing. */
const seen = { created: 0, joined: 0, refused: 0, removed: 0, accepted: 0, invariant: 0 };

/** Accounts, and identities that belong to one. */
async function counts(): Promise<readonly [number, number]> {
  const { read } = harness.api.database;
  const users = await read.selectFrom('users').select('id').execute();
  const identities = await read.selectFrom('identities').select('user_id').execute();
  return [users.length, identities.length];
}

/** One run: its people have addresses and subjects of their own. */
class Run {
  readonly #n: number = runs++;
  #seats: Seat[] = [];
  /** Roles that somebody was given by hand, by the address of the account and the org. */
  readonly #hand = new Map<string, MemberRole>();
  /** What each issuer said last of somebody. */
  readonly #granted = new Map<string, { readonly role: MemberRole; readonly email: string }>();
  readonly #removed = new Set<string>();

  #email(of: Person): string {
    return `${of}${this.#n}@acme.example`;
  }

  #seatOf(who: Person): Seat | undefined {
    return this.#seats.findLast((seat) => seat.who === who);
  }

  async step(step: Step): Promise<void> {
    switch (step.does) {
      case 'issuer':
        return this.#byIssuer(step);
      case 'password':
        return this.#byPassword(step);
      case 'set password':
        return this.#setPassword(step.who);
      case 'invite':
        return this.#invite(step);
      case 'remove':
      case 'undo':
        return this.#remove(step.email, step.does);
    }
  }

  async #byIssuer(step: Extract<Step, { does: 'issuer' }>): Promise<void> {
    const { who, issuer, inGroup, stepUp } = step;
    // A strong issuer vouches for the own address only; a weak one for any.
    const verified = step.verified && (issuer === 'weak' || step.email === who);
    const scripted = issuers[issuer];
    const seat = (step.again || stepUp ? this.#seatOf(who) : undefined) ?? {
      browser: harness.browser(),
      who,
    };
    const { browser } = seat;
    const query = stepUp ? '?step_up=true' : '';
    const started = await browser.ask('GET', `/api/session/oidc/${issuer}/start${query}`);
    const asked = new URL(String(started.headers.location)).searchParams;
    scripted.nonce = asked.get('nonce') ?? '';
    scripted.claims = {
      sub: `${who}${this.#n}`,
      email: this.#email(step.email),
      email_verified: verified,
      auth_time: Math.floor(Date.now() / 1000),
      groups: inGroup ? [GROUPS[issuer][who]] : [],
    };
    const [users, identities] = await counts();
    const callback = `/api/session/oidc/${issuer}/callback?code=c&state=${asked.get('state')}`;
    const answer = await browser.ask('GET', callback);
    assert.equal(answer.status, 303, answer.text);
    const error = new URL(String(answer.headers.location), 'https://floe.example').searchParams.get('error');
    assert.ok(
      [null, 'not_allowed', 'email_not_verified', 'account_exists', 'account_mismatch'].includes(error),
      String(error),
    );
    const [usersNow, identitiesNow] = await counts();
    const isNew = usersNow > users;
    if (isNew) {
      seen.created += 1;
      assert.ok(verified, 'an account was created for an address that nobody vouches for');
    }
    // Refused before the issuer's word counted for anything.
    if (error !== null && error !== 'not_allowed') {
      seen.refused += 1;
      return;
    }
    this.#granted.delete(`${who} ${issuer}`);
    if (error !== null) return;
    const email = String((await browser.ask('GET', '/api/session')).body.user?.email);
    if (inGroup) this.#granted.set(`${who} ${issuer}`, { role: GROUPS[issuer][who], email });
    if (identitiesNow > identities && !isNew) seen.joined += 1;
    this.#seats = this.#seats.filter((other) => other.browser !== browser);
    this.#seats.push({ browser, who, issuer });
  }

  async #byPassword({ who, email }: { readonly who: Person; readonly email: Person }): Promise<void> {
    const browser = harness.browser();
    const { status } = await browser.signIn(this.#email(email), passwordOf(who));
    if (status === 200) this.#seats.push({ browser, who, issuer: null });
  }

  async #setPassword(who: Person): Promise<void> {
    const seat = this.#seatOf(who);
    if (!seat) return;
    const { status } = await seat.browser.ask('PUT', '/api/me/password', { password: passwordOf(who) });
    assert.ok([200, 401, 403].includes(status), String(status));
    if (status !== 200) return;
    const email = String((await seat.browser.ask('GET', '/api/session')).body.user?.email);
    const [own, whole] = [seat, { ...seat, issuer: null }].map((one) =>
      strongest(this.#justified(one, email, 'acme')),
    );
    assert.equal(own, whole, 'a session set a password that opens more than the session');
  }

  /** The owner invites a person by their own address, and they take the link. */
  async #invite(step: Extract<Step, { does: 'invite' }>): Promise<void> {
    const { who, role, org } = step;
    const email = this.#email(who);
    const made = await owners[org].ask('POST', '/api/management/invitations', { email, role });
    if (made.status !== 201) return;
    const token = String(made.body['link']).split('#t=')[1];
    const seat = step.signedIn ? this.#seatOf(who) : undefined;
    const browser = seat?.browser ?? harness.browser();
    const given = { token, name: who, password: passwordOf(who) };
    const { status } = await browser.ask('POST', '/api/session/invitation', given);
    if (status !== 200) return;
    seen.accepted += 1;
    const { body } = await browser.ask('GET', '/api/session');
    assert.equal(body.user?.email, email);
    if (org === 'acme') this.#removed.delete(email);
    this.#hand.set(`${who} ${email} ${org}`, role);
    this.#seats = this.#seats.filter((other) => other.browser !== browser);
    this.#seats.push({ browser, who, issuer: seat?.issuer ?? null });
  }

  async #remove(of: Person, does: 'remove' | 'undo'): Promise<void> {
    const email = this.#email(of);
    const { read } = harness.api.database;
    const user = await read.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
    if (!user) return;
    if (does === 'undo') {
      const { status } = await owners.acme.ask('DELETE', `/api/management/removed-members/${user.id}`);
      if (status === 204) this.#removed.delete(email);
      return;
    }
    const member = await read
      .selectFrom('members')
      .select('id')
      .where('user_id', '=', user.id)
      .where('org_id', '=', 'acme')
      .executeTakeFirst();
    if (!member) return;
    assert.equal((await owners.acme.ask('DELETE', `/api/management/members/${member.id}`)).status, 204);
    seen.removed += 1;
    this.#removed.add(email);
    for (const who of PEOPLE) this.#hand.delete(`${who} ${email} acme`);
  }

  /** What a person was given in an org that counts in a session, by the address of its account. */
  #justified({ who, issuer }: Pick<Seat, 'who' | 'issuer'>, email: string, org: Org): readonly MemberRole[] {
    const asked = issuer === null ? ISSUERS : [issuer];
    const granted = asked.flatMap((name) => {
      const grant = this.#granted.get(`${who} ${name}`);
      return grant?.email === email && org === 'acme' ? [grant.role] : [];
    });
    const hand = this.#hand.get(`${who} ${email} ${org}`);
    return hand === undefined ? granted : [...granted, hand];
  }

  /** No session has a role that its proofs do not justify, and none loses what its issuer grants. */
  async check(after: Step): Promise<void> {
    for (const seat of this.#seats) {
      const { body, text } = await seat.browser.ask('GET', '/api/session');
      if (String(body.state) !== 'signed_in') continue;
      seen.invariant += 1;
      const email = String(body.user?.email);
      const places: readonly { readonly id: Org; readonly role: MemberRole }[] = JSON.parse(text).orgs;
      for (const { id, role } of places) {
        const told = `${seat.who} by ${seat.issuer ?? 'other means'} as ${email} in ${id}, after ${JSON.stringify(after)}`;
        assert.ok(id === 'other' || !this.#removed.has(email), `a removed account is signed in: ${told}`);
        const justified = strongest(this.#justified(seat, email, id));
        assert.ok(
          justified !== undefined && atLeast(justified, role),
          `a session is ${role} where ${justified ?? 'nothing'} was given: ${told}`,
        );
        const granted = seat.issuer && this.#granted.get(`${seat.who} ${seat.issuer}`);
        if (!granted || id === 'other' || this.#hand.has(`${seat.who} ${email} acme`)) continue;
        assert.ok(
          atLeast(role, granted.role),
          `a session is ${role} where ${granted.role} was granted: ${told}`,
        );
      }
    }
  }
}

function strongest(roles: readonly MemberRole[]): MemberRole | undefined {
  return MEMBER_ROLES.find((role) => roles.includes(role));
}

test('no session has a role that its proofs do not justify, for any actions of members, issuers and owners', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const run = new Run();
      for (const step of steps) {
        await run.step(step);
        await run.check(step);
      }
    }),
    { numRuns: 120, seed: 33, endOnFailure: true },
  );
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 0, `${what} never happened`);
});
