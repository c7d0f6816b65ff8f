import { newId } from '../../core/ids.ts';
import { identityOf } from '../../store/identities.ts';
import { insertUser, userByEmail } from '../../store/members.ts';
import type { Writer } from '../../store/ports.ts';
import { standingOf } from '../../store/sessions.ts';
import { spendToken } from '../../store/spent-tokens.ts';
import { placeByGroups } from '../place-by-groups.ts';
import { recordFailure } from './audit.ts';
import {
  FLOW_MS,
  type Flow,
  finishFlow,
  issuerNamed,
  type OidcPerson,
  OidcRefused,
  openFlow,
} from './oidc-flow.ts';
import { type GivenPlace, placePerson } from './place-person.ts';
import { isUnclaimed, joinIdentity, replaceProofs } from './prove-account.ts';
import type { LiveSession } from './sessions.ts';
import { STEP_UP_MS } from './sessions.ts';
import { admit, type Browser, changeFrom, type SignInParts } from './sign-in.ts';
import { standingsIn } from './standing.ts';
import { sha256 } from './tokens.ts';

/** What came back with the browser. */
export interface OidcAnswer {
  /** Query of the callback. */
  readonly query: Readonly<Record<string, string>>;
  /** What the browser kept. */
  readonly sealed: string | null;
}

/**
 * Ends a sign-in by an issuer; returns the value of the cookie and where the person wanted to go. An answer that this
 * browser did not ask for counts as no attempt: any page can send browsers here.
 *
 * @throws OidcRefused; Fault `not_found`, `too_many_tries`
 */
export async function signInByOidc(
  parts: SignInParts,
  name: string,
  answer: OidcAnswer,
  browser: Browser,
): Promise<{ readonly token: string; readonly returnTo: string }> {
  const { database, clock, throttle } = parts;
  const oidc = issuerNamed(parts, name);
  const kept = openFlow(parts, name, answer);
  const live = browser.token === null ? null : await parts.sessions.find(browser.token);
  const trier = { account: null, address: browser.address };
  const taken = await throttle.take(trier);
  try {
    // Used up before the code is: of two at once one goes on.
    const isFirst = await database.transaction((writer) =>
      spendToken(writer, sha256(kept.state), clock.now() + FLOW_MS),
    );
    if (!isFirst) throw new OidcRefused('expired', 'this answer of the issuer was used before');
    const person = await finishFlow(parts, oidc, kept, answer.query);
    const places = placeByGroups(oidc, person.groups);
    const token = await changeFrom(parts, browser, live, async (writer) => {
      const userId = await userOf(parts, writer, { person, places, name, live, kept });
      await placePerson(parts, writer, { userId, issuer: name }, places);
      await database.signals.announce(writer);
      // Committed all the same: who lost their last group is out at once.
      if (standingsIn(await standingOf(writer, userId, name), name).length === 0) return null;
      await throttle.forgive(writer, trier, taken);
      const isFresh = person.shownAt !== null && clock.now() - person.shownAt < STEP_UP_MS;
      // Whoever confirms who they are stays in the org they were in.
      const at = live && { orgId: live.here.org.id };
      return admit(parts, writer, { userId, method: 'oidc', issuer: name, isFresh, ...at }, browser);
    });
    parts.sessions.forget();
    if (token === null) throw unmapped();
    return { token, returnTo: kept.return_to };
  } catch (error) {
    const told = { method: `oidc ${name}`, address: browser.address, paused_ms: taken.pausedMs };
    await changeFrom(parts, browser, live, (writer) => recordFailure(writer, clock, null, told));
    throw error;
  }
}

interface Coming {
  readonly person: OidcPerson;
  readonly places: readonly GivenPlace[];
  /** Of the issuer, in `auth.oidc`. */
  readonly name: string;
  /** Of the browser. */
  readonly live: LiveSession | null;
  readonly kept: Flow;
}

/**
 * Whose account it is: the one this identity belongs to, else the one with the address that the issuer vouches for, else a
 * new one. An address that the issuer does not vouch for opens and creates nothing.
 *
 * @throws OidcRefused
 */
async function userOf(parts: SignInParts, writer: Writer, coming: Coming): Promise<string> {
  const { person, live, kept } = coming;
  const known = await identityOf(writer, person.issuer, person.subject);
  if (kept.step_up && (!live || known?.user_id !== live.user.id))
    throw new OidcRefused('other_person', 'the issuer confirmed another person than who is signed in');
  if (known) return known.user_id;
  const { email, isVerified } = person;
  if (email === null) throw new OidcRefused('email', 'the issuer gave no valid e-mail address');
  if (!isVerified) throw new OidcRefused('email', 'the issuer does not vouch for the e-mail address');
  const user = await userByEmail(writer, email);
  return user ? joined(parts, writer, user.id, coming) : created(parts, writer, email, coming);
}

/**
 * Joining needs a proof of both sides: the issuer's word for the address, and a fresh session of the account in this browser.
 * An account that belongs to no org has nothing to protect; there the issuer's word replaces what proved it before.
 */
async function joined(parts: SignInParts, writer: Writer, userId: string, coming: Coming): Promise<string> {
  const { person, name, live } = coming;
  const isProven = live?.user.id === userId && live.isWhole && live.steppedUpUntil > parts.clock.now();
  if (!isProven) {
    if (!(await isUnclaimed(writer, userId)))
      throw new OidcRefused('account_exists', 'an account has this e-mail address, and it was not proven');
    mustHavePlace(coming);
    await replaceProofs(parts, writer, userId, null);
  }
  await joinIdentity(parts, writer, userId, { issuer: person.issuer, subject: person.subject, name });
  return userId;
}

async function created(parts: SignInParts, writer: Writer, email: string, coming: Coming): Promise<string> {
  const { person, name } = coming;
  mustHavePlace(coming);
  const now = parts.clock.now();
  const id = newId('usr', now);
  const times = { created_at: now, updated_at: now };
  await insertUser(writer, {
    id,
    email,
    name: person.name,
    password_hash: null,
    preferences_json: null,
    ...times,
  });
  await joinIdentity(parts, writer, id, { issuer: person.issuer, subject: person.subject, name });
  return id;
}

function mustHavePlace({ places }: Coming): void {
  if (places.length === 0) throw unmapped();
}

function unmapped(): OidcRefused {
  return new OidcRefused('not_allowed', 'no group of this person is mapped to an organization');
}
